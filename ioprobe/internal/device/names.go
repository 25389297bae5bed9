// SPDX-License-Identifier: Apache-2.0

// Package device turns device numbers into the names that node_exporter uses for the same drives.
package device

import (
	"fmt"
	"os"
	"path/filepath"

	"tailrace.dev/ioprobe/internal/kernel"
)

// Names looks devices up in sysfs and remembers them.
type Names struct {
	sys   string
	known map[kernel.Device]string
}

// NewNames reads below a sysfs mount, usually /sys.
func NewNames(sys string) *Names {
	return &Names{sys: sys, known: map[kernel.Device]string{}}
}

// Of returns the device's name ("nvme0n1", "sda1"), "" for device 0, or MAJOR:MINOR where sysfs does not know it.
func (n *Names) Of(d kernel.Device) string {
	if d == 0 {
		return ""
	}
	if name, found := n.known[d]; found {
		return name
	}
	number := fmt.Sprintf("%d:%d", d.Major(), d.Minor())
	target, err := os.Readlink(filepath.Join(n.sys, "dev", "block", number))
	if err != nil {
		return number // not remembered: a device that is being added is there a moment later
	}
	name := filepath.Base(target)
	n.known[d] = name
	return name
}
