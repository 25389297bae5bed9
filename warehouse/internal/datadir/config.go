// SPDX-License-Identifier: Apache-2.0

package datadir

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
)

// config is the engine's server configuration. The pools suit two cores that are shared with a broker; the caches are
// small because the host's page cache replaces them.
const config = `<clickhouse>
    <logger><level>error</level></logger>
    <max_server_memory_usage>%d</max_server_memory_usage>
    <background_pool_size>2</background_pool_size>
    <background_merges_mutations_concurrency_ratio>2</background_merges_mutations_concurrency_ratio>
    <background_schedule_pool_size>4</background_schedule_pool_size>
    <mark_cache_size>67108864</mark_cache_size>
    <uncompressed_cache_size>0</uncompressed_cache_size>
%s</clickhouse>
`

// flushed makes every table flush a data part and its folder's entry before an INSERT is answered, and a merged one before
// those that it replaces are deleted. A table's own settings come before these.
const flushed = `    <merge_tree>
        <fsync_after_insert>1</fsync_after_insert>
        <fsync_part_directory>1</fsync_part_directory>
        <min_rows_to_fsync_after_merge>1</min_rows_to_fsync_after_merge>
        <min_compressed_bytes_to_fsync_after_merge>1</min_compressed_bytes_to_fsync_after_merge>
    </merge_tree>
`

// WriteConfig writes the engine's configuration into the directory and returns the file's path. With fsync, what was
// answered survives a power loss.
func (d *Dir) WriteConfig(maxMemory int64, fsync bool) (string, error) {
	path := filepath.Join(d.Path, "warehouse.xml")
	more := ""
	if fsync {
		more = flushed
	}
	if err := os.WriteFile(path, fmt.Appendf(nil, config, maxMemory, more), 0o600); err != nil {
		return "", fmt.Errorf("write engine configuration: %w", err)
	}
	return path, nil
}

// Settings are those that every connection starts with. One query may take three quarters of the memory, so that a heavy
// SELECT fails before it makes inserts fail. Large groupings and sorts go to disk at an eighth, because a query may have
// several of them at once.
func Settings(maxMemory int64) map[string]string {
	share := func(eighths int64) string { return strconv.FormatInt(maxMemory/8*eighths, 10) }
	return map[string]string{
		"max_memory_usage":                   share(6),
		"max_bytes_before_external_group_by": share(1),
		"max_bytes_before_external_sort":     share(1),
		// The engine's default share, half of the memory, would win and be too late for a sort.
		"max_bytes_ratio_before_external_sort": "0",
		// An answered INSERT is a committed one.
		"async_insert": "0",
		// The embedded engine would run a bare expression as a SELECT; a server does not.
		"implicit_select": "0",
	}
}
