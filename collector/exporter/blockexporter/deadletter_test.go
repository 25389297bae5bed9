// SPDX-License-Identifier: Apache-2.0

package blockexporter

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func deadBlock(run string, body string) *block {
	return &block{runID: run, worker: 2, stream: "publishes", seq: 7, rows: 3, body: []byte(body), complete: true}
}

func openDeadLetters(t *testing.T, maxBytes int64) *deadLetters {
	t.Helper()
	d := newDeadLetters(DeadLetterConfig{Directory: filepath.Join(t.TempDir(), "new", "dead-letter"), MaxBytes: maxBytes})
	require.NoError(t, d.open())
	return d
}

func filesIn(t *testing.T, directory string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(directory)
	require.NoError(t, err)
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return names
}

func TestDeadLetterIsTwoPrivateFiles(t *testing.T) {
	d := openDeadLetters(t, 1<<20)
	result, path, err := d.keep(deadBlock("run-1", "bytes"), deadLetter{Reason: reasonRefused, Message: "why", URL: "http://h/?a=1&b=2"})
	require.NoError(t, err)
	assert.Equal(t, keptYes, result)
	assert.Equal(t, filepath.Join(d.Directory, "run-1.2.publishes.7.native.zst"), path)
	assert.Equal(t, []string{"run-1.2.publishes.7.json", "run-1.2.publishes.7.native.zst"}, filesIn(t, d.Directory))
	for _, name := range filesIn(t, d.Directory) {
		info, err := os.Stat(filepath.Join(d.Directory, name))
		require.NoError(t, err)
		assert.Equal(t, os.FileMode(0o600), info.Mode(), name)
	}
	info, err := os.Stat(d.Directory)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o700), info.Mode().Perm())

	data, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, "bytes", string(data))
	text, err := os.ReadFile(filepath.Join(d.Directory, "run-1.2.publishes.7.json"))
	require.NoError(t, err)
	var l map[string]any
	require.NoError(t, json.Unmarshal(text, &l))
	assert.Equal(t, "run-1.2.publishes.7.native.zst", l["file"])
	assert.Contains(t, string(text), "  \"url\": \"http://h/?a=1&b=2\"\n", "a shell reads it from its line")
}

func TestDeadLetterNamesStayInTheDirectory(t *testing.T) {
	f := func(run, want string) {
		t.Helper()
		d := openDeadLetters(t, 1<<20)
		_, path, err := d.keep(deadBlock(run, "bytes"), deadLetter{})
		require.NoError(t, err)
		assert.Equal(t, filepath.Join(d.Directory, want), path)
		assert.Len(t, filesIn(t, d.Directory), 2)
	}
	f("..", "%2E..2.publishes.7.native.zst")
	f(".hidden", "%2Ehidden.2.publishes.7.native.zst")
	f("-rf", "%2Drf.2.publishes.7.native.zst")
	f("a.b-c_D", "a.b-c_D.2.publishes.7.native.zst")
}

func TestDeadLetterDoesNotReplaceAnotherBlock(t *testing.T) {
	d := openDeadLetters(t, 1<<20)
	f := func(body, want string) {
		t.Helper()
		_, path, err := d.keep(deadBlock("r", body), deadLetter{})
		require.NoError(t, err)
		assert.Equal(t, want, filepath.Base(path))
	}
	f("one", "r.2.publishes.7.native.zst")
	f("one", "r.2.publishes.7.native.zst")
	f("two", "r.2.publishes.7~2.native.zst")
	f("three", "r.2.publishes.7~3.native.zst")
	f("two", "r.2.publishes.7~2.native.zst")
	assert.Len(t, filesIn(t, d.Directory), 6)
}

func TestDeadLettersFull(t *testing.T) {
	d := openDeadLetters(t, 1000)
	clock := time.Now()
	d.now = func() time.Time { return clock }
	body := string(make([]byte, 600))
	result, _, err := d.keep(deadBlock("a", body), deadLetter{})
	require.NoError(t, err)
	assert.Equal(t, keptYes, result)

	result, path, err := d.keep(deadBlock("b", body), deadLetter{})
	assert.Equal(t, keptFull, result)
	assert.Empty(t, path)
	require.ErrorContains(t, err, "have reached dead_letter::max_bytes: ")
	assert.Len(t, filesIn(t, d.Directory), 2)

	again := newDeadLetters(d.DeadLetterConfig)
	require.NoError(t, again.open())
	result, _, _ = again.keep(deadBlock("b", body), deadLetter{})
	assert.Equal(t, keptFull, result, "a restart counts what is there")

	for _, name := range filesIn(t, d.Directory) {
		require.NoError(t, os.Remove(filepath.Join(d.Directory, name)))
	}
	clock = clock.Add(time.Second)
	result, _, err = d.keep(deadBlock("b", body), deadLetter{})
	require.NoError(t, err, "there is room again")
	assert.Equal(t, keptYes, result)
}

func TestDeadLettersOnAFullDisk(t *testing.T) {
	for _, err := range []error{syscall.ENOSPC, syscall.EDQUOT} {
		assert.Equal(t, keptFull, keepResultOf(fmt.Errorf("keep: %w", &os.PathError{Op: "write", Path: "/d/f", Err: err})))
	}
	assert.Equal(t, keptFailed, keepResultOf(&os.PathError{Op: "write", Path: "/d/f", Err: syscall.EIO}))
}

func TestDeadLettersUnwritable(t *testing.T) {
	d := openDeadLetters(t, 1<<20)
	require.NoError(t, os.RemoveAll(d.Directory))
	result, _, err := d.keep(deadBlock("a", "bytes"), deadLetter{})
	require.NoError(t, err, "a directory that went missing is made again")
	assert.Equal(t, keptYes, result)

	require.NoError(t, os.RemoveAll(d.Directory))
	require.NoError(t, os.WriteFile(d.Directory, nil, 0o600))
	result, path, err := d.keep(deadBlock("a", "bytes"), deadLetter{})
	assert.Equal(t, keptFailed, result)
	assert.Empty(t, path)
	require.ErrorContains(t, err, "not a directory")
	require.ErrorContains(t, d.open(), "not a directory")
}

func TestDeadLettersWithoutNameOrDirectory(t *testing.T) {
	d := openDeadLetters(t, 1<<20)
	b := deadBlock("", "bytes")
	b.complete = false
	result, _, err := d.keep(b, deadLetter{})
	require.NoError(t, err)
	assert.Equal(t, keptUnnamed, result)
	assert.Empty(t, filesIn(t, d.Directory))

	off := newDeadLetters(DeadLetterConfig{})
	require.NoError(t, off.open())
	result, _, err = off.keep(deadBlock("a", "bytes"), deadLetter{})
	require.NoError(t, err)
	assert.Equal(t, keptOff, result)
}

func TestDeadLettersRemoveFilesOfAKilledProcess(t *testing.T) {
	d := openDeadLetters(t, 1<<20)
	left := filepath.Join(d.Directory, partialPrefix+"123")
	require.NoError(t, os.WriteFile(left, []byte("half"), 0o600))
	require.NoError(t, d.open())
	assert.NoFileExists(t, left)
	assert.Zero(t, d.used)
}
