// SPDX-License-Identifier: Apache-2.0

package blockexporter

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"path/filepath"
	"strings"
	"unicode"
)

// Validate reports every fault of the section at once.
func (c *Config) Validate() error {
	errs := c.validateEndpoints()
	if c.ReturnAfter <= 0 {
		errs = append(errs, fmt.Errorf("return_after: must be above 0, is %s", c.ReturnAfter))
	}
	if c.Timeout <= 0 {
		errs = append(errs, fmt.Errorf("timeout: must be above 0, is %s: a block would wait forever", c.Timeout))
	}
	errs = append(errs, c.validateCredentials()...)
	if c.Database == "" {
		errs = append(errs, errors.New("database: must not be empty"))
	}
	if d := c.DeadLetter.Directory; d != "" && !filepath.IsAbs(d) {
		errs = append(errs, fmt.Errorf("dead_letter::directory: must be an absolute path, is %q", d))
	}
	if c.DeadLetter.MaxBytes <= 0 {
		errs = append(errs, fmt.Errorf("dead_letter::max_bytes: must be above 0, is %d", c.DeadLetter.MaxBytes))
	}
	return errors.Join(errs...)
}

func (c *Config) validateCredentials() (errs []error) {
	if c.Password != "" && c.PasswordFile != "" {
		errs = append(errs, errors.New("password, password_file: only one of them may be set"))
	}
	if c.Username == "" && c.hasPassword() {
		errs = append(errs, errors.New("username: must be set when password or password_file is"))
	}
	if strings.ContainsFunc(c.Username, unicode.IsControl) {
		errs = append(errs, errors.New("username: must be one line of text"))
	}
	if strings.ContainsFunc(string(c.Password), unicode.IsControl) {
		errs = append(errs, errors.New("password: must be one line of text"))
	}
	return errs
}

func (c *Config) hasPassword() bool { return c.Password != "" || c.PasswordFile != "" }

func (c *Config) validateEndpoints() (errs []error) {
	if c.Endpoint != "" && len(c.Endpoints) > 0 {
		return []error{errors.New("endpoint, endpoints: only one of them may be set")}
	}
	if len(c.Endpoints) == 0 {
		return c.validateEndpoint("endpoint", c.Endpoint)
	}
	seen := map[string]bool{}
	for i, endpoint := range c.Endpoints {
		key := fmt.Sprintf("endpoints[%d]", i)
		errs = append(errs, c.validateEndpoint(key, endpoint)...)
		if seen[withSlash(endpoint)] {
			errs = append(errs, fmt.Errorf("%s: is listed twice", key))
		}
		seen[withSlash(endpoint)] = true
	}
	return errs
}

func (c *Config) validateEndpoint(key, endpoint string) []error {
	if endpoint == "" {
		return []error{fmt.Errorf("%s: must be set to ClickHouse's HTTP interface, such as http://127.0.0.1:8123", key)}
	}
	u, err := url.Parse(endpoint)
	if err != nil {
		// url.Error repeats the endpoint, which may hold a password.
		return []error{fmt.Errorf("%s: is not a URL", key)}
	}
	var errs []error
	if u.Scheme != "http" && u.Scheme != "https" {
		errs = append(errs, fmt.Errorf("%s: scheme must be http or https, is %q", key, u.Scheme))
	}
	if u.Hostname() == "" {
		errs = append(errs, fmt.Errorf("%s: has no host", key))
	}
	if u.User != nil {
		errs = append(errs, fmt.Errorf("%s: must not contain credentials; use username and password", key))
	}
	if u.RawQuery != "" || u.Fragment != "" {
		errs = append(errs, fmt.Errorf("%s: must contain neither query nor fragment", key))
	}
	if u.Scheme == "http" && c.hasPassword() && !isLoopback(u.Hostname()) && !c.AllowPlaintext {
		errs = append(errs, fmt.Errorf("%s: would send the password unencrypted to %s; use https, or set allow_plaintext: true",
			key, u.Hostname()))
	}
	return errs
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// withSlash is an endpoint as requests use it. ClickHouse accepts queries on the path with the slash; without it some
// proxies redirect.
func withSlash(endpoint string) string { return strings.TrimRight(endpoint, "/") + "/" }
