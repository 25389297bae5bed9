// SPDX-License-Identifier: Apache-2.0

package blockexporter

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.uber.org/zap"
)

type blockExporter struct {
	cfg         *Config
	set         component.TelemetrySettings
	logger      *zap.Logger
	client      *http.Client
	secret      *secret
	endpoints   *endpoints
	schema      *schema
	recent      *recentTokens
	deadLetters *deadLetters
	telemetry   *telemetry
	failures    *failureLog
}

func newBlockExporter(cfg *Config, set component.TelemetrySettings) (*blockExporter, error) {
	t, err := newTelemetry(set)
	if err != nil {
		return nil, fmt.Errorf("create self-metrics: %w", err)
	}
	failures := newFailureLog(set.Logger)
	e := &blockExporter{
		cfg: cfg, set: set, logger: failures.logger,
		endpoints:   newEndpoints(cfg),
		recent:      newRecentTokens(recentTokensCapacity),
		deadLetters: newDeadLetters(cfg.DeadLetter),
		telemetry:   t,
		failures:    failures,
	}
	e.schema = newSchema(e.fetchColumns)
	return e, nil
}

func (e *blockExporter) start(ctx context.Context, host component.Host) (err error) {
	if e.client, err = newClient(ctx, e.cfg, host, e.set); err != nil {
		return fmt.Errorf("create HTTP client: %w", err)
	}
	if e.secret, err = openSecret(e.cfg); err != nil {
		return err
	}
	if err := e.deadLetters.open(); err != nil {
		return fmt.Errorf("dead_letter::directory: %w; make it writable, or choose another", err)
	}
	if e.cfg.TLS.InsecureSkipVerify {
		e.logger.Warn("tls::insecure_skip_verify is set: any server that answers receives the password and the blocks")
	}
	return nil
}

func (e *blockExporter) shutdown(context.Context) error {
	if e.client != nil {
		e.client.CloseIdleConnections()
	}
	return nil
}

// export returns nil when every block of the request is committed. It checks all records before it posts the first, so
// that a request with a malformed record stores nothing. It stops at the first failure: the sender repeats or abandons the
// request as a whole, and the blocks that were committed before are deduplicated.
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
				b, err := parseBlock(record, e.cfg.RequireColumns)
				if err != nil {
					failure := &deliveryError{outcome: permanent, reason: reasonMalformed, err: oneLine(err)}
					errs = append(errs, e.settle(ctx, b, failure))
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
