// SPDX-License-Identifier: Apache-2.0

// Package pressure reads the pressure stall information of control groups.
package pressure

import (
	"fmt"
	"strings"

	"github.com/prometheus/procfs"
)

var resources = []string{"cpu", "io", "memory"}

// Source is a named folder that holds pressure/cpu, pressure/io and pressure/memory: usually links
// to a control group's cpu.pressure, io.pressure and memory.pressure.
type Source struct{ Group, Folder string }

// Stall is how long some, or all, of a group's tasks waited for a resource since the group was made, seconds.
type Stall struct {
	Resource, Extent string
	Seconds          float64
}

// ParseSource reads GROUP=FOLDER.
func ParseSource(text string) (Source, error) {
	group, folder, found := strings.Cut(text, "=")
	if !found || group == "" || folder == "" {
		return Source{}, fmt.Errorf("%q is not GROUP=FOLDER", text)
	}
	return Source{group, folder}, nil
}

// Read all resources, or an error that names those that could not be read: the folder need not exist yet.
func (s Source) Read() ([]Stall, error) {
	fs, err := procfs.NewFS(s.Folder)
	if err != nil {
		return nil, fmt.Errorf("pressure of group %s: %w", s.Group, err)
	}
	var stalls []Stall
	for _, resource := range resources {
		stats, err := fs.PSIStatsForResource(resource)
		if err != nil {
			return nil, fmt.Errorf("pressure of group %s: %w", s.Group, err)
		}
		for extent, line := range map[string]*procfs.PSILine{"some": stats.Some, "full": stats.Full} {
			if line != nil {
				stalls = append(stalls, Stall{resource, extent, float64(line.Total) / 1e6})
			}
		}
	}
	return stalls, nil
}
