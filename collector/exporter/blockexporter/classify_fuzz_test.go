// SPDX-License-Identifier: Apache-2.0

package blockexporter

import (
	"net/http"
	"strings"
	"testing"
)

// FuzzClassify checks that only ClickHouse's empty 200 means committed, that only a known code makes a refusal, and that
// the description of an answer is one printable line.
func FuzzClassify(f *testing.F) {
	f.Add(200, "", []byte(nil))
	f.Add(200, "0", []byte(nil))
	f.Add(200, "", []byte("<html>ok</html>"))
	f.Add(200, "", []byte("__exception__\r\nCode: 395. DB::Exception"))
	f.Add(500, "117", []byte("Code: 117. DB::Exception: text\nstack"))
	f.Add(404, "", []byte("Code: 60. DB::Exception: no table"))
	f.Add(302, "-1", []byte("Code: 99999999999999999999. "))
	f.Add(503, "49", []byte("Code: 49. (While executing Native)\x00\r\xff"))
	f.Fuzz(func(t *testing.T, status int, code string, body []byte) {
		header := http.Header{}
		if code != "" {
			header.Set(headerExceptionCode, code)
		}
		verdict := classify(status, header, body)
		if silent := status == http.StatusOK && code == "" && len(body) == 0; (verdict == nil) != silent {
			t.Fatalf("status %d, code %q, body %q: %v", status, code, body, verdict)
		}
		if verdict == nil {
			return
		}
		if verdict.outcome == permanent && verdictOn(verdict.code, string(body)) != permanent || verdict.outcome == committed {
			t.Fatalf("status %d, code %q, body %q: refused for good by %d", status, code, body, verdict.code)
		}
		if strings.Contains(verdict.Error(), "\n") {
			t.Fatalf("not one line: %q", verdict.Error())
		}
	})
}
