module tailrace.dev/dashboards/proof

go 1.26.0

require (
	github.com/ClickHouse/clickhouse-go/v2 v2.50.0
	github.com/grafana/grafana-plugin-sdk-go v0.298.0
	github.com/grafana/sqlds/v5 v5.3.0
	go.yaml.in/yaml/v3 v3.0.4
	tailrace.dev/schemas v0.0.0
	tailrace.dev/warehouse v0.0.0
)

replace (
	tailrace.dev/schemas => ../../schemas
	tailrace.dev/warehouse => ../../warehouse
)
