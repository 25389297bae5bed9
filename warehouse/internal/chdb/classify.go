// SPDX-License-Identifier: Apache-2.0

package chdb

// Class is what a statement changes beyond its own run.
type Class uint32

// The engine's classes, from harmless to most restricted.
const (
	ReadOnly       Class = iota // SELECT, SHOW, DESCRIBE, EXPLAIN, EXISTS
	Mutating                    // writes in a database
	MutatingGlobal              // writes outside the databases
	Control                     // USE, SET, SYSTEM, KILL, BACKUP, INTO OUTFILE
	Unknown                     // did not parse
)

// Analysis is what the engine's parser finds in a text without running it.
type Analysis struct {
	Statements int
	Class      Class
}

// analysis is the C struct of it; size is that of the struct, bytes.
type analysis struct{ size, statements, _, class uint32 }

// Classify parses the text with the connection's settings.
func (c *Conn) Classify(sql string) Analysis {
	s := newStatement(sql, "", nil)
	defer s.release()
	out := &analysis{size: 16}
	s.pin.Pin(out)
	if c.lib.Classify(c.h, s.sql, s.sqlLen, nil, 0, out) != 0 {
		return Analysis{Class: Unknown}
	}
	return Analysis{Statements: int(out.statements), Class: Class(out.class)}
}
