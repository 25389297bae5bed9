// SPDX-License-Identifier: Apache-2.0

package httpapi

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"tailrace.dev/warehouse/internal/chdb"
)

// freshDatabase is the current database of a new connection.
const freshDatabase = "default"

// connection is a request's connection to the engine: its own, or its session's.
type connection struct {
	*chdb.Conn
	req      *request
	sessions *sessions
	session  *session // nil without session_id
}

// connect opens the connection, in the request's database and, within a session, with the request's settings.
func (s *Server) connect(req *request) (*connection, error) {
	c := &connection{req: req, sessions: s.sessions}
	err := c.open(s.Engine)
	if err == nil {
		err = c.prepare()
	}
	if err != nil {
		c.close()
		return nil, err
	}
	return c, nil
}

func (c *connection) open(engine *chdb.Engine) (err error) {
	if c.req.session.name != "" {
		if c.session, err = c.sessions.acquire(c.req.session); err != nil {
			return err
		}
		// A read-only user's session has nothing to remember, and its connection cannot be made writable again.
		if !c.req.user.ReadOnly {
			c.Conn = c.session.conn
			return nil
		}
	}
	if c.Conn, err = engine.Connect(); err != nil {
		return fmt.Errorf("connect to the engine: %w", err)
	}
	return nil
}

func (c *connection) prepare() error {
	if c.req.database != "" && (c.session != nil || c.req.database != freshDatabase) {
		if err := c.Exec("USE " + quote(c.req.database, '`')); err != nil {
			return err
		}
	}
	if c.session == nil {
		return nil
	}
	return c.applySettings()
}

// shared reports whether the connection is its session's, which later requests use again.
func (c *connection) shared() bool { return c.session != nil && c.Conn == c.session.conn }

// applySettings sets the request's settings on the connection. A session forgets those of the request before.
func (c *connection) applySettings() error {
	if c.shared() {
		for _, name := range c.session.overridden {
			if err := c.Exec("SET " + name + " = DEFAULT"); err != nil {
				return err
			}
		}
		c.session.overridden = nil
	}
	if err := c.Exec("SET " + c.req.assignments()); err != nil {
		return err
	}
	if c.shared() {
		for name := range c.req.settings {
			c.session.overridden = append(c.session.overridden, name)
		}
	}
	return nil
}

// lockDown makes the engine refuse writes on the connection. That cannot be undone, so a session's connection is only
// guarded by the class of its statements.
func (c *connection) lockDown() error {
	level := c.req.readonlyLevel
	if c.req.user.ReadOnly {
		level = "1"
	}
	if level == "" || c.shared() {
		return nil
	}
	return c.Exec("SET readonly = " + quote(level, '\''))
}

func (c *connection) close() {
	if c.Conn != nil && !c.shared() {
		c.Close()
	}
	if c.session != nil {
		c.sessions.release(c.req.session, c.session)
	}
}

var settingName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_.]*$`)

// assignments returns the settings for SET or SETTINGS. There is always one: the comment that marks the request.
func (q *request) assignments() string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(q.settings)) {
		all = append(all, name+" = "+quote(q.settings[name], '\''))
	}
	return strings.Join(all, ", ")
}

// quote writes a text as a ClickHouse literal or name.
func quote(text string, mark byte) string {
	escaped := strings.NewReplacer(`\`, `\\`, string(mark), `\`+string(mark)).Replace(text)
	return string(mark) + escaped + string(mark)
}
