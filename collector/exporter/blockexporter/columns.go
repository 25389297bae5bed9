// SPDX-License-Identifier: Apache-2.0

package blockexporter

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Both are far above any table. They limit what one record can make the exporter compare and log.
const (
	longestColumnsText = 32 << 10
	mostColumns        = 1000
)

var columnName = regexp.MustCompile(`\A[A-Za-z_][A-Za-z0-9_]{0,127}\z`)

// column is a name and a type, the type as ClickHouse writes it.
type column struct{ name, typ string }

func (c column) String() string { return c.name + " " + c.typ }

// parseColumns parses `name Type, name Type, …`. Types may contain commas in brackets or quotes.
func parseColumns(text string) ([]column, error) {
	if len(text) > longestColumnsText {
		return nil, fmt.Errorf("must be at most %d bytes", longestColumnsText)
	}
	if !utf8.ValidString(text) || strings.ContainsFunc(text, unicode.IsControl) {
		return nil, errors.New("must be printable text")
	}
	entries, err := splitColumns(text)
	if err != nil {
		return nil, err
	}
	if len(entries) > mostColumns {
		return nil, fmt.Errorf("must be at most %d columns", mostColumns)
	}
	columns := make([]column, 0, len(entries))
	seen := make(map[string]bool, len(entries))
	for i, entry := range entries {
		name, typ, _ := strings.Cut(strings.TrimSpace(entry), " ")
		c := column{name, strings.TrimSpace(typ)}
		switch {
		case !columnName.MatchString(c.name):
			return nil, fmt.Errorf("column %d: %.140q is not a column name", i+1, c.name)
		case c.typ == "":
			return nil, fmt.Errorf("column %s: has no type", c.name)
		case seen[c.name]:
			return nil, fmt.Errorf("column %s: is listed twice", c.name)
		}
		seen[c.name] = true
		columns = append(columns, c)
	}
	return columns, nil
}

// splitColumns splits at the commas outside brackets and quotes.
func splitColumns(text string) (entries []string, err error) {
	depth, start := 0, 0
	var quote byte
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quote != 0 && c == '\\':
			i++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '\'' || c == '`' || c == '"':
			quote = c
		case c == '(':
			depth++
		case c == ')':
			if depth--; depth < 0 {
				return nil, errors.New("closes a bracket that is not open")
			}
		case c == ',' && depth == 0:
			entries = append(entries, text[start:i])
			start = i + 1
		}
	}
	if quote != 0 || depth != 0 {
		return nil, errors.New("leaves a bracket or a quote open")
	}
	return append(entries, text[start:]), nil
}

// difference describes why a block of these columns does not fit the table, or returns an empty text. The order does not
// matter: ClickHouse finds the columns of a Native block by name.
func difference(block, table []column) string {
	var missing, other, unknown []string
	for _, want := range table {
		switch i := slices.IndexFunc(block, func(c column) bool { return c.name == want.name }); {
		case i < 0:
			missing = append(missing, want.String())
		case block[i].typ != want.typ:
			other = append(other, block[i].String()+" instead of "+want.typ)
		}
	}
	for _, c := range block {
		if !slices.ContainsFunc(table, func(t column) bool { return t.name == c.name }) {
			unknown = append(unknown, c.String())
		}
	}
	var found []string
	for _, kind := range []struct {
		name    string
		columns []string
	}{{"missing", missing}, {"unknown", unknown}, {"of another type", other}} {
		if len(kind.columns) > 0 {
			found = append(found, kind.name+": "+strings.Join(kind.columns, ", "))
		}
	}
	return strings.Join(found, "; ")
}

// listed formats columns as parseColumns reads them.
func listed(columns []column) string {
	texts := make([]string, len(columns))
	for i, c := range columns {
		texts[i] = c.String()
	}
	return strings.Join(texts, ", ")
}
