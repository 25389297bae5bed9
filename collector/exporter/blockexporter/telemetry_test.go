// SPDX-License-Identifier: Apache-2.0

package blockexporter

import (
	"context"
	"net/http"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.yaml.in/yaml/v3"
)

type series struct{ stream, outcome string }

func seriesOf(attrs attribute.Set) series {
	stream, _ := attrs.Value("stream")
	result, _ := attrs.Value("outcome")
	return series{stream.AsString(), result.AsString()}
}

func counted(t *testing.T, tel *componenttest.Telemetry, name string) map[series]int64 {
	t.Helper()
	m, err := tel.GetMetric(name)
	require.NoError(t, err)
	sums := map[series]int64{}
	for _, point := range m.Data.(metricdata.Sum[int64]).DataPoints {
		sums[seriesOf(point.Attributes)] = point.Value
	}
	return sums
}

// committedRetriedRefused drives one block of each outcome and one record with an unknown stream.
func committedRetriedRefused(t *testing.T, tel *componenttest.Telemetry) {
	t.Helper()
	answers := map[string]http.HandlerFunc{
		"run-1/2/publishes/1": refuse(http.StatusInternalServerError, "60", "Code: 60. DB::Exception: no table"),
		"run-1/2/publishes/2": refuse(http.StatusBadRequest, "33", "Code: 33. DB::Exception: cut short"),
	}
	clickhouse := startRecorder(t, func(w http.ResponseWriter, r *http.Request) {
		if reply, ok := answers[r.URL.Query().Get("insert_deduplication_token")]; ok {
			reply(w, r)
		}
	})
	exp := startExporter(t, configFor(clickhouse.URL), tel.NewTelemetrySettings())
	for seq, wantError := range []bool{false, true, true} {
		logs := newLogs(1)
		firstRecord(logs).Attributes().PutInt(attrSeq, int64(seq))
		assert.Equal(t, wantError, exp.ConsumeLogs(context.Background(), logs) != nil)
	}
	logs := newLogs(1)
	firstRecord(logs).Attributes().PutStr(attrStream, "made-up")
	require.Error(t, exp.ConsumeLogs(context.Background(), logs))
}

func TestSelfMetrics(t *testing.T) {
	tel := componenttest.NewTelemetry()
	committedRetriedRefused(t, tel)

	perBlock := func(n int64) map[series]int64 {
		return map[series]int64{
			{"publishes", "committed"}: n, {"publishes", "retryable"}: n, {"publishes", "permanent"}: n,
			{"unknown", "permanent"}: n,
		}
	}
	assert.Equal(t, perBlock(1), counted(t, tel, "otelcol_exporter_tailrace_blocks"))
	assert.Equal(t, perBlock(3), counted(t, tel, "otelcol_exporter_tailrace_rows"))
	assert.Equal(t, perBlock(8), counted(t, tel, "otelcol_exporter_tailrace_bytes"))

	m, err := tel.GetMetric("otelcol_exporter_tailrace_commit_duration")
	require.NoError(t, err)
	timed := map[series]uint64{}
	for _, point := range m.Data.(metricdata.Histogram[float64]).DataPoints {
		timed[seriesOf(point.Attributes)] = point.Count
		assert.Positive(t, point.Sum)
	}
	assert.Equal(t, map[series]uint64{
		{"publishes", "committed"}: 1, {"publishes", "retryable"}: 1, {"publishes", "permanent"}: 1,
	}, timed, "a block refused before it is posted has no duration")
}

// TestMetadataDescribesTheMetrics keeps metadata.yaml true, since no generator does.
func TestMetadataDescribesTheMetrics(t *testing.T) {
	text, err := os.ReadFile("metadata.yaml")
	require.NoError(t, err)
	var metadata struct {
		Type      string
		Telemetry struct {
			Metrics map[string]struct {
				Description, Unit string
				Sum               *struct{ Monotonic bool }
				Histogram         *struct {
					Boundaries []float64 `yaml:"bucket_boundaries"`
				}
			}
		}
	}
	require.NoError(t, yaml.Unmarshal(text, &metadata))
	assert.Equal(t, componentType.String(), metadata.Type)

	tel := componenttest.NewTelemetry()
	committedRetriedRefused(t, tel)
	var all metricdata.ResourceMetrics
	require.NoError(t, tel.Reader.Collect(context.Background(), &all))
	emitted := 0
	for _, scope := range all.ScopeMetrics {
		if scope.Scope.Name != scopeName {
			continue
		}
		for _, m := range scope.Metrics {
			emitted++
			described, ok := metadata.Telemetry.Metrics[m.Name[len("otelcol_"):]]
			require.True(t, ok, "%s is not in metadata.yaml", m.Name)
			assert.Equal(t, described.Description, m.Description, m.Name)
			assert.Equal(t, described.Unit, m.Unit, m.Name)
			switch data := m.Data.(type) {
			case metricdata.Sum[int64]:
				require.NotNil(t, described.Sum, m.Name)
				assert.Equal(t, described.Sum.Monotonic, data.IsMonotonic, m.Name)
			case metricdata.Histogram[float64]:
				require.NotNil(t, described.Histogram, m.Name)
				assert.Equal(t, described.Histogram.Boundaries, data.DataPoints[0].Bounds, m.Name)
			default:
				t.Errorf("%s: unexpected data %T", m.Name, data)
			}
		}
	}
	assert.Equal(t, len(metadata.Telemetry.Metrics), emitted, "metrics described and emitted")
}
