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

// kept says what became of a dead letter, as the metrics name it.
type kept string

const (
	keptYes     kept = "kept"
	keptFull    kept = "full"
	keptFailed  kept = "failed"
	keptOff     kept = "off"
	keptUnnamed kept = "unnamed"
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

// open makes the directory, removes what a killed process left half written, and counts what is there.
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

// keep writes a block and its letter. The error says why neither is there.
func (d *deadLetters) keep(b *block, l letter) (result kept, path string, err error) {
	switch {
	case d.Directory == "":
		return keptOff, "", nil
	case !b.complete:
		return keptUnnamed, "", nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	path, err = d.write(b, l)
	return keptOf(err), path, err
}

func keptOf(err error) kept {
	switch {
	case err == nil:
		return keptYes
	case errors.Is(err, errFull), errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return keptFull
	}
	return keptFailed
}

func (d *deadLetters) write(b *block, l letter) (path string, err error) {
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
	// The letter comes last: where it is, its block is whole.
	if err := writeFile(filepath.Join(d.Directory, name+".json"), text); err != nil {
		return "", errors.Join(err, os.Remove(path))
	}
	d.used += size
	if err := syncDirectory(d.Directory); err != nil {
		return "", err
	}
	return path, nil
}

// freeName is the block's own name, or that with a number where another block, of a run with the same name, has
// it. A block that is refused again takes its old place.
func (d *deadLetters) freeName(b *block) (string, error) {
	name := fmt.Sprintf("%s.%d.%s.%d", b.runID, b.worker, b.stream, b.seq)
	if strings.HasPrefix(name, ".") || strings.HasPrefix(name, "-") {
		// Neither hidden nor taken for an option. No run id has a percent sign.
		name = fmt.Sprintf("%%%X%s", name[0], name[1:])
	}
	for i := range mostSameNames {
		candidate := name
		if i > 0 {
			candidate = fmt.Sprintf("%s~%d", name, i+1)
		}
		there, err := os.ReadFile(filepath.Join(d.Directory, candidate+".native.zst")) //nolint:gosec // made of checked attributes
		if errors.Is(err, fs.ErrNotExist) || err == nil && bytes.Equal(there, b.body) {
			return candidate, nil
		}
		if err != nil {
			return "", err
		}
	}
	return "", fmt.Errorf("%d other dead letters are named %s", mostSameNames, name)
}

// makeRoom fails when the directory would grow too large; it looks again now and then, since people clear it.
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
