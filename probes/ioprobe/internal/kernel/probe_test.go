// SPDX-License-Identifier: Apache-2.0

package kernel_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"tailrace.dev/probes/ioprobe/bpf"
	"tailrace.dev/probes/ioprobe/internal/kernel"
)

// attached returns a probe on this kernel, or skips with the kernel's own reason.
func attached(t *testing.T) *kernel.Probe {
	t.Helper()
	probe := kernel.Attach(bpf.Object)
	t.Cleanup(func() {
		if err := probe.Close(); err != nil {
			t.Errorf("closing: %v", err)
		}
	})
	if missing := probe.Missing(); missing != "" {
		t.Skipf("this kernel or user may not: %s", missing)
	}
	return probe
}

// own sums this process's samples of one operation.
func own(t *testing.T, probe *kernel.Probe, op kernel.Op) (count, sumNs uint64, device kernel.Device) {
	t.Helper()
	samples, _, err := probe.Read()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range samples {
		if s.Op != op || s.Process != uint32(os.Getpid()) {
			continue
		}
		for _, n := range s.Counts {
			count += n
		}
		sumNs += s.SumNs
		device = s.Device
	}
	return count, sumNs, device
}

func TestEveryFsyncIsCountedAndTimed(t *testing.T) {
	probe := attached(t)
	file, err := os.Create(filepath.Join(t.TempDir(), "synced"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	const syncs = 25
	var outside time.Duration
	for range syncs {
		if _, err := file.WriteString("a line that must reach the drive\n"); err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		if err := file.Sync(); err != nil {
			t.Fatal(err)
		}
		outside += time.Since(start)
	}
	count, sumNs, _ := own(t, probe, kernel.Fsync)
	if count != syncs {
		t.Errorf("the kernel counted %d fsyncs of this process, it made %d", count, syncs)
	}
	if sumNs == 0 || sumNs > uint64(outside) {
		t.Errorf("the kernel's %d ns are not within the %d ns that the caller waited", sumNs, outside)
	}
}

func TestAProcessIsForgottenWithItsLastState(t *testing.T) {
	probe := attached(t)
	file, err := os.Create(filepath.Join(t.TempDir(), "synced"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	if err := file.Sync(); err != nil {
		t.Fatal(err)
	}
	samples, _, err := probe.Read()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range samples {
		if s.Op != kernel.Fsync || s.Process != uint32(os.Getpid()) {
			continue
		}
		if last, found := probe.Forget(s); !found || last.Counts != s.Counts {
			t.Errorf("forgetting returned %v, %v; want %v", last.Counts, found, s.Counts)
		}
		if _, found := probe.Forget(s); found {
			t.Error("a forgotten process was found again")
		}
		return
	}
	t.Fatal("the fsync of this process was not seen")
}

func TestAnObjectThatIsNoneIsAReasonNotAFailure(t *testing.T) {
	probe := kernel.Attach([]byte("not an object"))
	if probe.Missing() == "" {
		t.Fatal("a probe without an object reports that it is up")
	}
	if samples, dropped, err := probe.Read(); len(samples) != 0 || dropped != 0 || err != nil {
		t.Errorf("Read() = %v, %d, %v; want nothing", samples, dropped, err)
	}
	for _, s := range probe.States() {
		if s.Reason == "" {
			t.Errorf("feature %s is attached without an object", s.Feature.Name)
		}
	}
}
