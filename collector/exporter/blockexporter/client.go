// SPDX-License-Identifier: Apache-2.0

package blockexporter

import (
	"context"
	"net/http"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/config/confighttp"
	"go.opentelemetry.io/collector/config/configoptional"
)

// One connection per block in flight: with fewer kept idle, connections would be closed between two blocks.
const idleConnections = 64

// newClient makes the HTTP client that posts blocks to all endpoints. Its transport compresses nothing: blocks
// come compressed. It has no timeout of its own: a block's time is shared out among the endpoints.
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
	// A redirected POST may come back as a GET whose 200 says nothing about the block.
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return client, nil
}
