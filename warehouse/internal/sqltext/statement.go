// SPDX-License-Identifier: Apache-2.0

package sqltext

import (
	"slices"
	"strings"
)

// Statement is what the program reads from a statement's text.
type Statement struct {
	// Select is true for statements whose answer the engine can stream (SELECT, WITH, FROM).
	Select bool
	// Format is the output format in the text, or empty.
	Format string
	// Document is true when the answer is one document even in a format of independent rows: it ends with
	// totals or extremes, or its rows form one JSON array.
	Document bool
	// Kill is true for KILL QUERY.
	Kill bool
	// FlushLogs is true for SYSTEM FLUSH LOGS.
	FlushLogs bool
	// clause is where an INTO OUTFILE clause belongs, end where the statement ends.
	clause, end int
}

// Parse reads a statement that is not an INSERT with data.
func Parse(text string) Statement {
	s := Statement{clause: -1, end: len(text)}
	tokens := tokenize(text)
	for i, t := range tokens {
		if t.text == "(" {
			continue
		}
		s.Select = t.is("SELECT") || t.is("WITH") || t.is("FROM") && i == 0
		break
	}
	s.Kill = len(tokens) > 1 && tokens[0].is("KILL") && tokens[1].is("QUERY")
	s.FlushLogs = len(tokens) > 2 && tokens[0].is("SYSTEM") && tokens[1].is("FLUSH") && tokens[2].is("LOGS")
	for i, t := range tokens {
		switch {
		case t.is("TOTALS") && i > 0 && tokens[i-1].is("WITH"), t.is("extremes"), t.is("output_format_json_array_of_rows"):
			s.Document = true
		case t.text == ";" && t.depth == 0 && i == len(tokens)-1:
			s.end = t.start
		}
		if t.depth == 0 && t.is("FORMAT") && i > 0 && i+1 < len(tokens) && endsStatement(tokens[i+2:]) {
			s.Format = unquote(tokens[i+1].text)
			s.clause = t.start
		}
	}
	return s
}

// IntoFile returns the text with a clause that writes the answer into an existing file. The text must be the one that
// the Statement was parsed from; format is used where the text has none.
func (s Statement) IntoFile(text, literal, format string) string {
	into := "\nINTO OUTFILE " + literal + " TRUNCATE "
	if s.clause < 0 {
		return text[:s.end] + into + "FORMAT " + format
	}
	return text[:s.clause] + into + text[s.clause:s.end]
}

// endsStatement reports whether only trailing clauses follow.
func endsStatement(rest []token) bool {
	return len(rest) == 0 || rest[0].text == ";" || rest[0].is("SETTINGS") || rest[0].is("INTO")
}

func tokenize(text string) []token {
	l := &lexer{text: text}
	var tokens []token
	for {
		t, ok := l.next()
		if !ok {
			return tokens
		}
		tokens = append(tokens, t)
	}
}

func unquote(name string) string {
	if len(name) > 1 && (name[0] == '`' || name[0] == '"') {
		return name[1 : len(name)-1]
	}
	return name
}

// Kind is the statement's first word, such as Select, or an empty text.
func Kind(text string) string {
	l := &lexer{text: text}
	for t, ok := l.next(); ok; t, ok = l.next() {
		if t.word {
			return strings.ToUpper(t.text[:1]) + strings.ToLower(t.text[1:])
		}
		if t.text != "(" {
			break
		}
	}
	return ""
}

// Replace returns the text with expressions in place of names, as in {"user": "f(x)"}.
func Replace(text string, names map[string]string) string {
	var out strings.Builder
	at := 0
	for _, t := range tokenize(text) {
		if expression, ok := names[t.name()]; ok {
			out.WriteString(text[at:t.start] + expression)
			at = t.end
		}
	}
	return out.String() + text[at:]
}

// Mentions returns the first of the names that the text contains outside literals and comments, or an empty text. With
// call, a name counts only before an opening bracket. A quoted name with an escape, which could spell any other name,
// counts as found.
func Mentions(text string, call bool, names []string) string {
	tokens := tokenize(text)
	for i, t := range tokens {
		if call && (i+1 == len(tokens) || tokens[i+1].text != "(") {
			continue
		}
		name := t.name()
		listed := func(other string) bool { return strings.EqualFold(name, other) }
		if name != "" && (strings.Contains(name, `\`) || slices.ContainsFunc(names, listed)) {
			return name
		}
	}
	return ""
}
