// SPDX-License-Identifier: Apache-2.0

package device

import (
	"os"
	"path/filepath"
	"testing"

	"tailrace.dev/probes/ioprobe/internal/kernel"
)

// add makes a device as sysfs has it: a folder below devices, with a file "partition" if it is one, and a link to it.
func add(t *testing.T, sys, number, folder string, partition bool) {
	t.Helper()
	for _, made := range []string{filepath.Join(sys, "dev", "block"), filepath.Join(sys, "devices", folder)} {
		if err := os.MkdirAll(made, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if partition {
		if err := os.WriteFile(filepath.Join(sys, "devices", folder, "partition"), []byte("1\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Join("../../devices", folder), filepath.Join(sys, "dev", "block", number)); err != nil {
		t.Fatal(err)
	}
}

func TestNames(t *testing.T) {
	sys := t.TempDir()
	for _, d := range []struct {
		number, folder string
		partition      bool
	}{
		{"259:0", "pci0000:00/nvme/nvme0/nvme0n1", false},
		{"259:1", "pci0000:00/nvme/nvme0/nvme0n1/nvme0n1p1", true},
		{"8:0", "pci0000:00/ata1/block/sda", false},
		{"8:1", "pci0000:00/ata1/block/sda/sda1", true},
		{"253:0", "virtual/block/dm-0", false},
		{"9:127", "virtual/block/md127", false},
		{"259:2", "virtual/block/md127/md127p1", true},
	} {
		add(t, sys, d.number, d.folder, d.partition)
	}
	names := NewNames(sys)
	number := func(major, minor uint32) kernel.Device { return kernel.Device(major<<20 | minor) }
	for _, c := range []struct {
		name   string
		device kernel.Device
		want   string
	}{
		{"whole drive", number(8, 0), "sda"},
		{"partition", number(8, 1), "sda"},
		{"whole NVMe drive", number(259, 0), "nvme0n1"},
		{"partition of an NVMe drive", number(259, 1), "nvme0n1"},
		{"logical volume", number(253, 0), "dm-0"},
		{"RAID", number(9, 127), "md127"},
		{"partition of a RAID", number(259, 2), "md127"},
		{"unknown to the file system", 0, ""},
		{"unknown to sysfs", number(8, 16), "8:16"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, when := range []string{"first", "again"} {
				if got := names.Name(c.device); got != c.want {
					t.Errorf("Of(%d) is %q %s; want %q", c.device, got, when, c.want)
				}
			}
		})
	}
	add(t, sys, "8:16", "pci0000:00/ata2/block/sdb", false)
	if got := names.Name(number(8, 16)); got != "sdb" {
		t.Errorf("a drive that appeared later is %q; want sdb", got)
	}
}
