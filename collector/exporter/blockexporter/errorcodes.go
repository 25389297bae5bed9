// SPDX-License-Identifier: Apache-2.0

package blockexporter

import (
	_ "embed"
	"fmt"
	"strings"
)

//go:embed error_codes.tsv
var errorCodesFile string

// decoding is the verdict on codes that are permanent only while ClickHouse decodes the block.
const decoding outcome = "decoding"

// whileDecoding is what ClickHouse adds to the message of an error in its reader of Native blocks.
const whileDecoding = "While executing Native"

// verdicts are those of error_codes.tsv, which explains them.
var verdicts = mustReadVerdicts()

func mustReadVerdicts() map[int]outcome {
	all := map[int]outcome{}
	for line := range strings.Lines(errorCodesFile) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		var code int
		var name string
		var verdict outcome
		if _, err := fmt.Sscan(line, &code, &name, &verdict); err != nil {
			panic(fmt.Sprintf("embedded error_codes.tsv: %q: %v", line, err))
		}
		all[code] = verdict
	}
	return all
}

// verdictOn decides whether sending again can help after this code with this message.
func verdictOn(code int, message string) outcome {
	switch verdict := verdicts[code]; {
	case verdict == permanent, verdict == decoding && strings.Contains(message, whileDecoding):
		return permanent
	}
	return retryable
}
