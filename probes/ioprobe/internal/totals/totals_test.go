// SPDX-License-Identifier: Apache-2.0

package totals

import (
	"os"
	"path/filepath"
	"testing"

	"tailrace.dev/probes/ioprobe/internal/device"
	"tailrace.dev/probes/ioprobe/internal/kernel"
	"tailrace.dev/probes/ioprobe/internal/process"
)

// table is the kernel's table, held in memory so that processes can end on cue.
type table []kernel.Sample

func (t *table) Read() ([]kernel.Sample, uint64, error) { return append(table(nil), *t...), 3, nil }

func (t *table) Forget(s kernel.Sample) (kernel.Sample, bool) {
	for i, own := range *t {
		if own.Process == s.Process && own.Op == s.Op && own.Device == s.Device {
			*t = append((*t)[:i:i], (*t)[i+1:]...)
			own.Counts[1]++ // one more event came between Read and Forget
			return own, true
		}
	}
	return s, false
}

func sample(pid uint32, count uint64) kernel.Sample {
	s := kernel.Sample{Process: pid, Op: kernel.Fsync, Comm: "fio", SumNs: 1000 * count}
	s.Counts[0] = count
	return s
}

func collect(t *testing.T, sums *Totals) Histogram {
	t.Helper()
	series, dropped, err := sums.Collect()
	if err != nil {
		t.Fatal(err)
	}
	if dropped != 3 {
		t.Errorf("dropped %d; the kernel reported 3", dropped)
	}
	return series[Key{Op: kernel.Fsync, Process: "fio"}]
}

func TestCountersDoNotFallWhenProcessesEnd(t *testing.T) {
	proc := t.TempDir()
	alive := filepath.Join(proc, "20")
	if err := os.MkdirAll(alive, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(alive, "comm"), []byte("fio"), 0o644); err != nil {
		t.Fatal(err)
	}
	kernelTable := table{sample(20, 5), sample(21, 7)}
	sums := New(&kernelTable, device.NewNames(t.TempDir()), process.NewNames(proc))

	first := collect(t, sums)
	if len(kernelTable) != 1 {
		t.Errorf("%d entries in the kernel's table; the ended process should have left", len(kernelTable))
	}
	second := collect(t, sums)
	if second.Counts[0] != 12 || second.Counts[1] != 1 || second.SumNs != 12000 {
		t.Errorf("second scrape: %v, %d ns; want 12 and the late 1, 12000 ns", second.Counts[:2], second.SumNs)
	}
	for i := range first.Counts {
		if second.Counts[i] < first.Counts[i] {
			t.Errorf("slot %d fell from %d to %d", i, first.Counts[i], second.Counts[i])
		}
	}
}

func TestProcessesOfOneNameAreOneSeries(t *testing.T) {
	kernelTable := table{sample(30, 1), sample(31, 2), sample(32, 4)}
	sums := New(&kernelTable, device.NewNames(t.TempDir()), process.NewNames(t.TempDir()))
	collect(t, sums)
	if got := collect(t, sums); got.Counts[0] != 7 {
		t.Errorf("sum of three processes is %d; want 7", got.Counts[0])
	}
}
