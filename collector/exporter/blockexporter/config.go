// SPDX-License-Identifier: Apache-2.0

package blockexporter

import (
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/config/configopaque"
	"go.opentelemetry.io/collector/config/configtls"
)

// Config is the exporter's section of the collector's configuration. It names the few settings of a collector
// HTTP client that a block may be sent with instead of taking them all in, for two reasons: v0.161.0's
// confighttp.ClientConfig, squashed, makes the whole section accept unknown keys; and most of its settings
// (compression, headers, cookies) would break the contract.
type Config struct {
	// Endpoint is ClickHouse's HTTP interface, http or https: short for Endpoints with one member. One of the
	// two is required.
	Endpoint string `mapstructure:"endpoint"`

	// Endpoints are several of the same ClickHouse, the preferred one first.
	Endpoints []string `mapstructure:"endpoints"`

	// ReturnAfter is how long blocks stay with another endpoint before the first is tried again. Default: 30s.
	ReturnAfter time.Duration `mapstructure:"return_after"`

	// Username of the ClickHouse user that inserts. Default: none, ClickHouse then takes its own default user.
	Username string `mapstructure:"username"`

	// Password of that user. Give it as ${env:NAME}, never as text. Default: none.
	Password configopaque.String `mapstructure:"password"`

	// PasswordFile holds the password instead; read at the start and again when ClickHouse refuses it.
	PasswordFile string `mapstructure:"password_file"`

	// AllowPlaintext lets the password go to another host over http. Default: false.
	AllowPlaintext bool `mapstructure:"allow_plaintext"`

	// Database that holds the tables. Default: "default".
	Database string `mapstructure:"database"`

	// Timeout for one block, over all endpoints that it is tried at. Default: 20s, below the 30 s that a load
	// generator waits, so that a slow warehouse is answered with "retry" and not with a closed connection.
	Timeout time.Duration `mapstructure:"timeout"`

	// TLS of an https endpoint. Default: the system's certificates.
	TLS configtls.ClientConfig `mapstructure:"tls"`

	// RequireColumns refuses blocks that do not say which columns they hold. Default: true.
	RequireColumns bool `mapstructure:"require_columns"`

	// DeadLetter keeps what is refused for good. Default: off.
	DeadLetter DeadLetterConfig `mapstructure:"dead_letter"`
}

// DeadLetterConfig says where refused blocks are kept.
type DeadLetterConfig struct {
	// Directory of the files, an absolute path; made when missing. Default: none, nothing is kept.
	Directory string `mapstructure:"directory"`

	// MaxBytes is the size that the directory may reach. Default: 1 GiB.
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

// addresses are the endpoints, however they were given.
func (c *Config) addresses() []string {
	if c.Endpoint != "" {
		return []string{c.Endpoint}
	}
	return c.Endpoints
}
