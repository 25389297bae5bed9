// SPDX-License-Identifier: Apache-2.0

package proof

import (
	"encoding/json"
	"net/url"
	"os"
	"regexp"
	"strings"
	"testing"
)

// The columns that the link reads, as the stock exporter's table has them.
const spans = `CREATE TABLE otel_traces (Timestamp DateTime64(9), TraceId String, SpanId String, ParentSpanId String,
	SpanName LowCardinality(String), ServiceName LowCardinality(String), Duration UInt64,
	ResourceAttributes Map(LowCardinality(String), String), SpanAttributes Map(LowCardinality(String), String))
	ENGINE = MergeTree ORDER BY Timestamp`

// TestAMessageLeadsToItsTrace runs what Explore would run behind the link on a message's offset.
func TestAMessageLeadsToItsTrace(t *testing.T) {
	w, plugin := stand(t)
	w.Query(t, spans)
	w.Query(t, `INSERT INTO otel_traces SELECT now64(9), if(number < 2, 'sampled', 'other'), toString(number), '', 'send', 'loadgen', 1500000,
		map('tailrace.run.id', 'recorded'), if(number = 1, map(), map('messaging.destination.name', 't',
		'messaging.destination.partition.id', '3', 'messaging.kafka.offset', toString(number))) FROM numbers(3)`)
	text, err := os.ReadFile("../json/runs/tailrace-messages.json")
	if err != nil {
		t.Fatal(err)
	}
	link := regexp.MustCompile(`/explore\?schemaVersion=1&panes=([^"]+)`).FindStringSubmatch(string(text))
	if link == nil {
		t.Fatal("no link to Explore")
	}
	panes, err := url.QueryUnescape(link[1])
	if err != nil {
		t.Fatal(err)
	}
	for field, value := range map[string]string{"topic": "t", "partition": "3", "offset": "0"} {
		panes = strings.ReplaceAll(panes, "${__data.fields."+field+"}", value)
	}
	panes = strings.NewReplacer("${__from}", "now-1h", "${__to}", "now").Replace(panes)
	panes, err = Fill(panes, chosen)
	if err != nil {
		t.Fatal(err)
	}
	var opened map[string]struct {
		Queries []struct {
			RawSQL string `json:"rawSql"`
		} `json:"queries"`
	}
	if err := json.Unmarshal([]byte(panes), &opened); err != nil {
		t.Fatal(err)
	}
	// Without the tags, which need the plugin's own converter.
	sql := regexp.MustCompile(`, arrayMap\(.*?\) AS tags`).ReplaceAllString(opened["trace"].Queries[0].RawSQL, "")
	asked, err := json.Marshal(map[string]any{"refId": "A", "rawSql": sql, "format": 1})
	if err != nil {
		t.Fatal(err)
	}
	frames, err := plugin.Ask(t.Context(), asked, span, step)
	if err != nil {
		t.Fatal(err)
	}
	if len(frames) != 1 || frames[0].Rows() != 2 {
		t.Fatalf("both spans of the message's trace, and no other: %v", frames)
	}
	for i, name := range []string{"traceID", "spanID", "parentSpanID", "serviceName", "operationName", "startTime", "duration"} {
		if frames[0].Fields[i].Name != name {
			t.Errorf("column %d is %s, Grafana's trace view requires %s", i, frames[0].Fields[i].Name, name)
		}
	}
}
