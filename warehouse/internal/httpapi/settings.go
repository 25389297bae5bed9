// SPDX-License-Identifier: Apache-2.0

package httpapi

import (
	"maps"
	"regexp"
	"slices"
	"strings"
)

var settingName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_.]*$`)

// assignments returns the settings for SET or SETTINGS. There is always one: the comment that marks the request.
func (q *request) assignments() string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(q.settings)) {
		all = append(all, name+" = "+quote(q.settings[name], '\''))
	}
	return strings.Join(all, ", ")
}

// quote writes a text as a ClickHouse literal or name.
func quote(text string, mark byte) string {
	escaped := strings.NewReplacer(`\`, `\\`, string(mark), `\`+string(mark)).Replace(text)
	return string(mark) + escaped + string(mark)
}
