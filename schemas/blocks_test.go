// SPDX-License-Identifier: Apache-2.0

package schemas_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tailrace.dev/warehouse/warehousetest"
)

// streams are the tables that take blocks (docs/contracts/block.md).
var streams = []string{"publishes", "deliveries", "publish_failures", "run_events", "partition_leaders", "transactions", "broker_requests", "ledger"}

const blocks = "../testdata/blocks"

// TestGoldenBlocks stores every golden block as the collector does and reads back the rows beside it.
func TestGoldenBlocks(t *testing.T) {
	w := migrated(t)
	for _, stream := range streams {
		block, err := os.ReadFile(filepath.Join(blocks, stream+".native.zst"))
		if err != nil {
			t.Fatal(err)
		}
		rows, err := os.ReadFile(filepath.Join(blocks, stream+".jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		want := bytes.Split(bytes.TrimSpace(rows), []byte("\n"))
		columns := keys(t, want[0])
		statement := fmt.Sprintf("INSERT INTO %s (%s)", stream, strings.Join(columns, ", "))
		for range 2 { // the second time is a re-send
			response := w.MustSend(t, warehousetest.Insert(statement, "golden/0/"+stream+"/0", block))
			if response.Status != 200 {
				t.Fatalf("%s: %d %s", stream, response.Status, response.Body)
			}
		}
		got := bytes.Split([]byte(w.Query(t, selectMicros(t, w, stream, columns))), []byte("\n"))
		if g, w := canonical(t, got), canonical(t, want); !slices.Equal(g, w) {
			t.Errorf("%s: %d rows came back, %d were sent; first difference: %s", stream, len(g), len(w), difference(g, w))
		}
	}
}

// selectMicros reads the columns back with times as microseconds since 1970, as the rows beside the blocks
// have them.
func selectMicros(t *testing.T, w *warehousetest.Warehouse, table string, columns []string) string {
	t.Helper()
	expressions := make([]string, len(columns))
	for i, column := range columns {
		kind := w.Query(t, fmt.Sprintf("SELECT type FROM system.columns WHERE database = 'default' AND table = '%s' AND name = '%s'", table, column))
		expressions[i] = column
		if strings.HasPrefix(kind, "DateTime64") {
			expressions[i] = fmt.Sprintf("toUnixTimestamp64Micro(%s) AS %s", column, column)
		}
	}
	return fmt.Sprintf("SELECT %s FROM %s FORMAT JSONEachRow", strings.Join(expressions, ", "), table)
}

// keys are the names of a JSON object in their order.
func keys(t *testing.T, object []byte) (names []string) {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewReader(object))
	for i := 0; ; i++ {
		token, err := decoder.Token()
		if err != nil || token == json.Delim('}') {
			return names
		}
		if i > 0 && i%2 == 1 {
			names = append(names, token.(string))
		}
	}
}

// canonical writes every row in one way and sorts them: a table has no defined order.
func canonical(t *testing.T, rows [][]byte) []string {
	t.Helper()
	out := make([]string, len(rows))
	for i, row := range rows {
		var value map[string]any
		decoder := json.NewDecoder(bytes.NewReader(row))
		decoder.UseNumber()
		if err := decoder.Decode(&value); err != nil {
			t.Fatalf("row %s: %v", row, err)
		}
		text, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		out[i] = string(text)
	}
	slices.Sort(out)
	return out
}

func difference(got, want []string) string {
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			return "got " + got[i] + ", want " + want[i]
		}
	}
	return "the number of rows"
}
