// SPDX-License-Identifier: Apache-2.0

package chdb

import "strings"

// Conn is one connection to the engine. It runs one statement at a time: not for concurrent use.
type Conn struct {
	lib *library
	ptr *handle
	h   handle
}

// Close closes the connection and drops its temporary tables.
func (c *Conn) Close() { c.lib.CloseConn(c.ptr) }

// Query runs a statement to its end and holds the whole answer in memory.
// Parameters replace {name:Type} in the text; their values are in TSV-escaped form.
func (c *Conn) Query(sql, format string, params map[string]string) (*Result, error) {
	return c.lib.result(c.start(c.lib.Query, sql, format, params))
}

// Exec runs a statement and ignores its answer.
func (c *Conn) Exec(sql string) error {
	result, err := c.Query(sql, "Null", nil)
	if err != nil {
		return err
	}
	result.Close()
	return nil
}

// text runs a query of one value.
func (c *Conn) text(sql string) (string, error) {
	result, err := c.Query(sql, "TSVRaw", nil)
	if err != nil {
		return "", err
	}
	defer result.Close()
	return strings.TrimSuffix(string(result.Bytes()), "\n"), nil
}
