// SPDX-License-Identifier: Apache-2.0

package blockexporter

import (
	"context"
	"net/http"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/config/confighttp"
	"go.opentelemetry.io/collector/config/configoptional"
)

// One connection per block in flight: with fewer idle ones, connections would be closed between two blocks.
const idleConnections = 64

// newClient creates the HTTP client that posts blocks to all endpoints. Its transport compresses nothing, because blocks
// are compressed already. It has no timeout: each block divides its own time among the endpoints.
func newClient(ctx context.Context, cfg *Config, host component.Host, set component.TelemetrySettings) (*http.Client, error) {
	settings := confighttp.NewDefaultClientConfig()
	settings.Endpoint = cfg.addresses()[0]
	settings.Timeout = 0
	settings.TLS = cfg.TLS
	keepalive := confighttp.NewDefaultKeepaliveClientConfig()
	keepalive.MaxIdleConns = idleConnections * len(cfg.addresses())
	keepalive.MaxIdleConnsPerHost = idleConnections
	settings.Keepalive = configoptional.Some(keepalive)

	client, err := settings.ToClient(ctx, host.GetExtensions(), set)
	if err != nil {
		return nil, err
	}
	// A redirected POST may become a GET, whose 200 does not mean that the block is committed.
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return client, nil
}
