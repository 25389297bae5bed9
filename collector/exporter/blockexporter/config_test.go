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
}

func TestConfigAllKeys(t *testing.T) {
	t.Setenv("WAREHOUSE_PASSWORD", "s3cr$t{}")
	cfg, err := loadConfig(t, "all")
	require.NoError(t, err)
	assert.Equal(t, "https://clickhouse.example:8443", cfg.Endpoint)
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
	f(func(c *Config) { c.Endpoint = "http://" }, "endpoint: names no host")
	f(func(c *Config) { c.Endpoint = "http://u:hunter2@ch:8123" }, "endpoint: must not hold credentials")
	f(func(c *Config) { c.Endpoint = "http://u:hunter2@ch:port" }, "endpoint: is not a URL")
	f(func(c *Config) { c.Endpoint = "http://ch:8123/?async_insert=1" }, "endpoint: must hold neither query")
	f(func(c *Config) { c.Timeout = 0 }, "timeout: must be above 0, is 0s")
	f(func(c *Config) { c.Password = "hunter2" }, "username: must be set when password is")
	f(func(c *Config) { c.Database = "" }, "database: must not be empty")
	f(func(c *Config) {
		c.Endpoint = ""
		c.Timeout = -time.Second
		c.Database = ""
	}, "endpoint: must be set", "timeout: must be above 0, is -1s", "database: must not be empty")
}
