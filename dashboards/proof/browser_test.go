// SPDX-License-Identifier: Apache-2.0

package proof

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/grafana/grafana-plugin-sdk-go/data/sqlutil"
)

func TestVariablesAreFilledInAsTheFrontEndDoes(t *testing.T) {
	values := Variables{"run": {"it's"}, "runs": {"a", "b"}}
	f := func(text, want, fault string) {
		t.Helper()
		got, err := Fill(text, values)
		if got != want || (err == nil) != (fault == "") || (err != nil && !strings.Contains(err.Error(), fault)) {
			t.Errorf("Fill(%q) = %q, %v", text, got, err)
		}
	}
	f(`run_id = ${run:singlequote}`, `run_id = 'it\'s'`, "")
	f(`run_id IN (${runs:singlequote})`, `run_id IN ('a','b')`, "")
	f(`{run="$run"}`, `{run="it's"}`, "")
	f(`${runs:csv}`, "", "${runs:csv}")
	f(`$__timeFilter(q.time) ${__field.labels.x}`, `$__timeFilter(q.time) ${__field.labels.x}`, "")
	f(`${topic:singlequote}`, "", "${topic:singlequote}")
	f(`${run:regex}`, "", "${run:regex}")
	f(`$runs`, "", "$runs")
}

func TestMacrosBecomeWhatThePluginsDo(t *testing.T) {
	query := &sqlutil.Query{Interval: 1500 * time.Millisecond, TimeRange: backend.TimeRange{From: time.Unix(10, 0), To: time.Unix(20, 0)}}
	f := func(text, want string) {
		t.Helper()
		query.RawSQL = text
		got, err := sqlutil.Interpolate(query, Macros())
		if err != nil || got != want {
			t.Errorf("%s became %q, %v", text, got, err)
		}
	}
	f("$__timeFilter(q.time)", "q.time >= toDateTime(10) AND q.time <= toDateTime(20)")
	f("$__timeInterval(q.time)", "toStartOfInterval(toDateTime(q.time), INTERVAL 1 second)")
	f("$__fromTime $__toTime $__interval_s", "toDateTime(10) toDateTime(20) 1")
	if err := Known("$__timeFilter(t) $__timeFiler(t)"); err == nil || !strings.Contains(err.Error(), "$__timeFiler") {
		t.Errorf("an unknown macro: %v", err)
	}
	query.RawSQL = "$__timeFilter()"
	if _, err := sqlutil.Interpolate(query, Macros()); err == nil {
		t.Error("a macro without its column is no error")
	}
}

func TestSeriesAreReducedAndCompared(t *testing.T) {
	one, two := 1.0, 2.0
	wide := data.NewFrame("",
		data.NewField("time", nil, []time.Time{time.Unix(1, 0), time.Unix(2, 0)}),
		data.NewField("p99", data.Labels{"run_id": "a"}, []*float64{&two, &one}),
		data.NewField("p99", data.Labels{"run_id": "b"}, []*float64{nil, nil}))
	f := func(reducer string, want float64, firing bool) {
		t.Helper()
		values, err := Reduce(data.Frames{wide}, reducer)
		if err != nil {
			t.Fatal(err)
		}
		rated := Above(values, 1)
		if len(rated) != 2 || rated[0].Value != want || rated[0].Firing != firing || rated[1].Firing {
			t.Errorf("%s: %+v", reducer, rated)
		}
	}
	f("min", 1, false)
	f("max", 2, true)
	f("last", 1, false)
	if _, err := Reduce(data.Frames{wide}, "median"); err == nil {
		t.Error("an unknown reducer is no error")
	}
}

// TestFaultyQueriesFail: the harness must report each of these.
func TestFaultyQueriesFail(t *testing.T) {
	_, plugin := stand(t)
	f := func(sql, fault string) {
		t.Helper()
		asked, err := json.Marshal(map[string]any{"refId": "A", "rawSql": sql, "format": 0})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := plugin.Ask(t.Context(), asked, span, step); err == nil || !strings.Contains(err.Error(), fault) {
			t.Errorf("%s: %v", sql, err)
		}
	}
	f("SELECT time, no_such FROM v_phases", "no_such")
	f("SELECT 1 FROM no_such_view", "no_such_view")
	f("SELECT map('a', 1) AS m, now() AS time", "Scan")
}
