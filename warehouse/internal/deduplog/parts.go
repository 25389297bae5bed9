// SPDX-License-Identifier: Apache-2.0

package deduplog

import (
	"cmp"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
)

// partName is partition, first block, last block, merge level and, after a mutation, its version.
var partName = regexp.MustCompile(`^([^_]+)_(\d+)_(\d+)_\d+(?:_\d+)?$`)

// span is a range of blocks, both ends included.
type span struct{ first, last uint64 }

// parts are the block numbers in a table's data parts, by partition.
type parts map[string][]span

func parsePart(name string) (partition string, blocks span, ok bool) {
	m := partName.FindStringSubmatch(name)
	if m == nil {
		return "", span{}, false
	}
	first, err1 := strconv.ParseUint(m[2], 10, 64)
	last, err2 := strconv.ParseUint(m[3], 10, 64)
	return m[1], span{first, last}, err1 == nil && err2 == nil
}

// partsOf lists a table's directory. Unfinished data parts have names with a prefix such as tmp_insert_ and do not count.
func partsOf(tableDir string) (parts, error) {
	entries, err := os.ReadDir(tableDir)
	if err != nil {
		return nil, err
	}
	found := parts{}
	for _, entry := range entries {
		if partition, blocks, ok := parsePart(entry.Name()); ok && entry.IsDir() {
			found[partition] = append(found[partition], blocks)
		}
	}
	return found, nil
}

// contain reports whether the data part exists, alone or merged into another. A name that it cannot parse counts as existing:
// Repair leaves unknown forms alone.
func (p parts) contain(name string) bool {
	partition, want, ok := parsePart(name)
	return !ok || slices.ContainsFunc(p[partition], func(s span) bool {
		return s.first <= want.first && want.last <= s.last
	})
}

// logFiles lists the files of a log in the order of their creation.
func logFiles(dir string) ([]string, error) {
	files, err := filepath.Glob(filepath.Join(dir, "deduplication_log_*.txt"))
	if err != nil {
		return nil, err
	}
	slices.SortFunc(files, func(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) })
	return files, nil
}
