// SPDX-License-Identifier: Apache-2.0

package httpapi

import (
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"tailrace.dev/warehouse/internal/users"
)

type request struct {
	user          *users.User
	database      string
	defaultFormat string
	queryID       string
	settings      map[string]string // query settings, passed on to the engine unread
	comment       string            // the client's own log_comment
	params        map[string]string // values of {name:Type}
	session       sessionRequest
	revision      uint64 // Native protocol revision that the client asks for
	waitEnd       bool   // answer only when the query has ended
	compress      bool   // answer in ClickHouse's own compressed framing
	decompress    bool   // the body is in that framing
	httpCompress  bool   // answer in a Content-Encoding that the client accepts
	readonly      bool   // GET changes nothing
	readonlyLevel string // the setting readonly, where the client sets it
	// text is the beginning of the statement, from the URL; body has the rest.
	text string
	body io.Reader
}

type sessionRequest struct {
	name    string // as the client names it
	key     string // user and name: users do not share sessions
	timeout time.Duration
	check   bool // the session must exist
}

// readRequest authenticates the user and reads what it asks for, within the user's limits.
func (s *Server) readRequest(r *http.Request) (*request, error) {
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, badArguments("the URL's parameters are not readable: %v", err)
	}
	user, err := authenticate(s.Users, r, values)
	if err != nil {
		return nil, err
	}
	req, err := parseRequest(r, values)
	if err != nil {
		return nil, err
	}
	req.user, req.comment = user, req.settings["log_comment"]
	req.session.key = user.Name + " " + req.session.name
	return req, limit(user, req.settings)
}

// parseRequest reads headers, URL parameters and, where there is one, the form around the query.
func parseRequest(r *http.Request, values url.Values) (*request, error) {
	q := &request{
		settings: map[string]string{}, params: map[string]string{},
		defaultFormat: r.Header.Get("X-ClickHouse-Format"),
		database:      r.Header.Get("X-ClickHouse-Database"),
		readonly:      r.Method != http.MethodPost,
		body:          r.Body,
		session:       sessionRequest{timeout: time.Minute},
	}
	if isForm(r) {
		if err := readForm(r, values); err != nil {
			return nil, err
		}
		q.body = http.NoBody
	}
	for name, all := range values {
		if err := q.set(name, all[0]); err != nil {
			return nil, err
		}
	}
	return q, nil
}

// set reads one URL parameter. What is no parameter of the interface is a query setting.
func (q *request) set(name, value string) (err error) {
	texts := map[string]*string{
		"query": &q.text, "database": &q.database, "default_format": &q.defaultFormat, "query_id": &q.queryID,
		"session_id": &q.session.name,
	}
	flags := map[string]*bool{
		"session_check": &q.session.check, "wait_end_of_query": &q.waitEnd, "compress": &q.compress,
		"decompress": &q.decompress, "enable_http_compression": &q.httpCompress,
	}
	param, isParam := strings.CutPrefix(name, "param_")
	switch {
	case texts[name] != nil:
		*texts[name] = value
	case flags[name] != nil:
		*flags[name], err = flag(name, value)
	case isParam:
		q.params[param] = value
	case name == "readonly":
		if value != "0" && value != "1" && value != "2" {
			return badArguments("readonly must be 0, 1 or 2, not %q", value)
		}
		q.readonlyLevel = strings.TrimPrefix(value, "0")
	case name == "session_timeout":
		seconds, bad := strconv.Atoi(value)
		if bad != nil || seconds < 1 || seconds > 3600 {
			return badArguments("session_timeout must be 1 to 3600 seconds, not %q", value)
		}
		q.session.timeout = time.Duration(seconds) * time.Second
	case name == "client_protocol_version":
		if q.revision, err = strconv.ParseUint(value, 10, 32); err != nil {
			return badArguments("client_protocol_version must be a number, not %q", value)
		}
	case slices.Contains([]string{"user", "password", "quota_key", "buffer_size", "stacktrace"}, name):
	case !settingName.MatchString(name):
		return badArguments("%q is not a name of a setting", name)
	default:
		q.settings[name] = value
	}
	return err
}

func flag(name, value string) (bool, error) {
	switch strings.ToLower(value) {
	case "1", "true":
		return true, nil
	case "0", "false", "":
		return false, nil
	}
	return false, badArguments("%s must be 0 or 1, not %q", name, value)
}
