// SPDX-License-Identifier: Apache-2.0

package blockexporter

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"unicode"

	"go.opentelemetry.io/collector/config/configopaque"
)

// secret is ClickHouse's password, fixed or from a file that may be rotated.
type secret struct {
	file string

	mu    sync.Mutex
	value configopaque.String
}

func openSecret(cfg *Config) (*secret, error) {
	s := &secret{file: cfg.PasswordFile, value: cfg.Password}
	if s.file == "" {
		return s, nil
	}
	_, err := s.reread("")
	return s, err
}

func (s *secret) current() configopaque.String {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.value
}

// reread reads the password from its file again, and reports whether it differs from the refused one.
func (s *secret) reread(refused configopaque.String) (rotated bool, err error) {
	if s.file == "" {
		return false, nil
	}
	text, err := os.ReadFile(s.file)
	if err != nil {
		return false, fmt.Errorf("password_file: %w", err)
	}
	value := strings.TrimRight(string(text), "\r\n")
	switch {
	case value == "":
		return false, errors.New("password_file: is empty")
	case strings.ContainsFunc(value, unicode.IsControl):
		return false, errors.New("password_file: must contain one line of text")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.value = configopaque.String(value)
	return s.value != refused, nil
}
