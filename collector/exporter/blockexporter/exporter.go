// SPDX-License-Identifier: Apache-2.0

package blockexporter

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/pdata/plog"
)

// An answer is empty or an error message; more of it than this is of no use.
const maxAnswerBytes = 64 << 10

type blockExporter struct {
	cfg       *Config
	set       component.TelemetrySettings
	endpoint  string
	client    *http.Client
	telemetry *telemetry
	failures  *failureLog
}

func newBlockExporter(cfg *Config, set component.TelemetrySettings) (*blockExporter, error) {
	t, err := newTelemetry(set)
	if err != nil {
		return nil, fmt.Errorf("create self-metrics: %w", err)
	}
	return &blockExporter{
		cfg: cfg,
		set: set,
		// ClickHouse takes queries on the path with the slash; without it some proxies redirect.
		endpoint:  strings.TrimRight(cfg.Endpoint, "/") + "/",
		telemetry: t,
		failures:  newFailureLog(set.Logger),
	}, nil
}

func (e *blockExporter) start(ctx context.Context, host component.Host) error {
	client, err := newClient(ctx, e.cfg, host, e.set)
	if err != nil {
		return fmt.Errorf("make HTTP client: %w", err)
	}
	e.client = client
	return nil
}

func (e *blockExporter) shutdown(context.Context) error {
	if e.client != nil {
		e.client.CloseIdleConnections()
	}
	return nil
}

// export returns nil when every block of the request is committed. It checks all records before it posts the
// first, so that a malformed one stores nothing, and stops at the first failure: the sender repeats or gives
// up the request as a whole, and what was committed before is deduplicated.
func (e *blockExporter) export(ctx context.Context, logs plog.Logs) error {
	blocks, err := e.parse(ctx, logs)
	if err != nil {
		return consumererror.NewPermanent(err)
	}
	for _, b := range blocks {
		if err := e.deliver(ctx, b); err != nil {
			if err.outcome == permanent {
				return consumererror.NewPermanent(err)
			}
			return err
		}
	}
	return nil
}

func (e *blockExporter) parse(ctx context.Context, logs plog.Logs) ([]*block, error) {
	blocks := make([]*block, 0, logs.LogRecordCount())
	var errs []error
	for _, resource := range logs.ResourceLogs().All() {
		for _, scope := range resource.ScopeLogs().All() {
			for _, record := range scope.LogRecords().All() {
				b, err := parseBlock(record)
				if err != nil {
					failure := (&deliveryError{outcome: permanent, err: oneLine(err)}).named(b)
					e.telemetry.count(ctx, b, permanent)
					e.failures.log(b, failure)
					errs = append(errs, failure)
				}
				blocks = append(blocks, b)
			}
		}
	}
	if len(errs) > 0 {
		return nil, &deliveryError{outcome: permanent, err: oneLine(errors.Join(errs...))}
	}
	return blocks, nil
}

// deliver posts one block, and counts and logs what became of it.
func (e *blockExporter) deliver(ctx context.Context, b *block) *deliveryError {
	begin := time.Now()
	failure := e.post(ctx, b)
	result := committed
	if failure != nil {
		result = failure.outcome
		failure = failure.named(b)
		e.failures.log(b, failure)
	}
	e.telemetry.timed(ctx, b, result, time.Since(begin))
	e.telemetry.count(ctx, b, result)
	return failure
}

func (e *blockExporter) post(ctx context.Context, b *block) *deliveryError {
	request, err := e.newInsertRequest(ctx, b)
	if err != nil {
		return &deliveryError{outcome: retryable, err: err}
	}
	answer, err := e.client.Do(request)
	if err != nil {
		return &deliveryError{outcome: retryable, err: fmt.Errorf("post to %s: %w", e.endpoint, e.cause(err))}
	}
	defer answer.Body.Close() //nolint:errcheck // nothing is left to be read
	body, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswerBytes))
	if err != nil {
		return &deliveryError{outcome: retryable, err: fmt.Errorf("read answer of %s: %w", e.endpoint, err)}
	}
	return classify(answer.StatusCode, answer.Header, body)
}

// cause drops what url.Error repeats, the whole INSERT, which would bury what went wrong.
func (e *blockExporter) cause(err error) error {
	urlErr, ok := errors.AsType[*url.Error](err)
	switch {
	case !ok:
		return err
	case urlErr.Timeout():
		return fmt.Errorf("no answer within %s: %w", e.cfg.Timeout, urlErr.Err)
	}
	return urlErr.Err
}
