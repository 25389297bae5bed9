// SPDX-License-Identifier: Apache-2.0

package httpapi

import (
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"net/url"
)

// credentials are one user and password. Only their hashes are kept.
type credentials struct{ user, password [sha256.Size]byte }

func newCredentials(user, password string) credentials {
	return credentials{user: sha256.Sum256([]byte(user)), password: sha256.Sum256([]byte(password))}
}

// equal takes the same time whatever the two differ in, length included.
func (c credentials) equal(other credentials) bool {
	return subtle.ConstantTimeCompare(c.user[:], other.user[:])&
		subtle.ConstantTimeCompare(c.password[:], other.password[:]) == 1
}

// authenticate reads user and password from where ClickHouse clients put them: its own headers,
// HTTP Basic, or URL parameters. Naming them in two places is refused, as a server does.
func (c credentials) authenticate(r *http.Request, params url.Values) error {
	user, password := r.Header.Get("X-ClickHouse-User"), r.Header.Get("X-ClickHouse-Key")
	inHeaders := user != "" || password != ""
	inParams := params.Has("user") || params.Has("password")
	basicUser, basicPassword, inBasic := r.BasicAuth()

	switch {
	case inHeaders && inBasic, inHeaders && inParams, inBasic && inParams:
		return authenticationFailed("Invalid authentication: give user and password in one place only")
	case inBasic:
		user, password = basicUser, basicPassword
	case !inHeaders:
		user, password = params.Get("user"), params.Get("password")
	}
	if !c.equal(newCredentials(user, password)) {
		return authenticationFailed("Authentication failed: password is incorrect, or there is no user with such name")
	}
	return nil
}

func authenticationFailed(message string) error {
	return failure(codeAuthentication, "AUTHENTICATION_FAILED", "%s", message)
}
