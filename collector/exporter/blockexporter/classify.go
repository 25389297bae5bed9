// SPDX-License-Identifier: Apache-2.0

package blockexporter

import (
	"fmt"
	"net/http"
	"regexp"
	"strconv"
)

const headerExceptionCode = "X-ClickHouse-Exception-Code"

// permanentCodes are the ClickHouse error codes (src/Common/ErrorCodes.cpp) that sending the same bytes again
// can never mend: the bytes do not decode, or the engine does not know the statement this exporter is built
// with. Everything else is retryable, known or not, because a block that waits can still be stored and a
// block that was refused is lost.
//
// Left out on purpose, because an operator mends them while the senders keep their blocks:
//
//	 16 NO_SUCH_COLUMN_IN_TABLE, 60 UNKNOWN_TABLE, 81 UNKNOWN_DATABASE: migrations are not through yet. (16 is
//	    about the columns of our own INSERT; a block whose columns differ is 117.)
//	192 UNKNOWN_USER, 193 WRONG_PASSWORD, 194 REQUIRED_PASSWORD, 497 ACCESS_DENIED, 516 AUTHENTICATION_FAILED,
//	    164 READONLY, 242 TABLE_IS_READ_ONLY, 243 NOT_ENOUGH_SPACE: rights, passwords and disks.
//
// and because they are no verdict on the block:
//
//	 36 BAD_ARGUMENTS, 49 LOGICAL_ERROR: thrown for too many reasons.
//	271 CANNOT_DECOMPRESS: ClickHouse's own codecs; a body that is not zstd is 561.
//
// The plainly passing ones (159, 202, 209, 210, 241, 252, 319, 425, 999 and so on) need no list.
var permanentCodes = map[int]string{
	// The bytes.
	6:   "CANNOT_PARSE_TEXT",
	9:   "SIZES_OF_COLUMNS_DOESNT_MATCH",
	20:  "NUMBER_OF_COLUMNS_DOESNT_MATCH",
	27:  "CANNOT_PARSE_INPUT_ASSERTION_FAILED",
	32:  "ATTEMPT_TO_READ_AFTER_EOF",
	33:  "CANNOT_READ_ALL_DATA",
	43:  "ILLEGAL_TYPE_OF_ARGUMENT",
	50:  "UNKNOWN_TYPE",
	53:  "TYPE_MISMATCH",
	70:  "CANNOT_CONVERT_TYPE",
	72:  "CANNOT_PARSE_NUMBER",
	108: "NO_DATA_TO_INSERT",
	117: "INCORRECT_DATA",
	128: "TOO_LARGE_ARRAY_SIZE",
	131: "TOO_LARGE_STRING_SIZE",
	349: "CANNOT_INSERT_NULL_IN_ORDINARY_COLUMN",
	561: "ZSTD_DECODER_FAILED",
	// The statement and its settings.
	62:  "SYNTAX_ERROR",
	73:  "UNKNOWN_FORMAT",
	115: "UNKNOWN_SETTING",
}

// A server, or a proxy before it, may lose the header but keep ClickHouse's message.
var codeInBody = regexp.MustCompile(`\ACode: (\d+)\.`)

// classify reads ClickHouse's answer to one INSERT. It returns nil only when the block is committed: status
// 200, no exception code and an empty body, because an INSERT has nothing to say and anything else is a
// proxy's page or an error that came after the header.
func classify(status int, header http.Header, body []byte) *deliveryError {
	code := exceptionCode(header, body)
	switch {
	case code != 0:
	case status == http.StatusOK && len(body) == 0 && header.Get(headerExceptionCode) == "":
		return nil
	default:
		return &deliveryError{outcome: retryable, err: fmt.Errorf("HTTP %d without a ClickHouse error code: %s",
			status, firstLine(string(body)))}
	}
	verdict := retryable
	if _, hopeless := permanentCodes[code]; hopeless {
		verdict = permanent
	}
	failure := &deliveryError{outcome: verdict, code: code, err: fmt.Errorf("HTTP %d, ClickHouse code %d: %s",
		status, code, firstLine(string(body)))}
	if verdict == permanent {
		failure.reason = reasonRefused
	}
	return failure
}

// exceptionCode returns 0 where ClickHouse gave no code that can be read.
func exceptionCode(header http.Header, body []byte) int {
	text := header.Get(headerExceptionCode)
	if text == "" {
		if found := codeInBody.FindSubmatch(body); found != nil {
			text = string(found[1])
		}
	}
	code, err := strconv.Atoi(text)
	if err != nil {
		return 0
	}
	return code
}

// unauthenticated tells whether a password was refused.
func (a *answer) unauthenticated() bool {
	switch exceptionCode(a.header, a.body) {
	case 192, 193, 194, 516: // UNKNOWN_USER, WRONG_PASSWORD, REQUIRED_PASSWORD, AUTHENTICATION_FAILED
		return true
	case 0:
		return a.status == http.StatusUnauthorized || a.status == http.StatusForbidden
	}
	return false
}
