// SPDX-License-Identifier: Apache-2.0

package blockexporter

import "strings"

// permanentCodes are the ClickHouse error codes (src/Common/ErrorCodes.cpp) that sending the same bytes again can never
// cure: the bytes do not decode, the table cannot store their values, or the engine does not know the statement that this
// exporter is built with. All other codes are retryable, known or not: a block that waits can still be stored, and a
// block that was refused is lost to its run.
//
// These are left out because an operator can repair their cause while the senders keep their blocks:
//
//	 16 NO_SUCH_COLUMN_IN_TABLE, 60 UNKNOWN_TABLE, 81 UNKNOWN_DATABASE: the migrations have not run yet. (16 is
//	    about the columns of the exporter's INSERT; a block whose columns differ is 117.)
//	192 UNKNOWN_USER, 193 WRONG_PASSWORD, 194 REQUIRED_PASSWORD, 497 ACCESS_DENIED, 516 AUTHENTICATION_FAILED,
//	    164 READONLY, 242 TABLE_IS_READ_ONLY, 243 NOT_ENOUGH_SPACE: rights, passwords and drives.
//
// This one is left out because its cause may pass:
//
//	241 MEMORY_LIMIT_EXCEEDED: a block with damaged length fields asks for gigabytes, but a busy server may refuse a
//	    good block with the same code.
//
// testdata/error_codes.tsv lists all codes of the engine with their verdicts.
var permanentCodes = map[int]string{
	// The bytes do not decode.
	9:   "SIZES_OF_COLUMNS_DOESNT_MATCH",
	20:  "NUMBER_OF_COLUMNS_DOESNT_MATCH",
	32:  "ATTEMPT_TO_READ_AFTER_EOF",
	33:  "CANNOT_READ_ALL_DATA",
	43:  "ILLEGAL_TYPE_OF_ARGUMENT",
	50:  "UNKNOWN_TYPE",
	108: "NO_DATA_TO_INSERT",
	117: "INCORRECT_DATA",
	128: "TOO_LARGE_ARRAY_SIZE",
	131: "TOO_LARGE_STRING_SIZE",
	// Not zstd: the one-machine warehouse answers 271, a server 561.
	271: "CANNOT_DECOMPRESS",
	561: "ZSTD_DECODER_FAILED",
	// The bytes decode, to values or columns that the table cannot store.
	6:   "CANNOT_PARSE_TEXT",
	25:  "CANNOT_PARSE_ESCAPE_SEQUENCE",
	26:  "CANNOT_PARSE_QUOTED_STRING",
	27:  "CANNOT_PARSE_INPUT_ASSERTION_FAILED",
	38:  "CANNOT_PARSE_DATE",
	41:  "CANNOT_PARSE_DATETIME",
	53:  "TYPE_MISMATCH",
	70:  "CANNOT_CONVERT_TYPE",
	72:  "CANNOT_PARSE_NUMBER",
	130: "CANNOT_READ_ARRAY_FROM_TEXT",
	321: "VALUE_IS_OUT_OF_RANGE_OF_DATA_TYPE",
	349: "CANNOT_INSERT_NULL_IN_ORDINARY_COLUMN",
	376: "CANNOT_PARSE_UUID",
	407: "DECIMAL_OVERFLOW",
	467: "CANNOT_PARSE_BOOL",
	469: "VIOLATED_CONSTRAINT",
	565: "TOO_MANY_PARTITIONS",
	675: "CANNOT_PARSE_IPV4",
	676: "CANNOT_PARSE_IPV6",
	691: "UNKNOWN_ELEMENT_OF_ENUM",
	// The statement and its settings.
	62:  "SYNTAX_ERROR",
	73:  "UNKNOWN_FORMAT",
	115: "UNKNOWN_SETTING",
}

// decodingCodes have many causes. They are permanent only when ClickHouse's message states that it was decoding the
// block: then the block has a column type or a length that no good block has.
var decodingCodes = map[int]string{
	36:  "BAD_ARGUMENTS",
	42:  "NUMBER_OF_ARGUMENTS_DOESNT_MATCH",
	44:  "ILLEGAL_COLUMN",
	48:  "NOT_IMPLEMENTED",
	49:  "LOGICAL_ERROR",
	63:  "UNKNOWN_AGGREGATE_FUNCTION",
	69:  "ARGUMENT_OUT_OF_BOUND",
	173: "CANNOT_ALLOCATE_MEMORY",
	377: "ILLEGAL_SYNTAX_FOR_DATA_TYPE",
	378: "DATA_TYPE_CANNOT_HAVE_ARGUMENTS",
}

// whileDecoding is what ClickHouse adds to the message of an error in its reader of Native blocks.
const whileDecoding = "While executing Native"

// verdictOn decides whether sending again can help after this code with this message.
func verdictOn(code int, message string) outcome {
	if _, ok := permanentCodes[code]; ok {
		return permanent
	}
	if _, ok := decodingCodes[code]; ok && strings.Contains(message, whileDecoding) {
		return permanent
	}
	return retryable
}
