// SPDX-License-Identifier: Apache-2.0

package chdb

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Error is an exception of the engine.
type Error struct {
	Code    int    // ClickHouse error code, such as 60
	Name    string // its name, such as UNKNOWN_TABLE; may be empty
	Message string // what happened, without code and name
}

// Error is the text that a ClickHouse server sends, without the version.
func (e *Error) Error() string {
	text := fmt.Sprintf("Code: %d. DB::Exception: %s", e.Code, e.Message)
	if e.Name != "" {
		text += " (" + e.Name + ")"
	}
	return text
}

var (
	errorCode = regexp.MustCompile(`(?s)Code: (\d+)\. (?:DB::Exception: |DB::[A-Za-z]+Exception: )?`)
	errorName = regexp.MustCompile(`\s*\(([A-Z][A-Z0-9_]+)\)\s*$`)
	// Some errors already contain the version; the caller adds it at the end.
	errorVersion = regexp.MustCompile(`\s*\(version [^()]*\)\s*$`)
	// A wrapped error has a full stop behind its name or version.
	errorLayerEnd = regexp.MustCompile(`(\([A-Z][A-Z0-9_]+\)|\(version [^()]*\))\.\s*$`)
)

// parseError reads the engine's text "[prefix] Code: N. DB::Exception: message (NAME)".
// It drops the prefix, a place in the library that helps no user, and the repetitions of an error that was wrapped in
// itself.
func parseError(text string) *Error {
	e := parseLayer(text)
	for {
		at := errorCode.FindStringIndex(e.Message)
		if at == nil || at[0] != 0 {
			return e
		}
		inner := parseLayer(errorLayerEnd.ReplaceAllString(e.Message, "$1"))
		if inner.Code != e.Code {
			return e
		}
		if inner.Name == "" {
			inner.Name = e.Name
		}
		e = inner
	}
}

func parseLayer(text string) *Error {
	e := &Error{Code: 1002, Message: strings.TrimSpace(text)}
	if at := errorCode.FindStringSubmatchIndex(text); at != nil {
		e.Code, _ = strconv.Atoi(text[at[2]:at[3]])
		e.Message = strings.TrimSpace(text[at[1]:])
	}
	e.Message = errorVersion.ReplaceAllString(e.Message, "")
	if at := errorName.FindStringSubmatchIndex(e.Message); at != nil {
		e.Name = e.Message[at[2]:at[3]]
		e.Message = e.Message[:at[0]]
	}
	return e
}
