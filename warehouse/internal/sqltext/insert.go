// SPDX-License-Identifier: Apache-2.0

package sqltext

import "strings"

// Insert is an INSERT statement without its data.
type Insert struct {
	// Text is the statement without FORMAT clause and data.
	Text string
	// Format is the format of the data; empty if the statement has none.
	Format string
	// DataAt is where in the text the data begins.
	DataAt int
	// FromFile is true for FROM INFILE, which reads a file of the client.
	FromFile bool
	// OwnSettings is true where the text has a SETTINGS clause.
	OwnSettings bool
}

// ParseInsert parses the head of a text. ok is false unless it is an INSERT with data in the request: it is not for
// another statement, or INSERT … SELECT.
func ParseInsert(text string) (in Insert, ok bool) {
	l := &lexer{text: text}
	if first, found := l.next(); !found || !first.is("INSERT") {
		return in, false
	}
	previous := token{}
	for {
		t, found := l.next()
		switch {
		case !found || t.text == ";" && t.depth == 0:
			end := l.pos
			if found {
				end = t.start
			}
			in.Text, in.DataAt = text[:end], l.pos
			return in, true
		case t.is("SELECT") || t.is("WITH"):
			if t.depth == 0 || previous.text == "(" {
				return in, false
			}
		case t.depth > 0 || previous.is("INTO") || previous.is("TABLE") || previous.text == ".":
		case t.is("EXPLAIN") || t.is("WATCH"):
			return in, false
		case t.is("INFILE") && previous.is("FROM"):
			return Insert{FromFile: true}, true
		case t.is("VALUES"):
			in.Text, in.Format, in.DataAt = text[:t.start], "Values", t.end
			return in, true
		case t.is("SETTINGS"):
			in.OwnSettings = true
		case t.is("FORMAT"):
			name, named := l.next()
			in.Text, in.DataAt = text[:t.start], l.pos
			if named {
				in.Format, in.DataAt = unquote(name.text), dataStart(text, name.end)
			}
			return in, true
		}
		previous = t
	}
}

// dataStart skips the rest of the statement's last line: blanks, one semicolon and one line end.
func dataStart(text string, at int) int {
	rest := text[at:]
	trimmed := strings.TrimLeft(rest, " \t\f")
	trimmed = strings.TrimPrefix(trimmed, ";")
	trimmed = strings.TrimLeft(trimmed, " \t\f")
	trimmed = strings.TrimPrefix(trimmed, "\r")
	trimmed = strings.TrimPrefix(trimmed, "\n")
	return at + len(rest) - len(trimmed)
}
