// SPDX-License-Identifier: Apache-2.0

package users

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"time"

	"go.yaml.in/yaml/v3"

	"tailrace.dev/warehouse/internal/bytesize"
)

type account struct {
	Password       string  `yaml:"password"`
	PasswordSHA256 string  `yaml:"password_sha256_hex"`
	ReadOnly       bool    `yaml:"read_only"`
	MaxMemory      string  `yaml:"max_memory"`
	MaxTime        float64 `yaml:"max_execution_time"` // seconds
}

// Query comments contain names between brackets and blanks, so names contain neither.
var validName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_.-]*$`)

// Load reads a users file. Only its owner may be able to read it, because it contains passwords.
func Load(path string) (List, error) {
	file, err := os.Open(path) //nolint:gosec // the operator chooses it
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if open := info.Mode().Perm() & 0o077; open != 0 {
		return nil, fmt.Errorf("%s has mode %04o and contains passwords. Run: chmod 600 %s", path, info.Mode().Perm(), path)
	}
	text, err := io.ReadAll(file)
	if err != nil {
		return nil, err
	}
	list, err := parse(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return list, nil
}

func parse(text []byte) (List, error) {
	var file struct {
		Users map[string]account `yaml:"users"`
	}
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)
	if err := decoder.Decode(&file); err != nil && !errors.Is(err, io.EOF) {
		return nil, oneLine(err)
	}
	if len(file.Users) == 0 {
		return nil, errors.New("it contains no users. See warehouse/README.md for an example")
	}
	var list List
	for name, account := range file.Users {
		user, err := account.user(name)
		if err != nil {
			return nil, fmt.Errorf("users.%s.%w", name, err)
		}
		list = append(list, user)
	}
	slices.SortFunc(list, func(a, b User) int { return bytes.Compare([]byte(a.Name), []byte(b.Name)) })
	return list, nil
}

// oneLine returns the first of the decoder's errors, which are one per line.
func oneLine(err error) error {
	if all, ok := errors.AsType[*yaml.TypeError](err); ok && len(all.Errors) > 0 {
		return errors.New(all.Errors[0])
	}
	return err
}

func (a account) user(name string) (User, error) {
	if !validName.MatchString(name) {
		return User{}, errors.New("name: use letters, digits, _, . and -")
	}
	u := New(name, a.Password)
	u.ReadOnly = a.ReadOnly
	switch {
	case (a.Password == "") == (a.PasswordSHA256 == ""):
		return User{}, errors.New("password: give either password or password_sha256_hex")
	case a.PasswordSHA256 != "":
		hash, err := hex.DecodeString(a.PasswordSHA256)
		if err != nil || len(hash) != sha256.Size {
			return User{}, errors.New("password_sha256_hex: give 64 hexadecimal digits, as of: printf %s PASSWORD | sha256sum")
		}
		copy(u.password[:], hash)
	}
	if a.MaxMemory != "" {
		var err error
		if u.MaxMemory, err = bytesize.Parse(a.MaxMemory); err != nil {
			return User{}, fmt.Errorf("max_memory: %w", err)
		}
	}
	if a.MaxTime < 0 || a.MaxTime > 1e9 {
		return User{}, fmt.Errorf("max_execution_time: %v is not a number of seconds", a.MaxTime)
	}
	u.MaxTime = time.Duration(a.MaxTime * float64(time.Second))
	return u, nil
}
