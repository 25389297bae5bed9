// SPDX-License-Identifier: Apache-2.0

// Package sqltext reads only what routing a request requires: the kind of statement, where an INSERT's data begins, and
// the output FORMAT. The engine does the real parsing.
package sqltext

import "strings"

type token struct {
	text       string
	start, end int
	// depth is the number of brackets around the token.
	depth int
	// word is true for unquoted names and keywords.
	word bool
}

func (t token) is(keyword string) bool { return t.word && strings.EqualFold(t.text, keyword) }

// name is the token's name without quotes, or an empty text.
func (t token) name() string {
	if t.word || t.text != "" && (t.text[0] == '`' || t.text[0] == '"') {
		return unquote(t.text)
	}
	return ""
}

// lexer splits a text, which may be cut off anywhere.
type lexer struct {
	text  string
	pos   int
	depth int
}

// next returns the next token that is neither space nor comment; ok is false at the end.
func (l *lexer) next() (t token, ok bool) {
	l.skipBlank()
	if l.pos >= len(l.text) {
		return token{}, false
	}
	start, c := l.pos, l.text[l.pos]
	word := isWord(c)
	switch {
	case word:
		for l.pos < len(l.text) && isWord(l.text[l.pos]) {
			l.pos++
		}
	case c == '\'' || c == '"' || c == '`':
		l.skipQuoted(c)
	case c == '$' && l.skipHeredoc():
	default:
		l.pos++
	}
	if c == ')' || c == ']' || c == '}' {
		l.depth--
	}
	t = token{text: l.text[start:l.pos], start: start, end: l.pos, depth: l.depth, word: word}
	if c == '(' || c == '[' || c == '{' {
		l.depth++
	}
	return t, true
}

func (l *lexer) skipBlank() {
	for l.pos < len(l.text) {
		rest := l.text[l.pos:]
		switch {
		case strings.IndexByte(" \t\n\r\f\v", rest[0]) >= 0:
			l.pos++
		case strings.HasPrefix(rest, "--") || strings.HasPrefix(rest, "#!") || strings.HasPrefix(rest, "# "):
			l.skipPast("\n")
		case strings.HasPrefix(rest, "/*"):
			l.pos += 2
			l.skipPast("*/")
		default:
			return
		}
	}
}

func (l *lexer) skipPast(mark string) {
	if at := strings.Index(l.text[l.pos:], mark); at >= 0 {
		l.pos += at + len(mark)
		return
	}
	l.pos = len(l.text)
}

// skipQuoted skips a quoted text; a backslash and a doubled quote both escape.
func (l *lexer) skipQuoted(quote byte) {
	for l.pos++; l.pos < len(l.text); l.pos++ {
		switch l.text[l.pos] {
		case '\\':
			l.pos++
		case quote:
			if l.pos+1 < len(l.text) && l.text[l.pos+1] == quote {
				l.pos++
				continue
			}
			l.pos++
			return
		}
	}
	l.pos = len(l.text)
}

// skipHeredoc skips $tag$…$tag$.
func (l *lexer) skipHeredoc() bool {
	end := l.pos + 1
	for end < len(l.text) && isWord(l.text[end]) {
		end++
	}
	if end >= len(l.text) || l.text[end] != '$' {
		return false
	}
	tag := l.text[l.pos : end+1]
	l.pos = end + 1
	l.skipPast(tag)
	return true
}

func isWord(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c >= 0x80
}
