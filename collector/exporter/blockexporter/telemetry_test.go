// SPDX-License-Identifier: Apache-2.0

package blockexporter

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.yaml.in/yaml/v3"
)

// labels are the attributes of a series as one text, sorted by key.
func labels(attrs attribute.Set) string {
	return attrs.Encoded(attribute.DefaultEncoder())
}

func counted(t *testing.T, tel *componenttest.Telemetry, name string) map[string]int64 {
	t.Helper()
	m, err := tel.GetMetric("otelcol_exporter_tailrace_" + name)
	require.NoError(t, err)
	points := map[string]int64{}
	switch data := m.Data.(type) {
	case metricdata.Sum[int64]:
		for _, point := range data.DataPoints {
			points[labels(point.Attributes)] = point.Value
		}
	case metricdata.Gauge[int64]:
		for _, point := range data.DataPoints {
			points[labels(point.Attributes)] = point.Value
		}
	}
	return points
}

// committedRetriedRefused sends one block of each outcome, one of them twice, and one record with an unknown stream, past
// a dead endpoint. It returns the endpoints.
func committedRetriedRefused(t *testing.T, tel *componenttest.Telemetry) (dead, live string) {
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
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	exp := startExporter(t, configFor(closed.URL, clickhouse.URL), tel.NewTelemetrySettings())
	for _, seq := range []int64{0, 1, 1, 2} {
		logs := newLogs(1)
		firstRecord(logs).Attributes().PutInt(attrSeq, seq)
		assert.Equal(t, seq > 0, exp.ConsumeLogs(context.Background(), logs) != nil)
	}
	logs := newLogs(1)
	firstRecord(logs).Attributes().PutStr(attrStream, "made-up")
	require.Error(t, exp.ConsumeLogs(context.Background(), logs))
	return closed.URL + "/", clickhouse.URL + "/"
}

func TestSelfMetrics(t *testing.T) {
	tel := componenttest.NewTelemetry()
	dead, live := committedRetriedRefused(t, tel)

	perBlock := func(n int64) map[string]int64 {
		return map[string]int64{
			"outcome=committed,stream=publishes": n, "outcome=retryable,stream=publishes": 2 * n,
			"outcome=permanent,stream=publishes": n, "outcome=permanent,stream=unknown": n,
		}
	}
	assert.Equal(t, perBlock(1), counted(t, tel, "blocks"))
	assert.Equal(t, perBlock(3), counted(t, tel, "rows"))
	assert.Equal(t, perBlock(8), counted(t, tel, "bytes"))
	assert.Equal(t, map[string]int64{"stream=publishes": 1}, counted(t, tel, "retries"))
	assert.Equal(t, map[string]int64{
		"reason=refused,result=off,stream=publishes": 1, "reason=malformed,result=off,stream=unknown": 1,
	}, counted(t, tel, "dead_letters"))
	escape := strings.NewReplacer("=", `\=`, ",", `\,`)
	assert.Equal(t, map[string]int64{"endpoint=" + escape.Replace(live): 1}, counted(t, tel, "failovers"))
	assert.Equal(t, map[string]int64{"endpoint=" + escape.Replace(live): 1, "endpoint=" + escape.Replace(dead): 0},
		counted(t, tel, "endpoint_up"))

	m, err := tel.GetMetric("otelcol_exporter_tailrace_commit_duration")
	require.NoError(t, err)
	timed := map[string]uint64{}
	for _, point := range m.Data.(metricdata.Histogram[float64]).DataPoints {
		timed[labels(point.Attributes)] = point.Count
		assert.Positive(t, point.Sum)
	}
	assert.Equal(t, map[string]uint64{
		"outcome=committed,stream=publishes": 1, "outcome=retryable,stream=publishes": 2, "outcome=permanent,stream=publishes": 1,
	}, timed, "a malformed block is never posted and has no duration")
}

// TestMetadataDescribesTheMetrics compares metadata.yaml with the metrics, since no generator makes them.
func TestMetadataDescribesTheMetrics(t *testing.T) {
	text, err := os.ReadFile("metadata.yaml")
	require.NoError(t, err)
	var metadata struct {
		Type      string
		Telemetry struct {
			Metrics map[string]struct {
				Description, Unit string
				Sum               *struct{ Monotonic bool }
				Gauge             *struct{}
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
			case metricdata.Gauge[int64]:
				require.NotNil(t, described.Gauge, m.Name)
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
