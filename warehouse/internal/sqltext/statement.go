// SPDX-License-Identifier: Apache-2.0

package sqltext

// Statement is what a request's text says about itself.
type Statement struct {
	// Streams is true for statements whose answer the engine can give in chunks (SELECT, WITH, FROM).
	Streams bool
	// Format is the output format that the text names, or empty.
	Format string
	// Totals is true when the answer ends with a part of its own (WITH TOTALS).
	Totals bool
}

// Parse reads a statement that is not an INSERT with data.
func Parse(text string) Statement {
	var s Statement
	tokens := tokenize(text)
	for i, t := range tokens {
		if t.text == "(" {
			continue
		}
		s.Streams = t.is("SELECT") || t.is("WITH") || t.is("FROM") && i == 0
		break
	}
	for i, t := range tokens {
		if t.is("TOTALS") && i > 0 && tokens[i-1].is("WITH") {
			s.Totals = true
		}
		if t.depth == 0 && t.is("FORMAT") && i > 0 && i+1 < len(tokens) && endsStatement(tokens[i+2:]) {
			s.Format = unquote(tokens[i+1].text)
		}
	}
	return s
}

// endsStatement tells whether nothing but trailing clauses follows.
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
