// SPDX-License-Identifier: Apache-2.0

package apptest

import (
	"encoding/base64"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"tailrace.dev/warehouse/warehousetest"
)

func TestAuthentication(t *testing.T) {
	w := warehousetest.Start(t)
	basic := func(user, password string) http.Header {
		return http.Header{"Authorization": {"Basic " + base64.StdEncoding.EncodeToString([]byte(user+":"+password))}}
	}
	own := func(user, password string) http.Header {
		return http.Header{"Authorization": nil, "X-Clickhouse-User": {user}, "X-Clickhouse-Key": {password}}
	}
	none := http.Header{"Authorization": nil}
	params := func(user, password string) url.Values { return url.Values{"user": {user}, "password": {password}} }

	f := func(name string, header http.Header, params url.Values, wantStatus int) {
		t.Helper()
		response := w.MustSend(t, warehousetest.Request{Params: params, Header: header, Body: []byte("SELECT 42")})
		if response.Status != wantStatus {
			t.Errorf("%s: status %d, want %d: %s", name, response.Status, wantStatus, response.Body)
		}
		allowed := string(response.Body) == "42\n"
		if allowed != (wantStatus == http.StatusOK) {
			t.Errorf("%s: answer %q does not fit status %d", name, response.Body, response.Status)
		}
		if !allowed && (response.Code() != "516" || !strings.HasPrefix(string(response.Body), "Code: 516. DB::Exception: ")) {
			t.Errorf("%s: code %q, text %q", name, response.Code(), response.Body)
		}
	}
	f("Basic", basic(w.User, w.Password), nil, 200)
	f("headers", own(w.User, w.Password), nil, 200)
	f("URL", none, params(w.User, w.Password), 200)
	f("nothing", none, nil, 403)
	f("Basic, wrong password", basic(w.User, "wrong"), nil, 403)
	f("Basic, wrong user", basic("default", w.Password), nil, 403)
	f("Basic, no password", basic(w.User, ""), nil, 403)
	f("headers, wrong password", own(w.User, w.Password+"x"), nil, 403)
	f("headers, user only", own(w.User, ""), nil, 403)
	f("URL, wrong password", none, params(w.User, "wrong"), 403)
	f("right in the headers, wrong in the URL", own(w.User, w.Password), params(w.User, "wrong"), 403)

	response := w.MustSend(t, warehousetest.Request{Method: http.MethodGet, Header: none, Params: nil})
	if response.Status != 403 {
		t.Errorf("GET / without a password: status %d", response.Status)
	}
	ping, err := http.Get(w.URL + "/ping")
	if err != nil {
		t.Fatal(err)
	}
	if body := readAll(t, ping.Body); ping.StatusCode != 200 || string(body) != "Ok.\n" || ping.Body.Close() != nil {
		t.Errorf("ping without a password: %d %q", ping.StatusCode, body)
	}
	root, err := http.Get(w.URL + "/")
	must(t, err)
	if body := readAll(t, root.Body); root.StatusCode != 200 || string(body) != "Ok.\n" || root.Body.Close() != nil {
		t.Errorf("GET / as a health check: %d %q", root.StatusCode, body)
	}
	if strings.Contains(w.Log(), w.Password) {
		t.Error("the password is in the log")
	}
}

func TestLogHasNoQueryText(t *testing.T) {
	w := warehousetest.Start(t)
	w.Query(t, "SELECT 'needle'")
	w.MustSend(t, warehousetest.Request{Body: []byte("SELECT needle")})
	w.Stop(t)
	if !strings.Contains(w.Log(), "code=47") || strings.Contains(w.Log(), "needle") {
		t.Errorf("the log must have the error's code and not the query:\n%s", w.Log())
	}
}
