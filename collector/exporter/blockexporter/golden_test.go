// SPDX-License-Identifier: Apache-2.0

package blockexporter

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const goldenSuffix = ".native.zst"

// goldenBlocks reads testdata/blocks, which the load generator writes: one compressed block per stream.
func goldenBlocks(t *testing.T) map[string][]byte {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", "..", "..", "testdata", "blocks", "*"+goldenSuffix))
	require.NoError(t, err)
	blocks := map[string][]byte{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		blocks[strings.TrimSuffix(filepath.Base(file), goldenSuffix)] = data
	}
	return blocks
}

// goldenRows reads the number of rows of each golden block.
func goldenRows(t *testing.T) map[string]uint64 {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "testdata", "blocks", "manifest.json"))
	require.NoError(t, err)
	var entries []struct {
		Stream string
		Rows   uint64
	}
	require.NoError(t, json.Unmarshal(text, &entries))
	rows := map[string]uint64{}
	for _, e := range entries {
		rows[e.Stream] = e.Rows
	}
	return rows
}

func TestGoldenBlocks(t *testing.T) {
	blocks := goldenBlocks(t)
	assert.Equal(t, slices.Sorted(maps.Keys(inserts)), slices.Sorted(maps.Keys(blocks)), "one golden block per stream")
	wantRows := goldenRows(t)
	decoder, err := zstd.NewReader(nil)
	require.NoError(t, err)
	defer decoder.Close()
	for stream, columns := range contractStreams(t) {
		compressed := blocks[stream]
		var header zstd.Header
		require.NoError(t, header.Decode(compressed), stream)
		assert.True(t, header.HasFCS, "%s: the frame must state its content size", stream)

		data, err := decoder.DecodeAll(compressed, nil)
		require.NoError(t, err, stream)
		assert.EqualValues(t, header.FrameContentSize, len(data), "%s: one frame", stream)
		got, rows, err := readNative(data)
		require.NoError(t, err, stream)
		assert.Equal(t, columns, got, stream)
		assert.Equal(t, wantRows[stream], rows, stream)
	}
}
