// SPDX-License-Identifier: Apache-2.0

package proof

import (
	"fmt"
	"regexp"
	"strings"
)

// Variables are the chosen values of a dashboard's variables.
type Variables map[string][]string

// Grafana's own form of a variable in a text: ${name}, ${name:format} or $name. What begins with __ is no
// variable of a dashboard.
var variable = regexp.MustCompile(`\$\{([a-zA-Z]\w*)(?::(\w+))?\}|\$([a-zA-Z]\w*)`)

// Fill puts the variables' values into a text, as Grafana's front end does before it sends a query.
// Errors name variables without a value and formats that the dashboards should not use.
func Fill(text string, values Variables) (string, error) {
	var wrong []string
	filled := variable.ReplaceAllStringFunc(text, func(found string) string {
		match := variable.FindStringSubmatch(found)
		name, format := match[1]+match[3], match[2]
		chosen, ok := values[name]
		if !ok {
			wrong = append(wrong, found)
			return found
		}
		written, err := write(chosen, format)
		if err != nil {
			wrong = append(wrong, found)
		}
		return written
	})
	if len(wrong) > 0 {
		return "", fmt.Errorf("no value, or no such format: %s", strings.Join(wrong, ", "))
	}
	return filled, nil
}

func write(values []string, format string) (string, error) {
	switch format {
	case "singlequote":
		quoted := make([]string, len(values))
		for i, value := range values {
			quoted[i] = "'" + strings.ReplaceAll(value, "'", `\'`) + "'"
		}
		return strings.Join(quoted, ","), nil
	case "":
		// Several values without a format are written in the data source's own way: of SQL no query relies on it, of
		// PromQL the proof asks for All alone.
		if len(values) == 1 {
			return values[0], nil
		}
		return "", fmt.Errorf("%d values without a format", len(values))
	default:
		return "", fmt.Errorf("format %q", format)
	}
}
