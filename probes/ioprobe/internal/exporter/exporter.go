// SPDX-License-Identifier: Apache-2.0

// Package exporter shows the totals as Prometheus metrics, in seconds.
package exporter

import (
	"log/slog"
	"sync"

	"github.com/prometheus/client_golang/prometheus"

	"tailrace.dev/probes/ioprobe/internal/kernel"
	"tailrace.dev/probes/ioprobe/internal/totals"
)

var (
	upDesc = prometheus.NewDesc("ioprobe_up",
		"1 when every required probe is attached; else 0 and the reason names what is missing.", []string{"reason"}, nil)
	featureDesc = prometheus.NewDesc("ioprobe_feature_up",
		"1 when the feature's tracepoints are attached; else 0 and the reason.", []string{"feature", "reason"}, nil)
	syncDesc = prometheus.NewDesc("ioprobe_sync_duration_seconds",
		"Duration of fsync, fdatasync and msync calls, and of file system syncs that no call asked for (op filesystem), "+
			"by process name; device is empty where the file system does not report it.", []string{"device", "op", "process"}, nil)
	untimedDesc = prometheus.NewDesc("ioprobe_untimed_syncs_total",
		"File system syncs seen to start but not to end (XFS, asked for by AIO, io_uring or the kernel).",
		[]string{"device", "process"}, nil)
	blockDesc = prometheus.NewDesc("ioprobe_block_io_duration_seconds",
		"Time from an I/O request's issue to the drive until its completion, by the process that issued it "+
			"(write-back is issued by kworker). Bare flushes are not here: node_exporter has them.",
		[]string{"device", "op", "process"}, nil)
	droppedDesc = prometheus.NewDesc("ioprobe_dropped_events_total",
		"Events not counted because the kernel's table was full.", nil, nil)
)

var syncOps = map[kernel.Op]string{
	kernel.Fsync: "fsync", kernel.Fdatasync: "fdatasync", kernel.Msync: "msync", kernel.FilesystemSync: "filesystem",
}

var blockOps = map[kernel.Op]string{
	kernel.Read: "read", kernel.Write: "write", kernel.Discard: "discard", kernel.OtherRequest: "other",
}

// Exporter is a prometheus.Collector.
type Exporter struct {
	mu      sync.Mutex
	states  []kernel.State
	missing string
	totals  *totals.Totals
	log     *slog.Logger
}

// New exporter. missing is empty when the probe is up.
func New(states []kernel.State, missing string, t *totals.Totals, log *slog.Logger) *Exporter {
	return &Exporter{states: states, missing: missing, totals: t, log: log}
}

// Describe sends the metrics' descriptions.
func (e *Exporter) Describe(out chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{upDesc, featureDesc, syncDesc, untimedDesc, blockDesc, droppedDesc} {
		out <- d
	}
}

// Collect reads the kernel's maps at each scrape.
func (e *Exporter) Collect(out chan<- prometheus.Metric) {
	e.mu.Lock()
	defer e.mu.Unlock()
	series, dropped, err := e.totals.Collect()
	missing := e.missing
	if err != nil {
		missing = err.Error()
		e.log.Error("scrape without histograms", "error", err)
	}
	up := 1.0
	if missing != "" {
		up = 0
	}
	out <- prometheus.MustNewConstMetric(upDesc, prometheus.GaugeValue, up, missing)
	for _, s := range e.states {
		attached := 1.0
		if s.Reason != "" {
			attached = 0
		}
		out <- prometheus.MustNewConstMetric(featureDesc, prometheus.GaugeValue, attached, s.Feature.Name, s.Reason)
	}
	out <- prometheus.MustNewConstMetric(droppedDesc, prometheus.CounterValue, float64(dropped))
	for k, h := range series {
		out <- metricOf(k, h)
	}
}

func metricOf(k totals.Key, h totals.Histogram) prometheus.Metric {
	if k.Op == kernel.UntimedSync {
		return prometheus.MustNewConstMetric(untimedDesc, prometheus.CounterValue, float64(h.Counts[0]), k.Device, k.Process)
	}
	count, buckets := cumulative(h)
	seconds := float64(h.SumNs) / 1e9
	if op, found := syncOps[k.Op]; found {
		return prometheus.MustNewConstHistogram(syncDesc, count, seconds, buckets, k.Device, op, k.Process)
	}
	return prometheus.MustNewConstHistogram(blockDesc, count, seconds, buckets, k.Device, blockOps[k.Op], k.Process)
}

// cumulative turns slots into Prometheus buckets: slot i ends below 2^(i+1) µs. The last slot has no
// upper bound, so it is only in the count.
func cumulative(h totals.Histogram) (count uint64, buckets map[float64]uint64) {
	buckets = make(map[float64]uint64, kernel.Slots-1)
	bound := 2e-6
	for i, n := range h.Counts {
		count += n
		if i < kernel.Slots-1 {
			buckets[bound] = count
			bound *= 2
		}
	}
	return count, buckets
}
