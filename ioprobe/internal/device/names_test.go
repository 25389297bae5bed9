// SPDX-License-Identifier: Apache-2.0

package device

import (
	"os"
	"path/filepath"
	"testing"

	"tailrace.dev/ioprobe/internal/kernel"
)

func TestNames(t *testing.T) {
	sys := t.TempDir()
	if err := os.MkdirAll(filepath.Join(sys, "dev", "block"), 0o755); err != nil {
		t.Fatal(err)
	}
	link := func(number, target string) {
		t.Helper()
		if err := os.Symlink(target, filepath.Join(sys, "dev", "block", number)); err != nil {
			t.Fatal(err)
		}
	}
	link("259:0", "../../devices/pci0000:00/nvme/nvme0/nvme0n1")
	names := NewNames(sys)
	number := func(major, minor uint32) kernel.Device { return kernel.Device(major<<20 | minor) }
	for _, c := range []struct {
		name   string
		device kernel.Device
		want   string
	}{
		{"known", number(259, 0), "nvme0n1"},
		{"unknown to the file system", 0, ""},
		{"unknown to sysfs", number(8, 16), "8:16"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := names.Of(c.device); got != c.want {
				t.Errorf("Of(%d) = %q; want %q", c.device, got, c.want)
			}
		})
	}
	link("8:16", "../../devices/pci0000:00/block/sdb")
	if got := names.Of(number(8, 16)); got != "sdb" {
		t.Errorf("a drive that appeared later is %q; want sdb", got)
	}
}
