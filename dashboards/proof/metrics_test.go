// SPDX-License-Identifier: Apache-2.0

package proof

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
)

// Series is one answer of VictoriaMetrics: labels, and a value for each step that has one.
type Series struct {
	Labels map[string]string `json:"metric"`
	Values [][2]any          `json:"values"`
}

// Range asks VictoriaMetrics what Grafana's Prometheus data source would for a graph. The rate interval is
// Grafana's: four scrapes, or a step and a scrape.
func Range(ctx context.Context, base, expr string, span backend.TimeRange, step time.Duration) ([]Series, error) {
	const scrape = time.Second
	expr = strings.ReplaceAll(expr, "$__rate_interval", max(step+scrape, 4*scrape).String())
	form := url.Values{
		"query": {expr}, "step": {step.String()}, "nocache": {"1"},
		"start": {fmt.Sprint(span.From.Unix())}, "end": {fmt.Sprint(span.To.Unix())},
	}
	var answer struct {
		Data struct {
			Result []Series `json:"result"`
		} `json:"data"`
	}
	err := fetch(ctx, base+"/api/v1/query_range?"+form.Encode(), &answer)
	return answer.Data.Result, err
}

// LabelValues asks what a variable's label_values(metric, label) asks.
func LabelValues(ctx context.Context, base, metric, label string, span backend.TimeRange) ([]string, error) {
	form := url.Values{
		"match[]": {metric},
		"start":   {fmt.Sprint(span.From.Unix())}, "end": {fmt.Sprint(span.To.Unix())},
	}
	var answer struct {
		Data []string `json:"data"`
	}
	err := fetch(ctx, base+"/api/v1/label/"+label+"/values?"+form.Encode(), &answer)
	return answer.Data, err
}

func fetch(ctx context.Context, address string, into any) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return fmt.Errorf("ask VictoriaMetrics: %w", err)
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return fmt.Errorf("read the answer: %w", err)
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("VictoriaMetrics answers %d: %s", response.StatusCode, text)
	}
	return json.Unmarshal(text, into)
}
