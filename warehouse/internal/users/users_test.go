// SPDX-License-Identifier: Apache-2.0

package users

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestLoad(t *testing.T) {
	path := filepath.Join(t.TempDir(), "users.yaml")
	text := "users:\n" +
		"  writer: {password: w}\n" +
		"  reader:\n    password_sha256_hex: 454349e422f05297191ead13e21d3db520e5abef52055e4964b82fb213f593a1\n" +
		"    read_only: true\n    max_memory: 500MiB\n    max_execution_time: 1.5\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	list, err := Load(path)
	if err != nil || len(list) != 2 {
		t.Fatalf("%v %v", list, err)
	}
	reader := list.Find("reader", "r")
	if reader == nil || !reader.ReadOnly || reader.MaxMemory != 500<<20 || reader.MaxTime != 1500*time.Millisecond {
		t.Errorf("reader: %+v", reader)
	}
	if got := reader.Limits()["max_execution_time"]; got != "1.5" {
		t.Errorf("time limit %q", got)
	}
	if writer := list.Find("writer", "w"); writer == nil || writer.ReadOnly || len(writer.Limits()) != 0 {
		t.Errorf("writer: %+v", writer)
	}
	for _, wrong := range [][2]string{{"reader", "w"}, {"writer", ""}, {"", ""}, {"nobody", "w"}} {
		if list.Find(wrong[0], wrong[1]) != nil {
			t.Errorf("%v was let in", wrong)
		}
	}
	if err := os.Chmod(path, 0o640); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(path); err == nil || !strings.Contains(err.Error(), "chmod 600") {
		t.Errorf("a file that others can read: %v", err)
	}
}

func TestBadFiles(t *testing.T) {
	f := func(text, want string) {
		t.Helper()
		_, err := parse([]byte(text))
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v, want one line with %q", text, err, want)
		}
	}
	f("", "no users")
	f("users: {}", "no users")
	f("users:\n  a:\n    pasword: x\n", "line 3: field pasword not found")
	f("users: {a: {read_only: true}}", "users.a.password")
	f("users: {a: {password: x, password_sha256_hex: y}}", "users.a.password")
	f("users: {a: {password_sha256_hex: xyz}}", "64 hexadecimal digits")
	f("users: {a: {password: x, max_memory: lots}}", "users.a.max_memory")
	f("users: {a: {password: x, max_execution_time: -1}}", "users.a.max_execution_time")
	f("users: {'a b': {password: x}}", "letters, digits")
	f("users: [", "line")
}
