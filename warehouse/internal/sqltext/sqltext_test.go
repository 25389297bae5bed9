// SPDX-License-Identifier: Apache-2.0

package sqltext

import (
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	f := func(text string, want Statement) {
		t.Helper()
		got := Parse(text)
		got.clause, got.end = 0, 0
		if got != want {
			t.Errorf("%s: %+v, want %+v", text, got, want)
		}
	}
	f("SELECT 1", Statement{Select: true})
	f("select 1 format json", Statement{Select: true, Format: "json"})
	f("SELECT 1 FORMAT JSON;", Statement{Select: true, Format: "JSON"})
	f("SELECT 1 FORMAT `JSON` SETTINGS max_threads = 1", Statement{Select: true, Format: "JSON"})
	f("SELECT 1 SETTINGS max_threads = 1 FORMAT CSV", Statement{Select: true, Format: "CSV"})
	f("SELECT 1 FORMAT CSV -- FORMAT JSON\n", Statement{Select: true, Format: "CSV"})
	f("SELECT 'FORMAT JSON'", Statement{Select: true})
	f(`SELECT 'it''s \' FORMAT JSON'`, Statement{Select: true})
	f("SELECT $x$ FORMAT JSON $x$", Statement{Select: true})
	f("SELECT format FROM t", Statement{Select: true})
	f("SELECT (SELECT 1 AS x FORMAT JSON)", Statement{Select: true})
	f("/* FORMAT JSON */ SELECT 1", Statement{Select: true})
	f("#!shebang\n-- c\n((SELECT 1)) UNION ALL SELECT 2", Statement{Select: true})
	f("WITH 1 AS x SELECT x", Statement{Select: true})
	f("FROM t SELECT a", Statement{Select: true})
	f("SELECT a, count() FROM t GROUP BY a WITH TOTALS", Statement{Select: true, Document: true})
	f("SELECT 1 SETTINGS extremes = 1", Statement{Select: true, Document: true})
	f("SELECT 1 SETTINGS output_format_json_array_of_rows = 1", Statement{Select: true, Document: true})
	f("kill query where 1", Statement{Kill: true})
	f("KILL MUTATION WHERE 1", Statement{})
	f("DESCRIBE TABLE t FORMAT Native", Statement{Format: "Native"})
	f("SHOW TABLES FROM db", Statement{})
	f("CREATE TABLE t (format String) ENGINE = Memory", Statement{})
	f("", Statement{})
}

func TestIntoFile(t *testing.T) {
	f := func(text, want string) {
		t.Helper()
		if got := Parse(text).IntoFile(text, "'p'", "CSV"); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
	f("SELECT 1", "SELECT 1\nINTO OUTFILE 'p' TRUNCATE FORMAT CSV")
	f("SELECT 1 ; ", "SELECT 1 \nINTO OUTFILE 'p' TRUNCATE FORMAT CSV")
	f("SELECT 1 -- end", "SELECT 1 -- end\nINTO OUTFILE 'p' TRUNCATE FORMAT CSV")
	f("SELECT 1 FORMAT JSON;", "SELECT 1 \nINTO OUTFILE 'p' TRUNCATE FORMAT JSON")
	f("SELECT 1 FORMAT JSON SETTINGS a = 1", "SELECT 1 \nINTO OUTFILE 'p' TRUNCATE FORMAT JSON SETTINGS a = 1")
}

func TestReplaceAndMentions(t *testing.T) {
	got := Replace("KILL QUERY WHERE query_id = 'query_id' AND `query_id` != user", map[string]string{"query_id": "f(x)", "user": "u"})
	if want := "KILL QUERY WHERE f(x) = 'query_id' AND f(x) != u"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	f := func(text string, call bool, want string) {
		t.Helper()
		if got := Mentions(text, call, []string{"file"}); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
	f("SELECT file('x')", true, "file")
	f("SELECT FILE /* c */ ('x')", true, "FILE")
	f("SELECT `file`('x')", true, "file")
	f("SELECT `fi\\x6ce`('x')", true, "fi\\x6ce")
	f("SELECT file FROM t", true, "")
	f("SELECT file FROM t", false, "file")
	f("SELECT 'file('", true, "")
}

func TestParseInsert(t *testing.T) {
	const none = "no insert"
	f := func(text, want string) {
		t.Helper()
		in, ok := ParseInsert(text)
		got := none
		switch {
		case in.FromFile:
			got = "file"
		case ok:
			got = strings.TrimSpace(in.Text) + " | " + in.Format + " | " + text[in.DataAt:]
		}
		if got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	f("INSERT INTO t VALUES (1)", "INSERT INTO t | Values |  (1)")
	f("insert into t (a, b) values", "insert into t (a, b) | Values | ")
	f("INSERT INTO t FORMAT TSV\n1\n", "INSERT INTO t | TSV | 1\n")
	f("INSERT INTO t FORMAT TSV \r\n\n1", "INSERT INTO t | TSV | \n1")
	f("INSERT INTO t FORMAT Native;", "INSERT INTO t | Native | ")
	f("INSERT INTO t FORMAT JSONEachRow {\"a\":1}", "INSERT INTO t | JSONEachRow | {\"a\":1}")
	f("INSERT INTO t (a) SETTINGS async_insert = 0 FORMAT CSV\n1", "INSERT INTO t (a) SETTINGS async_insert = 0 | CSV | 1")
	f("INSERT INTO db.values FORMAT CSV\n1", "INSERT INTO db.values | CSV | 1")
	f("INSERT INTO TABLE format VALUES (1)", "INSERT INTO TABLE format | Values |  (1)")
	f("INSERT INTO `values` (`format`) VALUES (1)", "INSERT INTO `values` (`format`) | Values |  (1)")
	f("INSERT INTO FUNCTION file('x', 'TSV') FORMAT TSV\n1", "INSERT INTO FUNCTION file('x', 'TSV') | TSV | 1")
	f("INSERT INTO t (values, select_) VALUES (1, 2)", "INSERT INTO t (values, select_) | Values |  (1, 2)")
	f("INSERT INTO t", "INSERT INTO t |  | ")
	f("INSERT INTO t SELECT 1", none)
	f("INSERT INTO t (a) (SELECT 1)", none)
	f("INSERT INTO t WITH 1 AS x SELECT x", none)
	f("INSERT INTO t SELECT * FROM values('a UInt8', (1)) FORMAT CSV", none)
	f("INSERT INTO t FROM INFILE 'x' FORMAT CSV", "file")
	f("SELECT 'INSERT INTO t VALUES (1)'", none)
	f("-- INSERT INTO t VALUES (1)\nSELECT 1", none)
	f("", none)
}

// FuzzParse cuts and changes texts: the lexer must end inside the text whatever it contains.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{"INSERT INTO t FORMAT TSV\n1", "SELECT 'a\\'", "SELECT $x$ $", "/*", "`", "((", "INSERT INTO t VALUES"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		Parse(text)
		if in, ok := ParseInsert(text); ok && !in.FromFile && (in.DataAt > len(text) || len(in.Text) > in.DataAt) {
			t.Errorf("%q: text of %d bytes and data at %d lie outside", text, len(in.Text), in.DataAt)
		}
	})
}
