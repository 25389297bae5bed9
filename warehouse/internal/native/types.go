// SPDX-License-Identifier: Apache-2.0

package native

import (
	"fmt"
	"strconv"
	"strings"
)

// widths are the types of fixed width, bytes per row.
var widths = map[string]uint64{
	"UInt8": 1, "Int8": 1, "Bool": 1, "Enum8": 1, "Nothing": 1,
	"UInt16": 2, "Int16": 2, "Date": 2, "Enum16": 2, "BFloat16": 2,
	"UInt32": 4, "Int32": 4, "Float32": 4, "Date32": 4, "DateTime": 4, "IPv4": 4, "Time": 4,
	"UInt64": 8, "Int64": 8, "Float64": 8, "DateTime64": 8, "Time64": 8,
	"UInt128": 16, "Int128": 16, "UUID": 16, "IPv6": 16,
	"UInt256": 32, "Int256": 32,
}

// geo are the aliases that a block names instead of their types.
var geo = map[string]string{
	"Point":           "Tuple(Float64, Float64)",
	"Ring":            "Array(Point)",
	"LineString":      "Array(Point)",
	"MultiLineString": "Array(LineString)",
	"Polygon":         "Array(Ring)",
	"MultiPolygon":    "Array(Polygon)",
}

// column skips a column: first the prefixes of LowCardinality, then the data.
func (r *reader) column(typeName string, rows uint64) {
	r.prefix(typeName)
	r.values(typeName, rows)
}

// prefix skips the 8-byte version of every LowCardinality inside the type.
func (r *reader) prefix(typeName string) {
	name, args := split(typeName)
	switch name {
	case "LowCardinality":
		r.skip(8)
	case "SimpleAggregateFunction":
		if len(args) > 0 {
			r.prefix(args[len(args)-1])
		}
	case "Array", "Nullable", "Map", "Tuple", "Nested":
		for _, arg := range args {
			r.prefix(elementType(name, arg))
		}
	}
}

func (r *reader) values(typeName string, rows uint64) {
	if r.err != nil {
		return
	}
	name, args := split(typeName)
	if width, ok := widths[name]; ok {
		r.skip(width * rows)
		return
	}
	if alias, ok := geo[name]; ok {
		r.values(alias, rows)
		return
	}
	switch {
	case name == "String":
		r.strings(rows)
	case name == "FixedString" && len(args) == 1:
		width, _ := strconv.ParseUint(args[0], 10, 32)
		r.skip(width * rows)
	case name == "Decimal" && len(args) == 2:
		r.skip(decimalWidth(args[0]) * rows)
	case strings.HasPrefix(name, "Interval"):
		r.skip(8 * rows)
	case name == "Nullable" && len(args) == 1:
		r.skip(rows)
		r.values(args[0], rows)
	case name == "SimpleAggregateFunction" && len(args) > 1:
		r.values(args[len(args)-1], rows)
	case name == "LowCardinality" && len(args) == 1:
		r.lowCardinality(args[0], rows)
	case name == "Tuple":
		for _, arg := range args {
			r.values(elementType(name, arg), rows)
		}
	case name == "Array" && len(args) == 1, name == "Map" && len(args) == 2, name == "Nested":
		r.repeated(name, args, rows)
	default:
		r.err = fmt.Errorf("columns of type %s cannot be sent in the protocol revision that the client asks for", typeName)
	}
}

// repeated skips the end offsets of all rows, then the elements of all rows.
func (r *reader) repeated(name string, args []string, rows uint64) {
	if rows == 0 {
		return
	}
	r.skip(8 * (rows - 1))
	elements := r.uint64()
	for _, arg := range args {
		r.values(elementType(name, arg), elements)
	}
}

// lowCardinality skips the flags with the index width, the keys and the indexes. Without rows there are none.
func (r *reader) lowCardinality(key string, rows uint64) {
	if rows == 0 {
		return
	}
	width := uint64(1) << (r.uint64() & 0xff)
	if inner, ok := strings.CutPrefix(key, "Nullable("); ok {
		key = strings.TrimSuffix(inner, ")")
	}
	r.values(key, r.uint64())
	r.skip(width * r.uint64())
}

func decimalWidth(precision string) uint64 {
	switch digits, _ := strconv.Atoi(precision); {
	case digits <= 9:
		return 4
	case digits <= 18:
		return 8
	case digits <= 38:
		return 16
	}
	return 32
}

// elementType removes the element's name, which tuples and Nested may have.
func elementType(container, arg string) string {
	if container != "Tuple" && container != "Nested" {
		return arg
	}
	if strings.HasPrefix(arg, "`") {
		if end := strings.LastIndex(arg, "` "); end > 0 {
			return strings.TrimSpace(arg[end+2:])
		}
		return arg
	}
	space := strings.IndexByte(arg, ' ')
	if bracket := strings.IndexByte(arg, '('); space > 0 && (bracket < 0 || space < bracket) {
		return strings.TrimSpace(arg[space+1:])
	}
	return arg
}

// split splits "Map(String, Array(UInt8))" into "Map" and its two arguments.
func split(typeName string) (name string, args []string) {
	open := strings.IndexByte(typeName, '(')
	if open < 0 || !strings.HasSuffix(typeName, ")") {
		return typeName, nil
	}
	name, inner := typeName[:open], typeName[open+1:len(typeName)-1]
	depth, start, quoted := 0, 0, false
	for i := 0; i < len(inner); i++ {
		switch c := inner[i]; {
		case c == '\\' && quoted:
			i++
		case c == '\'':
			quoted = !quoted
		case quoted:
		case c == '(':
			depth++
		case c == ')':
			depth--
		case c == ',' && depth == 0:
			args = append(args, strings.TrimSpace(inner[start:i]))
			start = i + 1
		}
	}
	return name, append(args, strings.TrimSpace(inner[start:]))
}
