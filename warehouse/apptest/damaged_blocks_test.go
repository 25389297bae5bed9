// SPDX-License-Identifier: Apache-2.0

package apptest

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"tailrace.dev/warehouse/warehousetest"
)

var damagedBlocks = flag.Int("damaged", 300, "damaged blocks to send")

// TestDamagedBlocksHarmNothing sends blocks with a few bytes changed, removed, doubled or made huge. Each must be answered
// and stored completely or not at all, and the engine must survive. If other bytes follow a complete block, that block is
// stored and only the rest refused. The blocks are the same in every run.
func TestDamagedBlocksHarmNothing(t *testing.T) {
	w := warehousetest.Start(t)
	w.Query(t, events)
	good := w.Query(t, eventRows(0, 50)+" FORMAT Native")
	r := rand.New(rand.NewPCG(7, 7))
	stored, refused := 0, 0
	count := func() int {
		n, err := strconv.Atoi(w.Query(t, "SELECT count() FROM events"))
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	for i := range *damagedBlocks {
		block := damage(r, []byte(good))
		response, err := w.Send(warehousetest.Insert(insertEvents, fmt.Sprintf("run/0/events/%d", i), warehousetest.Compress(t, block)))
		if err != nil || response.Err != nil {
			t.Fatalf("block %d got no answer: %v %v\n%q\n%s", i, err, response.Err, block, w.Log())
		}
		rows := count()
		if response.Status == 200 {
			stored = rows
			continue
		}
		refused++
		if response.Code() == "" {
			t.Errorf("block %d: refused with %d and no code: %s", i, response.Status, response.Body)
		}
		if rows != stored {
			if left := rows - stored; !beginsWithBlock(t, w, block, left, count) {
				t.Fatalf("block %d was refused, %s, and left %d rows\n%q", i, response.Body, left, block)
			}
			stored = count()
		}
	}
	if refused < *damagedBlocks/2 {
		t.Errorf("only %d of %d blocks were refused: the damage is too small", refused, *damagedBlocks)
	}
	whole := w.Block(t, eventRows(0, 50))
	if response := w.MustSend(t, warehousetest.Insert(insertEvents, "run/0/events/good", whole)); response.Status != 200 {
		t.Fatalf("a good block after all the damaged ones: %d %s", response.Status, response.Body)
	}
}

// beginsWithBlock reports whether the bytes begin with a complete block of that many rows, by storing it.
func beginsWithBlock(t *testing.T, w *warehousetest.Warehouse, block []byte, rows int, count func() int) bool {
	t.Helper()
	for n := len(block) - 1; n > 0; n-- {
		before := count()
		token := fmt.Sprintf("front/%d/%d", before, n)
		if response := w.MustSend(t, warehousetest.Insert(insertEvents, token, warehousetest.Compress(t, block[:n]))); response.Status == 200 && count()-before == rows {
			return true
		}
	}
	return false
}

// damage changes a block in one to three places.
func damage(r *rand.Rand, block []byte) []byte {
	for range 1 + r.IntN(3) {
		at := r.IntN(len(block))
		// Names, types and lengths are at the front of columns; most bytes are data, where damage only changes a value.
		if r.IntN(2) == 0 {
			at = r.IntN(min(60, len(block)))
		}
		to := at + r.IntN(min(16, len(block)-at)+1)
		switch r.IntN(5) {
		case 0:
			block[at] ^= 1 << r.IntN(8)
		case 1:
			block = slices.Delete(block, at, to)
		case 2:
			block = slices.Insert(block, at, block[at:to]...)
		case 3:
			for i := at; i < to; i++ {
				block[i] = 0xff
			}
		case 4:
			block = slices.Insert(block, at, byte(r.IntN(256)), byte(r.IntN(256)))
		}
	}
	return block
}
