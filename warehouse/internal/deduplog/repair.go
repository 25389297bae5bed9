// SPDX-License-Identifier: Apache-2.0

// Package deduplog repairs the engine's deduplication logs after a crash.
//
// A MergeTree table first records a block's id in its log, and then gives the block's data part its final name. A process
// killed between the two leaves the record without the data part. When the sender sends the block again, the engine would
// drop it as a duplicate. Repair takes such records back before the engine starts.
package deduplog

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// The engine's log consists of lines of operation, part name and block id.
const (
	added   = "1"
	dropped = "2"
)

// Repair repairs the logs of all tables in a data directory that no engine has open, and returns the number of records
// taken back. A log in an unknown form is an error and stays unchanged.
func Repair(dataDir string) (int, error) {
	logs, err := filepath.Glob(filepath.Join(dataDir, "store", "*", "*", "deduplication_logs"))
	if err != nil {
		return 0, fmt.Errorf("list deduplication logs: %w", err)
	}
	total := 0
	for _, dir := range logs {
		n, err := repairTable(dir)
		if err != nil {
			return total, fmt.Errorf("deduplication log %s: %w", dir, err)
		}
		total += n
	}
	return total, nil
}

func repairTable(logDir string) (int, error) {
	files, err := logFiles(logDir)
	if err != nil || len(files) == 0 {
		return 0, err
	}
	var records []record
	for _, file := range files {
		if records, err = read(file, records); err != nil {
			return 0, err
		}
	}
	parts, err := partsOf(filepath.Dir(logDir))
	if err != nil {
		return 0, err
	}
	var drops bytes.Buffer
	n := 0
	for _, r := range effective(records) {
		if !parts.contain(r.part) {
			fmt.Fprintf(&drops, "%s\t%s\t%s\n", dropped, r.part, r.block)
			n++
		}
	}
	if n == 0 {
		return 0, nil
	}
	return n, appendTo(files[len(files)-1], drops.Bytes())
}

type record struct{ operation, part, block string }

// read adds a file's records to those of the files before it. It cuts off a last line without its end, which a power loss
// can leave: the engine would write the next record behind it.
func read(path string, records []record) ([]record, error) {
	text, err := os.ReadFile(path) //nolint:gosec // found by listing the data directory
	if err != nil {
		return nil, err
	}
	whole := bytes.LastIndexByte(text, '\n') + 1
	for line := range strings.Lines(string(text[:whole])) {
		fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(fields) != 3 || fields[0] != added && fields[0] != dropped {
			return nil, fmt.Errorf("%s: %q is not a record", filepath.Base(path), line)
		}
		records = append(records, record{fields[0], fields[1], fields[2]})
	}
	if whole < len(text) {
		return records, os.Truncate(path, int64(whole))
	}
	return records, nil
}

// effective returns the records that no later record has taken back.
func effective(records []record) []record {
	last := make(map[string]int, len(records))
	for i, r := range records {
		last[r.block] = i
	}
	var out []record
	for i, r := range records {
		if r.operation == added && last[r.block] == i {
			out = append(out, r)
		}
	}
	return out
}

func appendTo(path string, lines []byte) (err error) {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0) //nolint:gosec // found by listing the data directory
	if err != nil {
		return err
	}
	defer func() {
		if closeErr := file.Close(); err == nil {
			err = closeErr
		}
	}()
	if _, err = file.Write(lines); err != nil {
		return err
	}
	return file.Sync()
}
