// SPDX-License-Identifier: Apache-2.0

package blockexporter

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"
)

// keepResult is what became of a dead letter, as the metrics name it.
type keepResult string

const (
	keptYes     keepResult = "kept"
	keptFull    keepResult = "full"
	keptFailed  keepResult = "failed"
	keptOff     keepResult = "off"
	keptUnnamed keepResult = "unnamed"
)

const (
	partialPrefix   = ".partial-"
	mostSameNames   = 9
	recountInterval = time.Second
)

var errFull = errors.New("the dead letters have reached dead_letter::max_bytes")

// deadLetters keeps refused blocks as files: `<run>.<worker>.<stream>.<seq>.native.zst` and `.json` beside it.
type deadLetters struct {
	DeadLetterConfig
	now func() time.Time

	mu        sync.Mutex
	used      int64
	countedAt time.Time
}

func newDeadLetters(cfg DeadLetterConfig) *deadLetters {
	return &deadLetters{DeadLetterConfig: cfg, now: time.Now}
}

// open creates the directory, removes files that a killed process left half written, and measures the rest.
func (d *deadLetters) open() error {
	if d.Directory == "" {
		return nil
	}
	if err := os.MkdirAll(d.Directory, 0o700); err != nil {
		return err
	}
	left, err := filepath.Glob(filepath.Join(d.Directory, partialPrefix+"*"))
	if err != nil {
		return err
	}
	for _, path := range left {
		if err := os.Remove(path); err != nil {
			return err
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.count()
}

// keep writes a block and its description. After an error neither file exists.
func (d *deadLetters) keep(b *block, l deadLetter) (result keepResult, path string, err error) {
	switch {
	case d.Directory == "":
		return keptOff, "", nil
	case !b.complete:
		return keptUnnamed, "", nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	path, err = d.write(b, l)
	return keepResultOf(err), path, err
}

func keepResultOf(err error) keepResult {
	switch {
	case err == nil:
		return keptYes
	case errors.Is(err, errFull), errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return keptFull
	}
	return keptFailed
}

func (d *deadLetters) write(b *block, l deadLetter) (path string, err error) {
	if err := os.MkdirAll(d.Directory, 0o700); err != nil {
		return "", err
	}
	name, err := d.freeName(b)
	if err != nil {
		return "", err
	}
	l.File = name + ".native.zst"
	text, err := l.text()
	if err != nil {
		return "", err
	}
	size := int64(len(b.body) + len(text))
	if err := d.makeRoom(size); err != nil {
		return "", err
	}
	path = filepath.Join(d.Directory, l.File)
	if err := writeFile(path, b.body); err != nil {
		return "", err
	}
	// The description comes last: if it exists, its block is complete.
	if err := writeFile(filepath.Join(d.Directory, name+".json"), text); err != nil {
		return "", errors.Join(err, os.Remove(path))
	}
	d.used += size
	if err := syncDirectory(d.Directory); err != nil {
		return "", err
	}
	return path, nil
}

// freeName is the block's name, with a number added when another block of a run with the same name has it already. A
// block that is refused again replaces its own files.
func (d *deadLetters) freeName(b *block) (string, error) {
	name := fmt.Sprintf("%s.%d.%s.%d", b.runID, b.worker, b.stream, b.seq)
	if strings.HasPrefix(name, ".") || strings.HasPrefix(name, "-") {
		// The file is neither hidden nor mistaken for an option. No run id contains a percent sign.
		name = fmt.Sprintf("%%%X%s", name[0], name[1:])
	}
	for i := range mostSameNames {
		candidate := name
		if i > 0 {
			candidate = fmt.Sprintf("%s~%d", name, i+1)
		}
		there, err := os.ReadFile(filepath.Join(d.Directory, candidate+".native.zst")) //nolint:gosec // consists of checked attributes
		if errors.Is(err, fs.ErrNotExist) || err == nil && bytes.Equal(there, b.body) {
			return candidate, nil
		}
		if err != nil {
			return "", err
		}
	}
	return "", fmt.Errorf("%d other dead letters have the name %s", mostSameNames, name)
}

// makeRoom fails when the directory would grow too large. It measures again once a second, since people clear it.
func (d *deadLetters) makeRoom(size int64) error {
	if d.used+size > d.MaxBytes && d.now().Sub(d.countedAt) >= recountInterval {
		if err := d.count(); err != nil {
			return err
		}
	}
	if d.used+size > d.MaxBytes {
		return fmt.Errorf("%w: %d of %d bytes are used, the block needs %d", errFull, d.used, d.MaxBytes, size)
	}
	return nil
}

func (d *deadLetters) count() error {
	entries, err := os.ReadDir(d.Directory)
	if err != nil {
		return err
	}
	d.used, d.countedAt = 0, d.now()
	for _, entry := range entries {
		if info, err := entry.Info(); err == nil && info.Mode().IsRegular() {
			d.used += info.Size()
		}
	}
	return nil
}
