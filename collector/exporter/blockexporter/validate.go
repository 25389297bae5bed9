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

// faults collects what is wrong with a section.
type faults []error

func (f *faults) unless(ok bool, format string, args ...any) {
	if !ok {
		*f = append(*f, fmt.Errorf(format, args...))
	}
}

// Validate reports every fault of the section at once.
func (c *Config) Validate() error {
	var f faults
	c.validateEndpoints(&f)
	f.unless(c.ReturnAfter > 0, "return_after: must be above 0, is %s", c.ReturnAfter)
	f.unless(c.Timeout > 0, "timeout: must be above 0, is %s: a block would wait forever", c.Timeout)
	f.unless(c.Password == "" || c.PasswordFile == "", "password, password_file: only one of them may be set")
	f.unless(c.Username != "" || !c.hasPassword(), "username: must be set when password or password_file is")
	f.unless(!strings.ContainsFunc(c.Username, unicode.IsControl), "username: must be one line of text")
	f.unless(!strings.ContainsFunc(string(c.Password), unicode.IsControl), "password: must be one line of text")
	f.unless(c.Database != "", "database: must not be empty")
	directory := c.DeadLetter.Directory
	f.unless(directory == "" || filepath.IsAbs(directory), "dead_letter::directory: must be an absolute path, is %q", directory)
	f.unless(c.DeadLetter.MaxBytes > 0, "dead_letter::max_bytes: must be above 0, is %d", c.DeadLetter.MaxBytes)
	return errors.Join(f...)
}

func (c *Config) hasPassword() bool { return c.Password != "" || c.PasswordFile != "" }

func (c *Config) validateEndpoints(f *faults) {
	if c.Endpoint != "" && len(c.Endpoints) > 0 {
		f.unless(false, "endpoint, endpoints: only one of them may be set")
		return
	}
	if len(c.Endpoints) == 0 {
		c.validateEndpoint(f, "endpoint", c.Endpoint)
	}
	seen := map[string]bool{}
	for i, endpoint := range c.Endpoints {
		key := fmt.Sprintf("endpoints[%d]", i)
		c.validateEndpoint(f, key, endpoint)
		f.unless(!seen[withSlash(endpoint)], "%s: is listed twice", key)
		seen[withSlash(endpoint)] = true
	}
}

func (c *Config) validateEndpoint(f *faults, key, endpoint string) {
	u, err := url.Parse(endpoint)
	switch {
	case endpoint == "":
		f.unless(false, "%s: must be set to ClickHouse's HTTP interface, such as http://127.0.0.1:8123", key)
		return
	case err != nil:
		// url.Error repeats the endpoint, which may hold a password.
		f.unless(false, "%s: is not a URL", key)
		return
	}
	f.unless(u.Scheme == "http" || u.Scheme == "https", "%s: scheme must be http or https, is %q", key, u.Scheme)
	f.unless(u.Hostname() != "", "%s: has no host", key)
	f.unless(u.User == nil, "%s: must not contain credentials; use username and password", key)
	f.unless(u.RawQuery == "" && u.Fragment == "", "%s: must contain neither query nor fragment", key)
	f.unless(u.Scheme != "http" || !c.hasPassword() || isLoopback(u.Hostname()) || c.AllowPlaintext,
		"%s: would send the password unencrypted to %s; use https, or set allow_plaintext: true", key, u.Hostname())
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// withSlash is an endpoint as requests use it. ClickHouse accepts queries on the path with the slash; without it some
// proxies redirect.
func withSlash(endpoint string) string { return strings.TrimRight(endpoint, "/") + "/" }
