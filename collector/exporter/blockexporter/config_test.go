// SPDX-License-Identifier: Apache-2.0

package blockexporter

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/confmap/provider/envprovider"
	"go.opentelemetry.io/collector/confmap/provider/fileprovider"
)

// loadConfig reads one section of testdata/config.yaml the way the collector does, ${env:…} included.
func loadConfig(t *testing.T, name string) (*Config, error) {
	t.Helper()
	resolver, err := confmap.NewResolver(confmap.ResolverSettings{
		URIs:              []string{"file:" + filepath.Join("testdata", "config.yaml")},
		ProviderFactories: []confmap.ProviderFactory{fileprovider.NewFactory(), envprovider.NewFactory()},
	})
	require.NoError(t, err)
	all, err := resolver.Resolve(context.Background())
	require.NoError(t, err)
	section, err := all.Sub(component.NewIDWithName(componentType, name).String())
	require.NoError(t, err)
	cfg := createDefaultConfig().(*Config)
	if err := section.Unmarshal(cfg); err != nil {
		return nil, err
	}
	return cfg, confmap.Validate(cfg)
}

func TestConfigStruct(t *testing.T) {
	require.NoError(t, componenttest.CheckConfigStruct(createDefaultConfig()))
}

func TestConfigDefaults(t *testing.T) {
	t.Setenv("WAREHOUSE_PASSWORD", "unused")
	cfg, err := loadConfig(t, "")
	require.NoError(t, err)
	assert.Equal(t, "default", cfg.Database)
	assert.Empty(t, cfg.Username)
	assert.Equal(t, 20*time.Second, cfg.Timeout)
	assert.Equal(t, 30*time.Second, cfg.ReturnAfter)
	assert.True(t, cfg.RequireColumns)
	assert.Equal(t, DeadLetterConfig{MaxBytes: 1 << 30}, cfg.DeadLetter, "off")
	assert.False(t, cfg.AllowPlaintext)
	assert.False(t, cfg.TLS.InsecureSkipVerify)
}

func TestConfigAllKeys(t *testing.T) {
	t.Setenv("WAREHOUSE_PASSWORD", "s3cr$t{}")
	cfg, err := loadConfig(t, "all")
	require.NoError(t, err)
	assert.Equal(t, []string{"https://a.example:8443", "http://b.example:8123"}, cfg.addresses())
	assert.Equal(t, time.Minute, cfg.ReturnAfter)
	assert.True(t, cfg.AllowPlaintext)
	assert.False(t, cfg.RequireColumns)
	assert.Equal(t, DeadLetterConfig{Directory: "/var/lib/dead-letter", MaxBytes: 5000}, cfg.DeadLetter)
	assert.Equal(t, "/etc/ca.pem", cfg.TLS.CAFile)
	assert.Equal(t, "tailrace", cfg.Username)
	assert.Equal(t, "s3cr$t{}", string(cfg.Password))
	assert.Equal(t, "bench", cfg.Database)
	assert.Equal(t, 7*time.Second, cfg.Timeout)
	assert.True(t, cfg.TLS.InsecureSkipVerify)
	assert.NotContains(t, fmt.Sprintf("%v %+v %s", cfg.Password, *cfg, cfg.Password), "s3cr", "a password must not be printed")
}

func TestConfigUnknownKeys(t *testing.T) {
	t.Setenv("WAREHOUSE_PASSWORD", "unused")
	f := func(name, key string) {
		t.Helper()
		_, err := loadConfig(t, name)
		require.ErrorContains(t, err, "has invalid keys: "+key)
	}
	f("unknown_key", "databse")
	f("queue", "sending_queue")
	f("compression", "compression")
	f("tls_unknown_key", "insecure_skip_verif")
	f("dead_letter_unknown_key", "max_byte")
}

func TestConfigValidate(t *testing.T) {
	f := func(change func(*Config), want ...string) {
		t.Helper()
		cfg := createDefaultConfig().(*Config)
		cfg.Endpoint = "http://127.0.0.1:8123"
		change(cfg)
		err := cfg.Validate()
		if len(want) == 0 {
			require.NoError(t, err)
			return
		}
		require.Error(t, err)
		for _, line := range want {
			assert.ErrorContains(t, err, line)
		}
		assert.NotContains(t, err.Error(), "hunter2")
	}
	f(func(*Config) {})
	f(func(c *Config) { c.Endpoint = "https://ch.example/clickhouse/" })
	f(func(c *Config) { c.Endpoint = "" }, "endpoint: must be set")
	f(func(c *Config) { c.Endpoint = "127.0.0.1:8123" }, "endpoint: is not a URL")
	f(func(c *Config) { c.Endpoint = "tcp://127.0.0.1:9000" }, `endpoint: scheme must be http or https, is "tcp"`)
	f(func(c *Config) { c.Endpoint = "http://" }, "endpoint: has no host")
	f(func(c *Config) { c.Endpoint = "http://u:hunter2@ch:8123" }, "endpoint: must not contain credentials")
	f(func(c *Config) { c.Endpoint = "http://u:hunter2@ch:port" }, "endpoint: is not a URL")
	f(func(c *Config) { c.Endpoint = "http://ch:8123/?async_insert=1" }, "endpoint: must contain neither query")
	f(func(c *Config) { c.Timeout = 0 }, "timeout: must be above 0, is 0s")
	f(func(c *Config) { c.Password = "hunter2" }, "username: must be set when password or password_file is")
	f(func(c *Config) { c.Endpoint, c.Endpoints = "", []string{"http://a:8123", "https://b:8443/x"} })
	f(func(c *Config) { c.Endpoints = []string{"http://a:8123"} }, "endpoint, endpoints: only one of them may be set")
	f(func(c *Config) { c.Endpoint, c.Endpoints = "", []string{"http://a", "tcp://u:hunter2@b", ""} },
		`endpoints[1]: scheme must be http or https, is "tcp"`, "endpoints[1]: must not contain credentials", "endpoints[2]: must be set")
	f(func(c *Config) { c.Endpoint, c.Endpoints = "", []string{"http://a", "http://a/"} }, "endpoints[1]: is listed twice")
	f(func(c *Config) { c.ReturnAfter = 0 }, "return_after: must be above 0, is 0s")
	f(func(c *Config) { c.Username, c.Password, c.PasswordFile = "u", "hunter2", "/f" }, "password, password_file: only one of them may be set")
	f(func(c *Config) { c.PasswordFile = "/f" }, "username: must be set when password or password_file is")
	f(func(c *Config) { c.Username = "u\r\nX-Other: 1" }, "username: must be one line of text")
	f(func(c *Config) { c.Username, c.Password = "u", "hunter2\n" }, "password: must be one line of text")
	f(func(c *Config) { c.DeadLetter.Directory = "dead-letter" }, `dead_letter::directory: must be an absolute path, is "dead-letter"`)
	f(func(c *Config) { c.DeadLetter.MaxBytes = -1 }, "dead_letter::max_bytes: must be above 0, is -1")
	f(func(c *Config) { c.Database = "" }, "database: must not be empty")
	f(func(c *Config) {
		c.Endpoint = ""
		c.Timeout = -time.Second
		c.Database = ""
	}, "endpoint: must be set", "timeout: must be above 0, is -1s", "database: must not be empty")
}

func TestConfigRefusesPlaintextPasswords(t *testing.T) {
	f := func(endpoint string, allow, wantError bool) {
		t.Helper()
		cfg := createDefaultConfig().(*Config)
		cfg.Endpoint, cfg.AllowPlaintext = endpoint, allow
		require.NoError(t, cfg.Validate(), "without a password")
		cfg.Username, cfg.Password = "u", "hunter2"
		withPassword := cfg.Validate()
		cfg.Password, cfg.PasswordFile = "", "/run/secrets/password"
		withFile := cfg.Validate()
		if !wantError {
			require.NoError(t, withPassword)
			require.NoError(t, withFile)
			return
		}
		require.ErrorContains(t, withPassword, "would send the password unencrypted to ")
		require.ErrorContains(t, withFile, "set allow_plaintext: true")
	}
	f("http://127.0.0.1:8123", false, false)
	f("http://127.8.9.10:8123", false, false)
	f("http://[::1]:8123", false, false)
	f("http://localhost:8123", false, false)
	f("https://clickhouse.example:8443", false, false)
	f("http://clickhouse.example:8123", false, true)
	f("http://192.168.0.7:8123", false, true)
	f("http://localhost.example:8123", false, true)
	f("http://0.0.0.0:8123", false, true)
	f("http://clickhouse.example:8123", true, false)
}
