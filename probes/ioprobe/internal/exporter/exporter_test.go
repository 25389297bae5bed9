// SPDX-License-Identifier: Apache-2.0

package exporter

import (
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil"

	"tailrace.dev/probes/ioprobe/internal/device"
	"tailrace.dev/probes/ioprobe/internal/kernel"
	"tailrace.dev/probes/ioprobe/internal/process"
	"tailrace.dev/probes/ioprobe/internal/totals"
)

type fixed struct {
	samples []kernel.Sample
	err     error
}

func (f fixed) Read() ([]kernel.Sample, uint64, error)       { return f.samples, 2, f.err }
func (f fixed) Forget(s kernel.Sample) (kernel.Sample, bool) { return s, true }
func of(source totals.Source, missing string, t *testing.T) *Exporter {
	t.Helper()
	feature := kernel.Feature{Name: "sync_calls", Required: true}
	sums := totals.New(source, device.NewNames(t.TempDir()), process.NewNames(t.TempDir()))
	return New([]kernel.State{{Feature: feature, Reason: missing}}, missing, sums, slog.New(slog.DiscardHandler))
}

func TestARefusedProbeSaysWhy(t *testing.T) {
	want := `
# HELP ioprobe_feature_up 1 when the feature's tracepoints are attached; else 0 and the reason.
# TYPE ioprobe_feature_up gauge
ioprobe_feature_up{feature="sync_calls",reason="no tracefs"} 0
# HELP ioprobe_up 1 when every required probe is attached; else 0 and the reason names what is missing.
# TYPE ioprobe_up gauge
ioprobe_up{reason="no tracefs"} 0
`
	if err := testutil.CollectAndCompare(of(fixed{}, "no tracefs", t), strings.NewReader(want), "ioprobe_up", "ioprobe_feature_up"); err != nil {
		t.Error(err)
	}
}

func TestAFailedReadIsNotUp(t *testing.T) {
	want := `
# HELP ioprobe_up 1 when every required probe is attached; else 0 and the reason names what is missing.
# TYPE ioprobe_up gauge
ioprobe_up{reason="collecting: map is gone"} 0
`
	broken := of(fixed{err: errors.New("map is gone")}, "", t)
	if err := testutil.CollectAndCompare(broken, strings.NewReader(want), "ioprobe_up"); err != nil {
		t.Error(err)
	}
}

func TestSlotsBecomeSeconds(t *testing.T) {
	s := kernel.Sample{Op: kernel.Fsync, Comm: "java", SumNs: 3_000_000_000}
	s.Counts[0], s.Counts[10], s.Counts[kernel.Slots-1] = 4, 2, 1
	count, buckets := cumulative(totals.Histogram{Counts: s.Counts, SumNs: s.SumNs})
	if count != 7 {
		t.Errorf("count %d; want 7", count)
	}
	for _, c := range []struct {
		le   float64
		want uint64
	}{{2e-6, 4}, {1.024e-3, 4}, {2.048e-3, 6}, {67.108864, 6}} {
		found := false
		for le, n := range buckets {
			if le > c.le*0.999 && le < c.le*1.001 {
				found = true
				if n != c.want {
					t.Errorf("le=%g holds %d; want %d", c.le, n, c.want)
				}
			}
		}
		if !found {
			t.Errorf("no bucket le=%g", c.le)
		}
	}
}

func TestEachOperationHasItsMetric(t *testing.T) {
	for _, c := range []struct {
		op   kernel.Op
		want string
	}{
		{kernel.Msync, "ioprobe_sync_duration_seconds"},
		{kernel.FilesystemSync, "ioprobe_sync_duration_seconds"},
		{kernel.UntimedSync, "ioprobe_untimed_syncs_total"},
		{kernel.Discard, "ioprobe_block_io_duration_seconds"},
	} {
		t.Run(c.want, func(t *testing.T) {
			s := kernel.Sample{Op: c.op, Comm: "java"}
			s.Counts[0] = 1
			if n := testutil.CollectAndCount(of(fixed{samples: []kernel.Sample{s}}, "", t), c.want); n != 1 {
				t.Errorf("%d series; want 1", n)
			}
		})
	}
}
