// SPDX-License-Identifier: Apache-2.0

package proof

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data/sqlutil"
)

// Macros are those of grafana-clickhouse-datasource 4.20 that the dashboards use, with what its documentation
// defines. Known lists all of them: anything else that begins with $__ is a mistake.
func Macros() sqlutil.Macros {
	return sqlutil.Macros{
		"fromTime": func(q *sqlutil.Query, _ []string) (string, error) { return moment(q.TimeRange.From), nil },
		"toTime":   func(q *sqlutil.Query, _ []string) (string, error) { return moment(q.TimeRange.To), nil },
		"timeFilter": func(q *sqlutil.Query, args []string) (string, error) {
			column, err := only(args)
			return fmt.Sprintf("%s >= %s AND %s <= %s", column, moment(q.TimeRange.From), column, moment(q.TimeRange.To)), err
		},
		"timeInterval": func(q *sqlutil.Query, args []string) (string, error) {
			column, err := only(args)
			return fmt.Sprintf("toStartOfInterval(toDateTime(%s), INTERVAL %d second)", column, seconds(q)), err
		},
		"interval_s": func(q *sqlutil.Query, _ []string) (string, error) { return fmt.Sprint(seconds(q)), nil },
	}
}

var macro = regexp.MustCompile(`\$__\w+`)

// Known gives an error that names the macros of a statement that Macros does not have.
func Known(sql string) error {
	var unknown []string
	for _, name := range macro.FindAllString(sql, -1) {
		if _, ok := Macros()[strings.TrimPrefix(name, "$__")]; !ok {
			unknown = append(unknown, name)
		}
	}
	if len(unknown) > 0 {
		return fmt.Errorf("macros that are not known: %s", strings.Join(unknown, ", "))
	}
	return nil
}

func moment(t time.Time) string { return fmt.Sprintf("toDateTime(%d)", t.Unix()) }

func seconds(q *sqlutil.Query) int { return max(1, int(q.Interval.Seconds())) }

func only(args []string) (string, error) {
	if len(args) != 1 || args[0] == "" {
		return "", fmt.Errorf("%w: one column, not %d", sqlutil.ErrorBadArgumentCount, len(args))
	}
	return args[0], nil
}
