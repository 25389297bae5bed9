// SPDX-License-Identifier: Apache-2.0

package proof

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"
)

// mayBeEmpty are targets that a run without faults leaves empty, as page/title. One that is here and has rows is an error
// too, and so is one that is still empty of the run that has faults, unless it states why.
var mayBeEmpty = map[string]string{
	"tailrace-audit/Clocks":          "",
	"tailrace-audit/Never sent":      "",
	"tailrace-run/Failures by class": "",
	"tailrace-long-run/Steps":        "a step takes half an hour of a run",

	"tailrace-long-run/Steps, as after over before": "a step takes half an hour of a run",
}

// sometimes are labels that only some exporters give.
var sometimes = map[string]bool{"reason": true, "group": true, "device": true}

// describe writes what of the frames must not change: kinds, names, labels, and the first, middle and last row.
func describe(target Target, frames data.Frames) (string, int) {
	var text strings.Builder
	rows := 0
	for _, frame := range frames {
		rows += frame.Rows()
		kind := "table"
		if frame.Meta != nil && frame.Meta.Type != "" {
			kind = string(frame.Meta.Type)
		}
		fmt.Fprintf(&text, "%s %s: %s of %d rows\n", target.Kind, target.Where, kind, frame.Rows())
		for _, field := range frame.Fields {
			fmt.Fprintf(&text, "  %s %s%s", field.Name, field.Type().ItemTypeString(), labels(field.Labels))
			for _, row := range sampled(frame.Rows()) {
				fmt.Fprintf(&text, " | %s", shown(field, row))
			}
			text.WriteByte('\n')
		}
	}
	if len(frames) == 0 {
		fmt.Fprintf(&text, "%s %s: no frame\n", target.Kind, target.Where)
	}
	return text.String(), rows
}

func describeSeries(target Target, series []Series) (string, int) {
	lines := make([]string, 0, len(series))
	for _, each := range series {
		points := each.Values
		delete(each.Labels, "instance")
		line := fmt.Sprintf("  %s %d points", labels(each.Labels), len(points))
		for _, at := range sampled(len(points)) {
			line += fmt.Sprintf(" | %.6s", points[at][1])
		}
		lines = append(lines, line+"\n")
	}
	slices.Sort(lines)
	return fmt.Sprintf("%s %s %s: %d series\n%s", target.Kind, target.Where, target.Ref, len(series), strings.Join(lines, "")), len(series)
}

func sampled(n int) []int {
	if n == 0 {
		return nil
	}
	return slices.Compact([]int{0, n / 2, n - 1})
}

func labels(all map[string]string) string {
	pairs := make([]string, 0, len(all))
	for name, value := range all {
		pairs = append(pairs, fmt.Sprintf("%s=%q", name, value))
	}
	slices.Sort(pairs)
	return "{" + strings.Join(pairs, ", ") + "}"
}

func shown(field *data.Field, row int) string {
	value, ok := field.ConcreteAt(row)
	if !ok {
		return "null"
	}
	switch typed := value.(type) {
	case time.Time:
		return typed.UTC().Format("2006-01-02T15:04:05.999999Z")
	case float64:
		return fmt.Sprintf("%.6g", typed)
	case string:
		return fmt.Sprintf("%.60q", typed)
	default:
		return fmt.Sprint(typed)
	}
}
