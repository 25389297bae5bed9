// SPDX-License-Identifier: Apache-2.0

package blockexporter

import (
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/config/configopaque"
	"go.opentelemetry.io/collector/config/configtls"
)

// Config is the exporter's section of the collector's configuration. It lists the few HTTP client settings that suit a
// block and does not embed confighttp.ClientConfig, for two reasons: in v0.161.0, squashed, that makes the whole section
// accept unknown keys; and most of its settings (compression, headers, cookies) would break the contract.
type Config struct {
	// Endpoint is ClickHouse's HTTP interface, http or https: short for Endpoints with one member. One of the two is
	// required.
	Endpoint string `mapstructure:"endpoint"`

	// Endpoints are several of the same ClickHouse, the preferred one first.
	Endpoints []string `mapstructure:"endpoints"`

	// ReturnAfter is how long blocks stay with another endpoint before the first is tried again. Default: 30s.
	ReturnAfter time.Duration `mapstructure:"return_after"`

	// Username of the ClickHouse user that inserts. Default: none; ClickHouse then uses its default user.
	Username string `mapstructure:"username"`

	// Password of that user. Give it as ${env:NAME}, never as text. Default: none.
	Password configopaque.String `mapstructure:"password"`

	// PasswordFile contains the password instead. It is read at start, and again when ClickHouse refuses the password.
	PasswordFile string `mapstructure:"password_file"`

	// AllowPlaintext permits sending the password to another host over http. Default: false.
	AllowPlaintext bool `mapstructure:"allow_plaintext"`

	// Database that holds the tables. Default: "default".
	Database string `mapstructure:"database"`

	// Timeout for one block, over all endpoints that it is sent to. Default: 20s, below the 30 s that a load generator
	// waits, so that a slow warehouse leads to the answer "retry" and not to a closed connection.
	Timeout time.Duration `mapstructure:"timeout"`

	// TLS of an https endpoint. Default: the system's certificates.
	TLS configtls.ClientConfig `mapstructure:"tls"`

	// RequireColumns refuses blocks that do not state their columns. Default: true.
	RequireColumns bool `mapstructure:"require_columns"`

	// DeadLetter keeps blocks that are refused for good. Default: off.
	DeadLetter DeadLetterConfig `mapstructure:"dead_letter"`
}

// DeadLetterConfig sets where refused blocks are kept.
type DeadLetterConfig struct {
	// Directory of the files, an absolute path; created when missing. Default: none, nothing is kept.
	Directory string `mapstructure:"directory"`

	// MaxBytes is the largest size of the directory. Default: 1 GiB.
	MaxBytes int64 `mapstructure:"max_bytes"`
}

var _ component.Config = (*Config)(nil)

func createDefaultConfig() component.Config {
	return &Config{
		ReturnAfter:    30 * time.Second,
		Database:       "default",
		Timeout:        20 * time.Second,
		RequireColumns: true,
		DeadLetter:     DeadLetterConfig{MaxBytes: 1 << 30},
	}
}

func (c *Config) addresses() []string {
	if c.Endpoint != "" {
		return []string{c.Endpoint}
	}
	return c.Endpoints
}
