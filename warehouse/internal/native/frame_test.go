// SPDX-License-Identifier: Apache-2.0

package native

import (
	"bytes"
	"strings"
	"testing"
)

// column writes one column of a revision-0 block.
func column(name, kind, data string) string {
	return string(rune(len(name))) + name + string(rune(len(kind))) + kind + data
}

const info = "\x01\x00\x02\xff\xff\xff\xff\x00"

func TestFrame(t *testing.T) {
	const head, low = "\x02\x02", "\x01\x00\x00\x00\x00\x00\x00\x00"
	tail := column("z", "UInt8", "\x05\x06")
	framedTail := "\x01z\x05UInt8\x00\x05\x06"
	f := func(kind, prefixAndData string) {
		t.Helper()
		got, err := Frame([]byte(head + column("a", kind, prefixAndData) + tail))
		want := info + head + "\x01a" + string(rune(len(kind))) + kind + "\x00" + prefixAndData + framedTail
		if err != nil || string(got) != want {
			t.Errorf("%s: %v\ngot  %q\nwant %q", kind, err, got, want)
		}
	}
	f("UInt16", "\x01\x00\x02\x00")
	f("Nullable(UInt8)", "\x00\x01\x07\x00")
	f("FixedString(3)", "abcdef")
	f("Decimal(18, 2)", strings.Repeat("d", 16))
	f("Decimal(76, 2)", strings.Repeat("d", 64))
	f("DateTime64(6, 'UTC, or (not')", strings.Repeat("d", 16))
	f("Enum8('a,(' = 1, 'b\\'' = 2)", "\x01\x02")
	f("IntervalSecond", strings.Repeat("i", 16))
	f("Array(UInt8)", "\x01\x00\x00\x00\x00\x00\x00\x00\x03\x00\x00\x00\x00\x00\x00\x00abc")
	f("Map(String, UInt8)", "\x01\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x01k\x07")
	f("Tuple(`a b` UInt8, c String)", "\x01\x02\x01x\x01y")
	f("Tuple(UInt8, Array(String))", "\x01\x02"+strings.Repeat("\x00", 16))
	f("LowCardinality(String)", low+"\x00\x06\x00\x00\x00\x00\x00\x00"+"\x02\x00\x00\x00\x00\x00\x00\x00\x00\x01k"+"\x02\x00\x00\x00\x00\x00\x00\x00\x01\x00")
	f("Array(LowCardinality(String))", low+strings.Repeat("\x00", 16))
	f("SimpleAggregateFunction(sum, UInt64)", strings.Repeat("s", 16))
	f("Point", strings.Repeat("p", 32))
	f("Ring", "\x00\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00"+strings.Repeat("p", 16))
}

func TestFrameOfManyBlocksAndNone(t *testing.T) {
	block := "\x01\x01" + column("a", "UInt8", "\x07")
	framed := info + "\x01\x01\x01a\x05UInt8\x00\x07"
	empty := "\x01\x00" + column("a", "String", "")
	framedEmpty := info + "\x01\x00\x01a\x06String\x00"
	got, err := Frame([]byte(block + empty + block))
	if want := framed + framedEmpty + framed; err != nil || string(got) != want {
		t.Errorf("%v\ngot  %q\nwant %q", err, got, want)
	}
	if got, err := Frame(nil); err != nil || len(got) != 0 {
		t.Errorf("nothing became %q, %v", got, err)
	}
}

func TestFrameRefuses(t *testing.T) {
	f := func(block, want string) {
		t.Helper()
		if got, err := Frame([]byte(block)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q became %q, %v; want an error with %q", block, got, err, want)
		}
	}
	f("\x01\x01"+column("a", "AggregateFunction(sum, UInt8)", "x"), "AggregateFunction")
	f("\x01\x01"+column("a", "JSON", "x"), "type JSON")
	f("\x01\x02"+column("a", "UInt64", "short"), "11 bytes early")
	f("\x01", "middle of a number")
	f("\xd8", "middle of a number")
}

func FuzzFrame(f *testing.F) {
	f.Add([]byte("\x01\x01" + column("a", "Array(Tuple(UInt8, String))", "x")))
	f.Add([]byte("\x01\x01" + column("a", "SimpleAggregateFunction()", "x")))
	f.Fuzz(func(t *testing.T, block []byte) {
		framed, err := Frame(block)
		if err == nil && len(block) > 0 && !bytes.HasPrefix(framed, blockInfo) {
			t.Errorf("%q became %q", block, framed)
		}
	})
}
