// SPDX-License-Identifier: Apache-2.0

package chdb

import "testing"

func TestParseError(t *testing.T) {
	f := func(text string, want Error) {
		t.Helper()
		if got := *parseError(text); got != want {
			t.Errorf("%q: %+v, want %+v", text, got, want)
		}
	}
	f("Code: 60. DB::Exception: Table t does not exist. (UNKNOWN_TABLE)", Error{60, "UNKNOWN_TABLE", "Table t does not exist."})
	f("Code: 33. DB::Exception: Cut off. (CANNOT_READ_ALL_DATA) (version 26.7.2.1)\n", Error{33, "CANNOT_READ_ALL_DATA", "Cut off."})
	f("Streaming query failed: Code: 395. DB::Exception: on purpose (really). (F_NAME)", Error{395, "F_NAME", "on purpose (really)."})
	f("Error: Code: 62. DB::Exception: two\nlines. (SYNTAX_ERROR)", Error{62, "SYNTAX_ERROR", "two\nlines."})
	f("Code: 1000. DB::NetException: text", Error{1000, "", "text"})
	// Each stage of the engine that returns an error may wrap its whole text again.
	f("Code: 73. DB::Exception: Code: 73. DB::Exception: Code: 73. DB::Exception: Unknown format Nope. (UNKNOWN_FORMAT) (version 26.7.2.1). (UNKNOWN_FORMAT) (version 26.7.2.1). (UNKNOWN_FORMAT) (version 26.7.2.1)", Error{73, "UNKNOWN_FORMAT", "Unknown format Nope."})
	f("Code: 396. DB::Exception: Code: 396. DB::Exception: Too much: 5.5 (kept). (TOO_MANY_ROWS_OR_BYTES). (TOO_MANY_ROWS_OR_BYTES)", Error{396, "TOO_MANY_ROWS_OR_BYTES", "Too much: 5.5 (kept)."})
	// An error keeps its cause, as on a server.
	f("Code: 279. DB::Exception: Code: 210. DB::Exception: Refused. (NETWORK_ERROR). (ALL_CONNECTION_TRIES_FAILED)", Error{279, "ALL_CONNECTION_TRIES_FAILED", "Code: 210. DB::Exception: Refused. (NETWORK_ERROR)."})
	f("Unexpected null connection", Error{1002, "", "Unexpected null connection"})
	if got := (&Error{60, "UNKNOWN_TABLE", "No t."}).Error(); got != "Code: 60. DB::Exception: No t. (UNKNOWN_TABLE)" {
		t.Error(got)
	}
}
