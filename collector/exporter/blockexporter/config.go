// SPDX-License-Identifier: Apache-2.0

package blockexporter

import (
	"errors"
	"fmt"
	"net/url"
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
	// Endpoint is ClickHouse's HTTP interface, http or https. Required.
	Endpoint string `mapstructure:"endpoint"`

	// Username of the ClickHouse user that inserts. Default: none, ClickHouse then takes its own default user.
	Username string `mapstructure:"username"`

	// Password of that user. Give it as ${env:NAME}, never as text. Default: none.
	Password configopaque.String `mapstructure:"password"`

	// Database that holds the tables. Default: "default".
	Database string `mapstructure:"database"`

	// Timeout for one block, from connecting to the end of the answer. Default: 20s, below the 60 s that a
	// load generator waits, so that a slow warehouse is answered with "retry" and not with a closed connection.
	Timeout time.Duration `mapstructure:"timeout"`

	// TLS of an https endpoint. Default: the system's certificates.
	TLS configtls.ClientConfig `mapstructure:"tls"`
}

var _ component.Config = (*Config)(nil)

func createDefaultConfig() component.Config {
	return &Config{Database: "default", Timeout: 20 * time.Second}
}

// Validate reports every fault of the section at once.
func (c *Config) Validate() error {
	errs := validateEndpoint(c.Endpoint)
	if c.Timeout <= 0 {
		errs = append(errs, fmt.Errorf("timeout: must be above 0, is %s: a block would wait for ever", c.Timeout))
	}
	if c.Username == "" && c.Password != "" {
		errs = append(errs, errors.New("username: must be set when password is"))
	}
	if c.Database == "" {
		errs = append(errs, errors.New("database: must not be empty"))
	}
	return errors.Join(errs...)
}

func validateEndpoint(endpoint string) []error {
	if endpoint == "" {
		return []error{errors.New("endpoint: must be set to ClickHouse's HTTP interface, such as http://127.0.0.1:8123")}
	}
	u, err := url.Parse(endpoint)
	if err != nil {
		// url.Error repeats the endpoint, which may hold a password.
		return []error{errors.New("endpoint: is not a URL")}
	}
	var errs []error
	if u.Scheme != "http" && u.Scheme != "https" {
		errs = append(errs, fmt.Errorf("endpoint: scheme must be http or https, is %q", u.Scheme))
	}
	if u.Hostname() == "" {
		errs = append(errs, errors.New("endpoint: names no host"))
	}
	if u.User != nil {
		errs = append(errs, errors.New("endpoint: must not hold credentials; use username and password"))
	}
	if u.RawQuery != "" || u.Fragment != "" {
		errs = append(errs, errors.New("endpoint: must hold neither query nor fragment"))
	}
	return errs
}
