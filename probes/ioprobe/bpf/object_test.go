// SPDX-License-Identifier: Apache-2.0

package bpf

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"strings"
	"testing"
)

func TestObjectWasBuiltFromThisSource(t *testing.T) {
	source, err := os.ReadFile("source/ioprobe.bpf.c")
	if err != nil {
		t.Fatal(err)
	}
	recorded, err := os.ReadFile("source/ioprobe.bpf.c.sha256")
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(source)
	if got, want := hex.EncodeToString(sum[:]), strings.Fields(string(recorded))[0]; got != want {
		t.Errorf("ioprobe.bpf.c has changed since the object was compiled: run probes/ioprobe/bpf/source/build.sh (%s, recorded %s)", got, want)
	}
	if len(Object) == 0 {
		t.Error("the object is empty: run probes/ioprobe/bpf/source/build.sh")
	}
}
