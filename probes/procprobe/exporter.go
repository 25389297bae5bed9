// SPDX-License-Identifier: Apache-2.0

package main

import (
	"log/slog"
	"sync"

	"github.com/prometheus/client_golang/prometheus"

	"tailrace.dev/probes/procprobe/internal/groups"
	"tailrace.dev/probes/procprobe/internal/pressure"
)

type exporter struct {
	mu        sync.Mutex
	groups    *groups.Groups
	pressures []pressure.Source
	log       *slog.Logger
	logged    map[string]bool // groups whose missing pressure is in the log
}

type metric struct {
	desc  *prometheus.Desc
	kind  prometheus.ValueType
	value func(groups.Use) float64
}

func perGroup(name, help string, kind prometheus.ValueType, value func(groups.Use) float64) metric {
	return metric{prometheus.NewDesc("procprobe_"+name, help, []string{"group"}, nil), kind, value}
}

var (
	cpuDesc = prometheus.NewDesc("procprobe_cpu_seconds_total",
		"CPU time of the group's processes, ended ones included.", []string{"group", "mode"}, nil)
	pressureDesc = prometheus.NewDesc("procprobe_pressure_seconds_total",
		"Time in which some or all tasks of the control group waited for the resource.", []string{"group", "resource", "extent"}, nil)
	pressureUpDesc = prometheus.NewDesc("procprobe_pressure_up",
		"1 when the control group's pressure can be read; 0 where the group could not be made.", []string{"group"}, nil)
	metrics = []metric{
		perGroup("read_bytes_total", "Bytes fetched from drives.", prometheus.CounterValue,
			func(u groups.Use) float64 { return u.Read }),
		perGroup("written_bytes_total", "Bytes dirtied for drives, counted at the write and not at write-back.", prometheus.CounterValue,
			func(u groups.Use) float64 { return u.Written }),
		perGroup("block_io_delay_seconds_total", "Time tasks waited for I/O; 0 unless the kernel has delay accounting on.",
			prometheus.CounterValue, func(u groups.Use) float64 { return u.BlockIODelay }),
		perGroup("major_faults_total", "Page faults that had to read from a drive.", prometheus.CounterValue,
			func(u groups.Use) float64 { return u.MajorFaults }),
		perGroup("resident_memory_bytes", "Memory in RAM.", prometheus.GaugeValue,
			func(u groups.Use) float64 { return u.Resident }),
		perGroup("threads", "Threads.", prometheus.GaugeValue, func(u groups.Use) float64 { return u.Threads }),
		perGroup("processes", "Processes.", prometheus.GaugeValue, func(u groups.Use) float64 { return u.Processes }),
		perGroup("stopped_processes", "Processes that a signal or a debugger holds.", prometheus.GaugeValue,
			func(u groups.Use) float64 { return u.Stopped }),
	}
)

// Describe sends the metrics' descriptions.
func (e *exporter) Describe(out chan<- *prometheus.Desc) {
	out <- cpuDesc
	out <- pressureDesc
	out <- pressureUpDesc
	for _, m := range metrics {
		out <- m.desc
	}
}

// Collect reads everything again.
func (e *exporter) Collect(out chan<- prometheus.Metric) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, source := range e.pressures {
		e.collectPressure(source, out)
	}
	uses, err := e.groups.Read()
	if err != nil {
		e.log.Error("scrape without processes", "error", err)
		return
	}
	for group, use := range uses {
		out <- prometheus.MustNewConstMetric(cpuDesc, prometheus.CounterValue, use.User, group, "user")
		out <- prometheus.MustNewConstMetric(cpuDesc, prometheus.CounterValue, use.System, group, "system")
		for _, m := range metrics {
			out <- prometheus.MustNewConstMetric(m.desc, m.kind, m.value(use), group)
		}
	}
}

func (e *exporter) collectPressure(source pressure.Source, out chan<- prometheus.Metric) {
	stalls, err := source.Read()
	if err != nil {
		if !e.logged[source.Group] {
			e.logged[source.Group] = true
			e.log.Warn("no pressure files of the group", "error", err)
		}
		out <- prometheus.MustNewConstMetric(pressureUpDesc, prometheus.GaugeValue, 0, source.Group)
		return
	}
	e.logged[source.Group] = false
	out <- prometheus.MustNewConstMetric(pressureUpDesc, prometheus.GaugeValue, 1, source.Group)
	for _, stall := range stalls {
		out <- prometheus.MustNewConstMetric(pressureDesc, prometheus.CounterValue, stall.Seconds, source.Group, stall.Resource, stall.Extent)
	}
}
