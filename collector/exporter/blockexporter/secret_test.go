// SPDX-License-Identifier: Apache-2.0

package blockexporter

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"
)

func writePassword(t *testing.T, path, text string) {
	t.Helper()
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
}

// startLocked is a ClickHouse that accepts only one password.
func startLocked(t *testing.T, password *string) *recorder {
	t.Helper()
	return startRecorder(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-ClickHouse-Key") != *password {
			refuse(http.StatusForbidden, "516", "Code: 516. DB::Exception: Authentication failed")(w, r)
		}
	})
}

func TestPasswordFileIsReadAgainWhenThePasswordIsRotated(t *testing.T) {
	password := "first"
	clickhouse := startLocked(t, &password)
	cfg := configFor(clickhouse.URL)
	cfg.Password, cfg.PasswordFile = "", filepath.Join(t.TempDir(), "password")
	writePassword(t, cfg.PasswordFile, "first\n")
	set := componenttest.NewNopTelemetrySettings()
	core, lines := observer.New(zapcore.DebugLevel)
	set.Logger = zap.New(core)
	exp := startExporter(t, cfg, set)
	require.NoError(t, exp.ConsumeLogs(context.Background(), newLogs(1)))

	password = "second"
	err := exp.ConsumeLogs(context.Background(), newLogs(1))
	require.ErrorContains(t, err, "code 516")
	assert.False(t, consumererror.IsPermanent(err), "the file may be a moment late")
	assert.Len(t, clickhouse.received(), 2, "the same password is not tried twice")

	writePassword(t, cfg.PasswordFile, "second\r\n")
	require.NoError(t, exp.ConsumeLogs(context.Background(), newLogs(1)))
	assert.Equal(t, clickhouse.received()[3].body, clickhouse.received()[2].body)
	assert.Equal(t, clickhouse.received()[3].URL.RawQuery, clickhouse.received()[2].URL.RawQuery)

	password = "third"
	require.NoError(t, os.Remove(cfg.PasswordFile))
	err = exp.ConsumeLogs(context.Background(), newLogs(1))
	require.ErrorContains(t, err, "password_file: open ")
	assert.False(t, consumererror.IsPermanent(err))
	for _, line := range lines.All() {
		assert.NotRegexp(t, "first|second|third", line.Message, "a password in the log")
		for _, field := range line.ContextMap() {
			assert.NotRegexp(t, "first\\b|second\\b|third\\b", field, "a password in the log")
		}
	}
	assert.NotEmpty(t, lines.All())
}

func TestPasswordFileMustContainAPassword(t *testing.T) {
	f := func(text, want string) {
		t.Helper()
		path := filepath.Join(t.TempDir(), "password")
		writePassword(t, path, text)
		_, err := openSecret(&Config{PasswordFile: path})
		require.EqualError(t, err, want)
	}
	f("", "password_file: is empty")
	f("\n", "password_file: is empty")
	f("a\nb\n", "password_file: must contain one line of text")
	_, err := openSecret(&Config{PasswordFile: filepath.Join(t.TempDir(), "none")})
	require.ErrorContains(t, err, "password_file: open ")
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestUnauthenticated(t *testing.T) {
	f := func(want bool, status int, header http.Header) {
		t.Helper()
		assert.Equal(t, want, (&answer{status: status, header: header}).unauthenticated())
	}
	for _, code := range []string{"192", "193", "194", "516"} {
		f(true, 200, thrown(code))
	}
	f(true, 401, http.Header{})
	f(true, 403, http.Header{})
	f(false, 403, thrown("497"))
	f(false, 200, http.Header{})
	f(false, 500, thrown("241"))
}
