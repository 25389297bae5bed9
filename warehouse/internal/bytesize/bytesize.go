// SPDX-License-Identifier: Apache-2.0

// Package bytesize parses sizes such as 1500MiB.
package bytesize

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Parse parses 1500MiB, 4GiB or a plain number of bytes.
func Parse(text string) (int64, error) {
	number, unit := text, int64(1)
	for suffix, factor := range map[string]int64{"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30} {
		if head, ok := strings.CutSuffix(text, suffix); ok {
			number, unit = head, factor
		}
	}
	value, err := strconv.ParseInt(strings.TrimSpace(number), 10, 64)
	if err != nil || value <= 0 || value > math.MaxInt64/unit {
		return 0, fmt.Errorf("%q is not a size such as 1500MiB or 4GiB", text)
	}
	return value * unit, nil
}
