// SPDX-License-Identifier: Apache-2.0

package httpapi

import (
	"bytes"
	"io"
	"mime"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// request is what a client asks for, apart from the statement's own text.
type request struct {
	database      string
	defaultFormat string
	queryID       string
	settings      map[string]string // query settings, passed on to the engine unseen
	params        map[string]string // values of {name:Type}
	session       sessionRequest
	revision      uint64 // Native protocol revision that the client wants
	waitEnd       bool   // answer only when the query has ended
	compress      bool   // answer in ClickHouse's own compressed framing
	decompress    bool   // the body is in that framing
	httpCompress  bool   // answer in a Content-Encoding that the client accepts
	readonly      bool   // GET changes nothing
	readonlyLevel string // the setting readonly, where the client wants it
	closeSession  bool   // the session ends with this request
	// text is the statement's part from the URL, body the rest of it.
	text string
	body io.Reader
}

type sessionRequest struct {
	name    string // as the client has it
	id      string // user and name: users do not share sessions
	timeout time.Duration
	check   bool // the session must exist
}

var settingName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_.]*$`)

// parseRequest reads URL parameters, headers and, where there is one, the form around the query.
func parseRequest(r *http.Request, values url.Values) (*request, error) {
	q := &request{
		settings: map[string]string{}, params: map[string]string{},
		defaultFormat: r.Header.Get("X-ClickHouse-Format"),
		database:      r.Header.Get("X-ClickHouse-Database"),
		readonly:      r.Method != http.MethodPost,
		body:          r.Body,
		session:       sessionRequest{timeout: time.Minute},
	}
	if err := q.readForm(r, values); err != nil {
		return nil, err
	}
	for name, all := range values {
		if err := q.set(name, all[0]); err != nil {
			return nil, err
		}
	}
	return q, nil
}

// set takes one URL parameter. What is no parameter of the interface is a query setting.
func (q *request) set(name, value string) (err error) {
	switch name {
	case "query":
		q.text = value
	case "database":
		q.database = value
	case "default_format":
		q.defaultFormat = value
	case "query_id":
		q.queryID = value
	case "user", "password", "quota_key", "buffer_size", "stacktrace":
	case "close_session":
		q.closeSession, err = flag(name, value)
	case "readonly":
		if value != "0" && value != "1" && value != "2" {
			return badArguments("readonly must be 0, 1 or 2, not %q", value)
		}
		q.readonlyLevel = strings.TrimPrefix(value, "0")
	case "session_id":
		q.session.name = value
	case "session_check":
		q.session.check, err = flag(name, value)
	case "session_timeout":
		seconds, bad := strconv.Atoi(value)
		if bad != nil || seconds < 1 || seconds > 3600 {
			return badArguments("session_timeout must be 1 to 3600 seconds, not %q", value)
		}
		q.session.timeout = time.Duration(seconds) * time.Second
	case "client_protocol_version":
		if q.revision, err = strconv.ParseUint(value, 10, 32); err != nil {
			return badArguments("client_protocol_version must be a number, not %q", value)
		}
	case "wait_end_of_query":
		q.waitEnd, err = flag(name, value)
	case "compress":
		q.compress, err = flag(name, value)
	case "decompress":
		q.decompress, err = flag(name, value)
	case "enable_http_compression":
		q.httpCompress, err = flag(name, value)
	default:
		if param, ok := strings.CutPrefix(name, "param_"); ok {
			q.params[param] = value
			return nil
		}
		if !settingName.MatchString(name) {
			return badArguments("%q is not a name of a setting", name)
		}
		q.settings[name] = value
	}
	return err
}

// readForm takes query and parameters that come as form fields. Fields that carry files would be
// external tables, which the embedded engine has no way to take.
func (q *request) readForm(r *http.Request, values url.Values) error {
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if kind != "multipart/form-data" {
		return nil
	}
	form, err := r.MultipartReader()
	if err != nil {
		return badArguments("the form is not readable: %v", err)
	}
	for {
		part, err := form.NextPart()
		if err == io.EOF {
			q.body = http.NoBody
			return nil
		}
		if err != nil {
			return badArguments("the form is not readable: %v", err)
		}
		if part.FileName() != "" {
			return notImplemented("External tables are not supported by the embedded warehouse. Use a temporary table in a session.")
		}
		value := &bytes.Buffer{}
		if _, err := io.Copy(value, io.LimitReader(part, maxStatement+1)); err != nil {
			return badArguments("the form is not readable: %v", err)
		}
		if value.Len() > maxStatement {
			return tooLong()
		}
		values.Set(part.FormName(), value.String())
	}
}

// setStatement gives the settings as one SET statement. There is always one: the comment that marks the request.
func (q *request) setStatement() string { return "SET " + q.assignments() }

// settingsClause gives the settings as the clause of a statement.
func (q *request) settingsClause() string { return "SETTINGS " + q.assignments() }

func (q *request) assignments() string {
	names := make([]string, 0, len(q.settings))
	for name := range q.settings {
		names = append(names, name)
	}
	slices.Sort(names)
	parts := make([]string, len(names))
	for i, name := range names {
		parts[i] = name + " = " + quote(q.settings[name], '\'')
	}
	return strings.Join(parts, ", ")
}

// quote writes a text as a ClickHouse literal or name.
func quote(text string, mark byte) string {
	escaped := strings.NewReplacer(`\`, `\\`, string(mark), `\`+string(mark)).Replace(text)
	return string(mark) + escaped + string(mark)
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
