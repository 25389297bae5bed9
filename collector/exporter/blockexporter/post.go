// SPDX-License-Identifier: Apache-2.0

package blockexporter

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/config/confighttp"
	"go.opentelemetry.io/collector/config/configopaque"
	"go.opentelemetry.io/collector/config/configoptional"
)

// An answer is empty, a list of columns or an error message; the exporter reads no more of it than this.
const maxAnswerBytes = 256 << 10

type answer struct {
	status int
	header http.Header
	body   []byte
}

func (e *blockExporter) post(ctx context.Context, address string, b *block) *deliveryError {
	got, failure := e.ask(func(password configopaque.String) (*http.Request, error) {
		return e.cfg.newInsertRequest(ctx, address, password, b)
	})
	if failure != nil {
		return failure
	}
	return classify(got.status, got.header, got.body)
}

// ask sends a request, and repeats it once when the password was refused and its file has a new one.
func (e *blockExporter) ask(build func(configopaque.String) (*http.Request, error)) (*answer, *deliveryError) {
	password := e.secret.current()
	got, failure := e.send(build, password)
	if failure != nil || !got.unauthenticated() {
		return got, failure
	}
	rotated, err := e.secret.reread(password)
	if err != nil {
		return nil, &deliveryError{
			outcome: retryable, code: exceptionCode(got.header, got.body),
			err: fmt.Errorf("HTTP %d: %s; %w", got.status, firstLine(string(got.body)), err),
		}
	}
	if !rotated {
		return got, nil
	}
	return e.send(build, e.secret.current())
}

func (e *blockExporter) send(build func(configopaque.String) (*http.Request, error), password configopaque.String) (*answer, *deliveryError) {
	request, err := build(password)
	if err != nil {
		return nil, &deliveryError{outcome: retryable, err: err}
	}
	begin := time.Now()
	response, err := e.client.Do(request)
	if err != nil {
		return nil, &deliveryError{outcome: retryable, err: fmt.Errorf("post to %s: %w", placeOf(request), cause(err, time.Since(begin)))}
	}
	defer response.Body.Close() //nolint:errcheck // it has been read
	body, err := io.ReadAll(io.LimitReader(response.Body, maxAnswerBytes))
	if err != nil {
		return nil, &deliveryError{outcome: retryable, err: fmt.Errorf("read answer of %s: %w", placeOf(request), err)}
	}
	return &answer{response.StatusCode, response.Header, body}, nil
}

// placeOf is a request's URL without its query, the whole INSERT, which would hide the error.
func placeOf(request *http.Request) string {
	return request.URL.Scheme + "://" + request.URL.Host + request.URL.Path
}

// cause removes the URL that url.Error repeats.
func cause(err error, took time.Duration) error {
	urlErr, ok := errors.AsType[*url.Error](err)
	switch {
	case !ok:
		return err
	case urlErr.Timeout():
		return fmt.Errorf("no answer after %s: %w", took.Round(time.Millisecond), urlErr.Err)
	}
	return urlErr.Err
}

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
