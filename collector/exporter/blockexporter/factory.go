// SPDX-License-Identifier: Apache-2.0

package blockexporter

import (
	"context"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/exporter"
	"go.opentelemetry.io/collector/exporter/exporterhelper"
	"go.uber.org/zap"
)

var componentType = component.MustNewType("tailrace_block")

// NewFactory makes the factory of the exporter `tailrace_block`.
func NewFactory() exporter.Factory {
	return exporter.NewFactory(componentType, createDefaultConfig,
		exporter.WithLogs(createLogs, component.StabilityLevelDevelopment))
}

func createLogs(ctx context.Context, set exporter.Settings, cfg component.Config) (exporter.Logs, error) {
	e, err := newBlockExporter(cfg.(*Config), set.TelemetrySettings)
	if err != nil {
		return nil, err
	}
	// The helper logs "Rejecting data" for every error it passes on, also for those the sender will mend by
	// sending again. This exporter says which it is, once.
	quiet := set
	quiet.Logger = zap.NewNop()
	// Queue, batch and retry stay out on purpose: each of them would answer before ClickHouse has, or join
	// blocks that are deduplicated one by one. The timeout is the HTTP client's, so that it counts per block.
	return exporterhelper.NewLogs(ctx, quiet, cfg, e.export,
		exporterhelper.WithStart(e.start),
		exporterhelper.WithShutdown(e.shutdown),
		exporterhelper.WithTimeout(exporterhelper.TimeoutConfig{Timeout: 0}),
		exporterhelper.WithCapabilities(consumer.Capabilities{MutatesData: false}))
}
