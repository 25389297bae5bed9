// SPDX-License-Identifier: Apache-2.0

package httpapi

import (
	"net/http"
	"net/url"

	"tailrace.dev/warehouse/internal/users"
)

// authenticate finds the user by name and password. Clients send them in ClickHouse's own headers, as HTTP Basic or as
// URL parameters; sending them in two places is refused, as on a server.
func authenticate(known users.List, r *http.Request, params url.Values) (*users.User, error) {
	name, password := r.Header.Get("X-ClickHouse-User"), r.Header.Get("X-ClickHouse-Key")
	inHeaders := name != "" || password != ""
	inParams := params.Has("user") || params.Has("password")
	basicName, basicPassword, inBasic := r.BasicAuth()

	switch {
	case inHeaders && inBasic, inHeaders && inParams, inBasic && inParams:
		return nil, failure(516, "AUTHENTICATION_FAILED", "Invalid authentication: give user and password in one place only")
	case inBasic:
		name, password = basicName, basicPassword
	case !inHeaders:
		name, password = params.Get("user"), params.Get("password")
	}
	user := known.Find(name, password)
	if user == nil {
		return nil, failure(516, "AUTHENTICATION_FAILED", "Authentication failed: password is incorrect, or there is no user with such name")
	}
	return user, nil
}
