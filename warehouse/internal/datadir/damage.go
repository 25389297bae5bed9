// SPDX-License-Identifier: Apache-2.0

package datadir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Damage lists the missing or unreadable data in a data directory.
type Damage []string

// Missing lists tables whose name exists without data. Call it before the engine starts: the engine forgets such tables.
func (d *Dir) Missing() (Damage, error) {
	links, err := filepath.Glob(filepath.Join(d.Path, "data", "*", "*"))
	if err != nil {
		return nil, fmt.Errorf("data directory: %w", err)
	}
	var damage Damage
	for _, link := range links {
		if _, err := os.Stat(link); errors.Is(err, fs.ErrNotExist) {
			damage = append(damage, fmt.Sprintf("the data of table %s is missing",
				filepath.Base(filepath.Dir(link))+"."+filepath.Base(link)))
		}
	}
	return damage, nil
}

// Broken lists data parts that the engine could not read and has moved aside. Call it after the engine's start: it
// serves the rest as if nothing were missing.
func (d *Dir) Broken() (Damage, error) {
	parts, err := filepath.Glob(filepath.Join(d.Path, "store", "*", "*", "detached", "broken*"))
	if err != nil {
		return nil, fmt.Errorf("data directory: %w", err)
	}
	var damage Damage
	for _, part := range parts {
		damage = append(damage, fmt.Sprintf("a data part could not be read and was moved to %s", part))
	}
	return damage, nil
}

// Error states the first fault, the number of others, and what to do.
func (d Damage) Error() string {
	more := ""
	if len(d) > 1 {
		more = fmt.Sprintf(" and %d more", len(d)-1)
	}
	return fmt.Sprintf("the data directory is damaged: %s%s. Replace the directory by a copy, or serve the readable rest with --accept-damage",
		strings.ReplaceAll(d[0], "\n", " "), more)
}
