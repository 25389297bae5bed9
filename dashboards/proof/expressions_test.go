// SPDX-License-Identifier: Apache-2.0

package proof

import (
	"fmt"
	"math"

	"github.com/grafana/grafana-plugin-sdk-go/data"
)

// Alert is a rule's outcome for one series.
type Alert struct {
	Labels data.Labels
	Value  float64
	Firing bool
}

// Reduce makes one number of each series, as Grafana's server-side expression "reduce" does: of time series by
// the reducer; of a table of texts and one number each row is a number already. NaN: a series without values.
func Reduce(frames data.Frames, reducer string) ([]Alert, error) {
	var found []Alert
	for _, frame := range frames {
		if frame.TimeSeriesSchema().Type == data.TimeSeriesTypeWide {
			for _, i := range frame.TimeSeriesSchema().ValueIndices {
				value, err := reduce(frame.Fields[i], reducer)
				if err != nil {
					return nil, err
				}
				found = append(found, Alert{Labels: frame.Fields[i].Labels, Value: value})
			}
			continue
		}
		rows, err := numbers(frame)
		if err != nil {
			return nil, err
		}
		found = append(found, rows...)
	}
	return found, nil
}

// Above marks those above the limit as firing, as "threshold" with "gt" does; NaN never is.
func Above(values []Alert, limit float64) []Alert {
	rated := make([]Alert, len(values))
	for i, each := range values {
		each.Firing = each.Value > limit
		rated[i] = each
	}
	return rated
}

func reduce(field *data.Field, reducer string) (float64, error) {
	var values []float64
	for i := range field.Len() {
		value, err := field.NullableFloatAt(i)
		if err != nil {
			return 0, fmt.Errorf("%s: %w", field.Name, err)
		}
		if value != nil {
			values = append(values, *value)
		}
	}
	if len(values) == 0 {
		return math.NaN(), nil
	}
	result := values[0]
	for _, value := range values[1:] {
		switch reducer {
		case "min":
			result = min(result, value)
		case "max":
			result = max(result, value)
		case "last":
			result = value
		default:
			return 0, fmt.Errorf("reducer %q: min, max and last are known", reducer)
		}
	}
	return result, nil
}

func numbers(frame *data.Frame) ([]Alert, error) {
	var found []Alert
	for row := range frame.Rows() {
		alert, values := Alert{Labels: data.Labels{}}, 0
		for _, field := range frame.Fields {
			if text, ok := field.ConcreteAt(row); ok && field.Type().NonNullableType() == data.FieldTypeString {
				alert.Labels[field.Name] = fmt.Sprint(text)
				continue
			}
			value, err := field.FloatAt(row)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", field.Name, err)
			}
			alert.Value = value
			values++
		}
		if values != 1 {
			return nil, fmt.Errorf("a table for an alert has one number a row, not %d", values)
		}
		found = append(found, alert)
	}
	return found, nil
}
