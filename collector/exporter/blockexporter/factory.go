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

// NewFactory creates the factory of the exporter `tailrace_block`.
func NewFactory() exporter.Factory {
	return exporter.NewFactory(componentType, createDefaultConfig,
		exporter.WithLogs(createLogs, component.StabilityLevelDevelopment))
}

func createLogs(ctx context.Context, set exporter.Settings, cfg component.Config) (exporter.Logs, error) {
	e, err := newBlockExporter(cfg.(*Config), set.TelemetrySettings)
	if err != nil {
		return nil, err
	}
	// The helper logs "Rejecting data" for every error, also for those that the sender cures by sending again. This
	// exporter logs each failure itself, with its kind.
	quiet := set
	quiet.Logger = zap.NewNop()
	// No queue, batch or retry: each of them would answer before ClickHouse does, or join blocks that are deduplicated
	// one by one. The exporter applies the timeout to each block.
	return exporterhelper.NewLogs(ctx, quiet, cfg, e.export,
		exporterhelper.WithStart(e.start),
		exporterhelper.WithShutdown(e.shutdown),
		exporterhelper.WithTimeout(exporterhelper.TimeoutConfig{Timeout: 0}),
		exporterhelper.WithCapabilities(consumer.Capabilities{MutatesData: false}))
}
