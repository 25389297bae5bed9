// SPDX-License-Identifier: Apache-2.0

package blockexporter

import (
	"context"
	"errors"
	"sync"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
)

const scopeName = "tailrace.dev/collector/exporter/blockexporter"

// An INSERT of one block takes a few milliseconds; the last boundary is above any sensible timeout.
var commitBoundaries = []float64{0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 60}

// telemetry holds the exporter's own metrics, described in metadata.yaml.
type telemetry struct {
	blocks, rows, bytes             metric.Int64Counter
	retries, deadLetters, failovers metric.Int64Counter
	endpointUp                      metric.Int64Gauge
	duration                        metric.Float64Histogram
}

func newTelemetry(set component.TelemetrySettings) (*telemetry, error) {
	meter := set.MeterProvider.Meter(scopeName)
	var errs []error
	counter := func(name, unit, description string) metric.Int64Counter {
		c, err := meter.Int64Counter("otelcol_exporter_tailrace_"+name, metric.WithUnit(unit), metric.WithDescription(description))
		errs = append(errs, err)
		return c
	}
	t := &telemetry{
		blocks:      counter("blocks", "{block}", "Blocks sent to ClickHouse, by outcome; a block sent twice counts twice."),
		rows:        counter("rows", "{row}", "Rows in those blocks, according to their attributes."),
		bytes:       counter("bytes", "By", "Compressed bytes of those blocks."),
		retries:     counter("retries", "{block}", "Blocks whose token was among the last 4096."),
		deadLetters: counter("dead_letters", "{block}", "Blocks refused for good, by reason and result of keeping their dead letter."),
		failovers:   counter("failovers", "{move}", "Times that blocks moved to this endpoint from another."),
	}
	var err error
	t.endpointUp, err = meter.Int64Gauge("otelcol_exporter_tailrace_endpoint_up", metric.WithUnit("1"),
		metric.WithDescription("1 when the endpoint's last answer was a verdict, 0 when it failed; nothing before the first."))
	errs = append(errs, err)
	t.duration, err = meter.Float64Histogram("otelcol_exporter_tailrace_commit_duration", metric.WithUnit("s"),
		metric.WithDescription("Time from receiving a block to its outcome, over all endpoints that it was sent to."),
		metric.WithExplicitBucketBoundaries(commitBoundaries...))
	return t, errors.Join(append(errs, err)...)
}

func (t *telemetry) count(ctx context.Context, b *block, result outcome) {
	attrs := metric.WithAttributes(streamOf(b), attribute.String("outcome", string(result)))
	t.blocks.Add(ctx, 1, attrs)
	t.rows.Add(ctx, b.rows, attrs)
	t.bytes.Add(ctx, int64(len(b.body)), attrs)
}

func (t *telemetry) timed(ctx context.Context, b *block, result outcome, took time.Duration) {
	t.duration.Record(ctx, took.Seconds(), metric.WithAttributes(streamOf(b), attribute.String("outcome", string(result))))
}

func (t *telemetry) sentAgain(ctx context.Context, b *block) {
	t.retries.Add(ctx, 1, metric.WithAttributes(streamOf(b)))
}

func (t *telemetry) deadLetter(ctx context.Context, b *block, why reason, result keepResult) {
	t.deadLetters.Add(ctx, 1, metric.WithAttributes(streamOf(b),
		attribute.String("reason", string(why)), attribute.String("result", string(result))))
}

func (t *telemetry) movedTo(ctx context.Context, address string) {
	t.failovers.Add(ctx, 1, metric.WithAttributes(attribute.String("endpoint", address)))
}

func (t *telemetry) up(ctx context.Context, address string, verdict bool) {
	var value int64
	if verdict {
		value = 1
	}
	t.endpointUp.Record(ctx, value, metric.WithAttributes(attribute.String("endpoint", address)))
}

func streamOf(b *block) attribute.KeyValue {
	stream := b.stream
	if stream == "" {
		// Not in the allow-list: a sender must not be able to invent label values.
		stream = "unknown"
	}
	return attribute.String("stream", stream)
}

// recentTokensCapacity is the number of remembered tokens: minutes of blocks, about a megabyte.
const recentTokensCapacity = 4096

// recentTokens remembers the tokens of the last blocks, so that repeated ones can be counted. It decides nothing:
// ClickHouse deduplicates.
type recentTokens struct {
	mu     sync.Mutex
	tokens map[string]struct{}
	// order is a ring, oldest first from next on.
	order []string
	next  int
}

func newRecentTokens(capacity int) *recentTokens {
	return &recentTokens{tokens: make(map[string]struct{}, capacity), order: make([]string, capacity)}
}

// add remembers a token and reports whether it was remembered already.
func (s *recentTokens) add(token string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.tokens[token]; ok {
		return true
	}
	delete(s.tokens, s.order[s.next])
	s.tokens[token] = struct{}{}
	s.order[s.next] = token
	s.next = (s.next + 1) % len(s.order)
	return false
}
