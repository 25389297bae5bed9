// SPDX-License-Identifier: Apache-2.0

package httpapi

import (
	"regexp"
	"strings"
)

// defaultFormat is the output format of a query without one.
const defaultFormat = "TabSeparated"

// streamable holds the formats whose answer may be assembled from chunks. The engine writes each chunk as a separate
// document, which excludes formats with a head, a tail or row numbers. It also excludes formats whose rows may have no
// bytes, as in RawBLOB: an empty chunk means the end.
var streamable = map[string]bool{
	"tabseparated": true, "tsv": true, "tabseparatedraw": true, "tsvraw": true, "raw": true, "tskv": true,
	"csv":         true,
	"jsoneachrow": true, "jsonlines": true, "ndjson": true, "jsonstringseachrow": true,
	"jsoncompacteachrow": true, "jsoncompactstringseachrow": true,
	"native": true, "rowbinary": true, "lineasstring": true, "msgpack": true, "null": true,
}

func canStream(format string) bool { return streamable[strings.ToLower(format)] }

var formatName = regexp.MustCompile(`^[A-Za-z0-9_]+$`)

// contentType is the media type that a ClickHouse server sends for a format.
func contentType(format string) string {
	f := strings.ToLower(format)
	switch {
	case f == "jsoneachrow" || f == "jsonlines" || f == "ndjson" || strings.HasSuffix(f, "eachrow") && strings.HasPrefix(f, "json"):
		return "application/x-ndjson; charset=UTF-8"
	case strings.HasPrefix(f, "json"):
		return "application/json; charset=UTF-8"
	case f == "csvwithnames" || f == "csvwithnamesandtypes":
		return "text/csv; charset=UTF-8; header=present"
	case f == "csv":
		return "text/csv; charset=UTF-8; header=absent"
	case strings.HasPrefix(f, "tabseparated") || strings.HasPrefix(f, "tsv"):
		return "text/tab-separated-values; charset=UTF-8"
	case f == "native" || strings.HasPrefix(f, "rowbinary") || f == "parquet" || strings.HasPrefix(f, "arrow") ||
		f == "orc" || f == "avro" || f == "msgpack" || f == "rawblob":
		return "application/octet-stream"
	}
	return plainText
}
