// SPDX-License-Identifier: Apache-2.0

package chdb

import "runtime"

// Insert is an open INSERT that accepts its data in pieces of any size.
type Insert struct {
	lib *library
	h   handle
}

// Insert starts an INSERT. The text has neither FORMAT clause nor data; format is the data's format.
// The connection accepts no other statement until Done or Cancel.
func (c *Conn) Insert(sql, format string, params map[string]string) (*Insert, error) {
	h := c.start(c.lib.Insert, sql, format, params)
	if text := c.lib.InsertError(h); text != "" {
		c.lib.DestroyInsert(h)
		return nil, parseError(text)
	}
	return &Insert{lib: c.lib, h: h}, nil
}

// Append passes a piece of data to the engine, which copies it. It waits while the engine is behind.
func (i *Insert) Append(data []byte) error {
	if len(data) == 0 {
		return nil
	}
	var pin runtime.Pinner
	defer pin.Unpin()
	pin.Pin(&data[0])
	if i.lib.InsertAppend(i.h, &data[0], uintptr(len(data))) == 0 {
		return nil
	}
	return i.failure()
}

// Done commits. When it returns without error the rows are in the table and in its materialized views.
func (i *Insert) Done() (Stats, error) {
	defer i.lib.DestroyInsert(i.h)
	result, err := i.lib.result(i.lib.InsertDone(i.h))
	if err != nil {
		return Stats{}, err
	}
	defer result.Close()
	return result.Stats(), nil
}

// Cancel ends the INSERT without committing what has not been written yet.
func (i *Insert) Cancel() {
	i.lib.InsertCancel(i.h)
	i.lib.DestroyInsert(i.h)
}

// failure returns the reason why an Append was refused. The engine reports some only when the stream is finished.
func (i *Insert) failure() error {
	if text := i.lib.InsertError(i.h); text != "" {
		return parseError(text)
	}
	result, err := i.lib.result(i.lib.InsertDone(i.h))
	if err != nil {
		return err
	}
	result.Close()
	return parseError("Code: 1002. DB::Exception: The engine refused the data without a reason. (UNKNOWN_EXCEPTION)")
}
