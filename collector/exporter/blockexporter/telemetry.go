// SPDX-License-Identifier: Apache-2.0

package blockexporter

import (
	"context"
	"errors"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
)

const scopeName = "tailrace.dev/collector/exporter/blockexporter"

// An INSERT of one block costs a few milliseconds; the last boundary lies above the longest sane timeout.
var commitBoundaries = []float64{0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 60}

// telemetry holds the exporter's own metrics, described in metadata.yaml.
type telemetry struct {
	blocks   metric.Int64Counter
	rows     metric.Int64Counter
	bytes    metric.Int64Counter
	duration metric.Float64Histogram
}

func newTelemetry(set component.TelemetrySettings) (*telemetry, error) {
	meter := set.MeterProvider.Meter(scopeName)
	var t telemetry
	var errs [4]error
	t.blocks, errs[0] = meter.Int64Counter("otelcol_exporter_tailrace_blocks", metric.WithUnit("{block}"),
		metric.WithDescription("Blocks sent to ClickHouse, by outcome; a block sent twice counts twice."))
	t.rows, errs[1] = meter.Int64Counter("otelcol_exporter_tailrace_rows", metric.WithUnit("{row}"),
		metric.WithDescription("Rows in those blocks, as their attributes say."))
	t.bytes, errs[2] = meter.Int64Counter("otelcol_exporter_tailrace_bytes", metric.WithUnit("By"),
		metric.WithDescription("Compressed bytes of those blocks."))
	t.duration, errs[3] = meter.Float64Histogram("otelcol_exporter_tailrace_commit_duration", metric.WithUnit("s"),
		metric.WithDescription("Time from posting a block to ClickHouse's answer."),
		metric.WithExplicitBucketBoundaries(commitBoundaries...))
	return &t, errors.Join(errs[:]...)
}

// count counts a block under its stream and what became of it.
func (t *telemetry) count(ctx context.Context, b *block, result outcome) {
	attrs := labels(b, result)
	t.blocks.Add(ctx, 1, attrs)
	t.rows.Add(ctx, b.rows, attrs)
	t.bytes.Add(ctx, int64(len(b.body)), attrs)
}

func (t *telemetry) timed(ctx context.Context, b *block, result outcome, took time.Duration) {
	t.duration.Record(ctx, took.Seconds(), labels(b, result))
}

func labels(b *block, result outcome) metric.MeasurementOption {
	stream := b.stream
	if stream == "" {
		// Not in the allow-list: a label must not take whatever a sender makes up.
		stream = "unknown"
	}
	return metric.WithAttributes(attribute.String("stream", stream), attribute.String("outcome", string(result)))
}
