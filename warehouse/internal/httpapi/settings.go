// SPDX-License-Identifier: Apache-2.0

package httpapi

import (
	"maps"
	"regexp"
	"slices"
	"strings"
)

var settingName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_.]*$`)

// setStatement returns the settings as one SET statement. There is always one: the comment that marks the request.
func (q *request) setStatement() string { return "SET " + q.assignments() }

// settingsClause returns the settings as the clause of a statement.
func (q *request) settingsClause() string { return "SETTINGS " + q.assignments() }

func (q *request) assignments() string {
	parts := make([]string, 0, len(q.settings))
	for _, name := range slices.Sorted(maps.Keys(q.settings)) {
		parts = append(parts, name+" = "+quote(q.settings[name], '\''))
	}
	return strings.Join(parts, ", ")
}

// quote writes a text as a ClickHouse literal or name.
func quote(text string, mark byte) string {
	escaped := strings.NewReplacer(`\`, `\\`, string(mark), `\`+string(mark)).Replace(text)
	return string(mark) + escaped + string(mark)
}
