// SPDX-License-Identifier: Apache-2.0

package proof

import (
	"bytes"
	"encoding/json"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/grafana/grafana-plugin-sdk-go/data/sqlutil"
)

var update = flag.Bool("update", false, "rewrite testdata/golden")

const clickhousePlugin = "grafana-clickhouse-datasource"

// chosen are the variables of someone who looks at the recorded run; All in Grafana's own form.
var chosen = Variables{
	"run": {recorded}, "runs": {recorded, slow}, "baseline": {slow}, "topic": {"all"}, "partition": {"all"},
	"broker": {"1"}, "host": {".*"}, "device": {".*"}, "clickhouse": {"tailrace-clickhouse"}, "metrics": {"tailrace-victoriametrics"},
}

func TestEveryTargetAnswers(t *testing.T) {
	w, plugin := stand(t)
	breach(t, w)
	base := metrics(t, w)
	pages, err := Pages("../json")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, page := range pages {
		t.Run(page.UID, func(t *testing.T) {
			values := maps.Clone(chosen)
			maps.Copy(values, page.Choices)
			var golden bytes.Buffer
			for _, target := range page.Targets {
				seen[target.Page+"/"+target.Where] = true
				text, rows := "", 0
				if target.Plugin == clickhousePlugin {
					text, rows = warehouseTarget(t, plugin, target, values)
				} else {
					text, rows = metricsTarget(t, base, target, values)
				}
				golden.WriteString(text)
				emptiness(t, target, rows)
				if why, sound := mayBeEmpty[target.Page+"/"+target.Where]; sound && why == "" {
					values["run"] = []string{slow}
					if _, rows := warehouseTarget(t, plugin, target, values); rows == 0 {
						t.Errorf("%s: empty of a run with faults, too", target.Where)
					}
					values["run"] = []string{recorded}
				}
			}
			compare(t, filepath.Join("testdata", "golden", page.UID+".txt"), golden.String())
		})
	}
	for where := range mayBeEmpty {
		if !seen[where] {
			t.Errorf("%s may be empty, but there is no such target", where)
		}
	}
}

// TestPagesWorkForRunsWithMissingData sends every query for a run without metrics whose audit failed, for one that has not
// ended, one without a message, and one that does not exist: the first panel states it, and no query gives an error.
func TestPagesWorkForRunsWithMissingData(t *testing.T) {
	w, plugin := stand(t)
	breach(t, w)
	incomplete(t, w)
	pages, err := Pages("../json")
	if err != nil {
		t.Fatal(err)
	}
	notes := map[string]string{
		slow:          "no host metrics were kept",
		"going":       "still going: host metrics, ledger and audit come at its end",
		"empty":       "no message is stored",
		"no-such-run": "no such run is stored",
	}
	for run, note := range notes {
		t.Run(run, func(t *testing.T) {
			for _, page := range pages {
				values := maps.Clone(chosen)
				maps.Copy(values, page.Choices)
				values["run"], values["runs"] = []string{run}, []string{run}
				for _, target := range page.Targets {
					if target.Plugin != clickhousePlugin {
						continue
					}
					text, _ := warehouseTarget(t, plugin, target, values)
					if target.Where == "Run $run" && !strings.Contains(text, note) {
						t.Errorf("%s: the first panel does not state %q:\n%s", page.UID, note, text)
					}
				}
			}
		})
	}
}

func warehouseTarget(t *testing.T, plugin *Plugin, target Target, values Variables) (string, int) {
	t.Helper()
	sql, err := Fill(target.SQL, values)
	if err == nil {
		err = Known(sql)
	}
	if err != nil {
		t.Errorf("%s: %v", target.Where, err)
		return "", 0
	}
	asked, err := json.Marshal(map[string]any{"refId": target.Ref, "rawSql": sql, "format": target.Format})
	if err != nil {
		t.Fatal(err)
	}
	frames, err := plugin.Ask(t.Context(), asked, span, step)
	if err != nil {
		t.Errorf("%s: %v", target.Where, err)
		return "", 0
	}
	if target.Kind == "variable" && len(frames) > 0 && frames[0].Rows() > 0 && len(frames[0].Fields) != 1 {
		t.Errorf("variable %s: not one column", target.Where)
	}
	if target.Kind == "annotation" && len(frames) > 0 && frames[0].Rows() > 0 && (frames[0].Fields[0].Name != "time" || !frames[0].Fields[0].Type().Time()) {
		t.Errorf("annotation %s: the first column is not the time", target.Where)
	}
	for _, frame := range frames {
		kind := frame.TimeSeriesSchema().Type
		if target.Format == int(sqlutil.FormatOptionTimeSeries) && frame.Rows() > 0 && kind != data.TimeSeriesTypeWide {
			t.Errorf("%s: %s instead of a wide time series", target.Where, kind)
		}
	}
	return describe(target, frames)
}

var labelValues = regexp.MustCompile(`^label_values\((.*), (\w+)\)$`)

func metricsTarget(t *testing.T, base string, target Target, values Variables) (string, int) {
	t.Helper()
	expr, err := Fill(target.Expr, values)
	if err != nil {
		t.Errorf("%s: %v", target.Where, err)
		return "", 0
	}
	if target.Kind == "variable" {
		parts := labelValues.FindStringSubmatch(expr)
		if parts == nil {
			t.Errorf("variable %s asks %s", target.Where, expr)
			return "", 0
		}
		found, err := LabelValues(t.Context(), base, parts[1], parts[2], span)
		if err != nil {
			t.Errorf("%s: %v", target.Where, err)
		}
		return "variable " + target.Where + ": " + strings.Join(found, " ") + "\n", len(found)
	}
	series, err := Range(t.Context(), base, expr, span, step)
	if err != nil {
		t.Errorf("%s: %v", target.Where, err)
		return "", 0
	}
	for _, label := range regexp.MustCompile(`\{\{(\w+)\}\}`).FindAllStringSubmatch(target.Legend, -1) {
		carried := len(series) == 0
		for _, each := range series {
			carried = carried || each.Labels[label[1]] != ""
		}
		if !carried && !sometimes[label[1]] {
			t.Errorf("%s: no series has the label %s of its legend", target.Where, label[1])
		}
	}
	return describeSeries(target, series)
}

func emptiness(t *testing.T, target Target, rows int) {
	t.Helper()
	_, allowed := mayBeEmpty[target.Page+"/"+target.Where]
	if rows == 0 && !allowed {
		t.Errorf("%s: %s is empty", target.Kind, target.Where)
	}
	if rows > 0 && allowed {
		t.Errorf("%s: %s is not empty any more", target.Kind, target.Where)
	}
}

func compare(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(filepath.Clean(file))
	if err != nil {
		t.Fatalf("%v; go test -update writes it", err)
	}
	if got == string(want) {
		return
	}
	lines, wanted := strings.Split(got, "\n"), strings.Split(string(want), "\n")
	for i, line := range lines {
		if i >= len(wanted) || line != wanted[i] {
			t.Fatalf("%s:%d differs (go test -update rewrites it)\ngot   %s\nwant  %s", file, i+1, line, strings.Join(wanted[min(i, len(wanted)):min(i+1, len(wanted))], ""))
		}
	}
	t.Fatalf("%s: lines are missing", file)
}
