// SPDX-License-Identifier: Apache-2.0

// Package deduplog mends the engine's deduplication logs after a crash.
//
// A MergeTree table notes a block's id in its log first and gives the block's part its final name after. A
// process killed between the two leaves the note without the part, and the engine would then take the block,
// when its sender sends it again, for one it has. Repair takes such notes back before the engine starts.
package deduplog

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// The engine's records are lines of operation, part name and block id.
const (
	added   = "1"
	dropped = "2"
)

// Repair mends the logs of every table below a data directory that no engine has open, and gives the number
// of notes taken back. A log in a form it does not know is an error, and left as it is.
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
	var notes []note
	for _, file := range files {
		if notes, err = read(file, notes); err != nil {
			return 0, err
		}
	}
	parts, err := partsOf(filepath.Dir(logDir))
	if err != nil {
		return 0, err
	}
	var back bytes.Buffer
	n := 0
	for _, note := range standing(notes) {
		if !parts.hold(note.part) {
			fmt.Fprintf(&back, "%s\t%s\t%s\n", dropped, note.part, note.block)
			n++
		}
	}
	if n == 0 {
		return 0, nil
	}
	return n, appendTo(files[len(files)-1], back.Bytes())
}

// note is one record.
type note struct{ operation, part, block string }

// read adds a file's records to those of the files before it. A last line without its end, which a power
// loss can leave, is cut off: the engine would write the next record behind it.
func read(path string, notes []note) ([]note, error) {
	text, err := os.ReadFile(path) //nolint:gosec // found by listing the data directory
	if err != nil {
		return nil, err
	}
	whole := bytes.LastIndexByte(text, '\n') + 1
	for line := range strings.Lines(string(text[:whole])) {
		fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(fields) != 3 || fields[0] != added && fields[0] != dropped {
			return nil, fmt.Errorf("%s: %q is no record", filepath.Base(path), line)
		}
		notes = append(notes, note{fields[0], fields[1], fields[2]})
	}
	if whole < len(text) {
		return notes, os.Truncate(path, int64(whole))
	}
	return notes, nil
}

// standing gives the notes that no later record has taken back.
func standing(notes []note) []note {
	last := make(map[string]int, len(notes))
	for i, n := range notes {
		last[n.block] = i
	}
	var out []note
	for i, n := range notes {
		if n.operation == added && last[n.block] == i {
			out = append(out, n)
		}
	}
	return out
}

func appendTo(path string, records []byte) (err error) {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0) //nolint:gosec // found by listing the data directory
	if err != nil {
		return err
	}
	defer func() {
		if closeErr := file.Close(); err == nil {
			err = closeErr
		}
	}()
	if _, err = file.Write(records); err != nil {
		return err
	}
	return file.Sync()
}
