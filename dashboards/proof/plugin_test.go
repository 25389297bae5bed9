// SPDX-License-Identifier: Apache-2.0

// Package proof runs what the dashboards ask as Grafana would, without a Grafana server.
//
// Grafana's ClickHouse plugin is a thin driver on sqlds and clickhouse-go; this is another one on the same two,
// with the same query model and macros. VictoriaMetrics is asked through its own HTTP interface.
package proof

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/grafana/grafana-plugin-sdk-go/data/sqlutil"
	"github.com/grafana/sqlds/v5"
)

// Source is what the provisioned data source states about a ClickHouse server; the names are the plugin's.
type Source struct {
	Host            string `json:"host"`
	Port            int    `json:"port,string"` // a text: Grafana fills it in from its environment
	Protocol        string `json:"protocol"`
	Username        string `json:"username"`
	DefaultDatabase string `json:"defaultDatabase"`
}

type driver struct{}

// Connect opens ClickHouse's HTTP interface with gzip, as the plugin does.
func (driver) Connect(_ context.Context, settings backend.DataSourceInstanceSettings, _ json.RawMessage) (*sql.DB, error) {
	var source Source
	if err := json.Unmarshal(settings.JSONData, &source); err != nil {
		return nil, fmt.Errorf("read the data source: %w", err)
	}
	if source.Protocol != "http" {
		return nil, fmt.Errorf("protocol %q: Tailrace's warehouse speaks http", source.Protocol)
	}
	return clickhouse.OpenDB(&clickhouse.Options{
		Protocol: clickhouse.HTTP,
		Addr:     []string{fmt.Sprintf("%s:%d", source.Host, source.Port)},
		Auth: clickhouse.Auth{
			Database: source.DefaultDatabase,
			Username: source.Username,
			Password: settings.DecryptedSecureJSONData["password"],
		},
		Compression: &clickhouse.Compression{Method: clickhouse.CompressionGZIP},
	}), nil
}

// Settings fill the missing times of a series with null, as the plugin does.
func (driver) Settings(context.Context, backend.DataSourceInstanceSettings) sqlds.DriverSettings {
	return sqlds.DriverSettings{Timeout: time.Minute, FillMode: &data.FillMissing{Mode: data.FillModeNull}}
}

// Macros of the plugin.
func (driver) Macros() sqlds.Macros { return Macros() }

// Converters of the types that may be NULL.
func (driver) Converters() []sqlutil.Converter { return converters() }

// Plugin is one data source, ready to be asked.
type Plugin struct {
	source   *sqlds.SQLDatasource
	settings backend.DataSourceInstanceSettings
}

// Open makes a data source of its settings.
func Open(ctx context.Context, settings backend.DataSourceInstanceSettings) (*Plugin, error) {
	instance, err := sqlds.NewDatasource(driver{}).NewDatasource(ctx, settings)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", settings.UID, err)
	}
	found, ok := instance.(*sqlds.SQLDatasource)
	if !ok {
		return nil, fmt.Errorf("sqlds gave a %T", instance)
	}
	return &Plugin{source: found, settings: settings}, nil
}

// Ask runs one target as the plugin's backend would.
func (p *Plugin) Ask(ctx context.Context, target json.RawMessage, span backend.TimeRange, step time.Duration) (data.Frames, error) {
	request := &backend.QueryDataRequest{
		PluginContext: backend.PluginContext{DataSourceInstanceSettings: &p.settings},
		Queries:       []backend.DataQuery{{RefID: "A", JSON: target, Interval: step, MaxDataPoints: 1000, TimeRange: span}},
	}
	answer, err := p.source.QueryData(ctx, request)
	if err != nil {
		return nil, err
	}
	return answer.Responses["A"].Frames, answer.Responses["A"].Error
}
