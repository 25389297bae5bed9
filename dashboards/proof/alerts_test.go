// SPDX-License-Identifier: Apache-2.0

package proof

import (
	"encoding/json"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"go.yaml.in/yaml/v3"
)

type rule struct {
	UID  string `yaml:"uid"`
	Data []struct {
		RelativeTimeRange struct {
			From int `yaml:"from"`
		} `yaml:"relativeTimeRange"`
		Model map[string]any `yaml:"model"`
	} `yaml:"data"`
}

// TestAlertRulesFireOnABreachingRunAlone evaluates the provisioned rules as Grafana would at a moment in the
// measure phase: query, reduce, threshold.
func TestAlertRulesFireOnABreachingRunAlone(t *testing.T) {
	w, plugin := stand(t)
	for uid, found := range evaluate(t, plugin) {
		if len(found) != 1 || found[0].Firing || found[0].Labels["run_id"] != recorded {
			t.Errorf("%s on a healthy run: %+v", uid, found)
		}
	}
	breach(t, w)
	found := evaluate(t, plugin)
	if got := found["tailrace-stored-p99"]; len(got) != 1 || !got[0].Firing || got[0].Labels["run_id"] != slow || got[0].Value < 400 {
		t.Errorf("p99 of a slow run: %+v", got)
	}
	audits := found["tailrace-audit-failed"]
	slices.SortFunc(audits, func(a, b Alert) int { return len(a.Labels["run_id"]) - len(b.Labels["run_id"]) })
	if len(audits) != 2 || !audits[0].Firing || audits[0].Value != 1 || audits[1].Firing {
		t.Errorf("audits: %+v", audits)
	}
}

func evaluate(t *testing.T, plugin *Plugin) map[string][]Alert {
	t.Helper()
	text, err := os.ReadFile("../provisioning/alerting/tailrace.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Groups []struct {
			Rules []rule `yaml:"rules"`
		} `yaml:"groups"`
	}
	if err := yaml.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	now := span.To.Add(-20 * time.Second)
	found := map[string][]Alert{}
	for _, rule := range file.Groups[0].Rules {
		asked, reduced, compared := rule.Data[0], rule.Data[1].Model, rule.Data[2].Model
		model, err := json.Marshal(asked.Model)
		if err != nil {
			t.Fatal(err)
		}
		window := backend.TimeRange{From: now.Add(-time.Duration(asked.RelativeTimeRange.From) * time.Second), To: now}
		frames, err := plugin.Ask(t.Context(), model, window, 5*time.Second)
		if err != nil {
			t.Fatalf("%s: %v", rule.UID, err)
		}
		values, err := Reduce(frames, reduced["reducer"].(string))
		if err != nil {
			t.Fatalf("%s: %v", rule.UID, err)
		}
		evaluator := compared["conditions"].([]any)[0].(map[string]any)["evaluator"].(map[string]any)
		if evaluator["type"] != "gt" {
			t.Fatalf("%s: evaluator %v", rule.UID, evaluator["type"])
		}
		found[rule.UID] = Above(values, limit(evaluator["params"].([]any)[0]))
	}
	return found
}

func limit(value any) float64 {
	if whole, ok := value.(int); ok {
		return float64(whole)
	}
	return value.(float64)
}
