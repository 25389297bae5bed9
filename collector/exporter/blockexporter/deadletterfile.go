// SPDX-License-Identifier: Apache-2.0

package blockexporter

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"time"
)

// deadLetter is the JSON file beside a refused block: its attributes, the reason, and the URL that stores it after all.
type deadLetter struct {
	Time           time.Time      `json:"time"`
	Reason         reason         `json:"reason"`
	Message        string         `json:"message"`
	ClickHouseCode int            `json:"clickhouse_code"`
	Endpoint       string         `json:"endpoint"`
	Attributes     map[string]any `json:"attributes"`
	File           string         `json:"file"`
	// URL accepts the file by POST, with `Content-Encoding: zstd` and credentials.
	URL string `json:"url"`
}

func (e *blockExporter) deadLetterFor(b *block, failure *deliveryError) deadLetter {
	if !b.complete {
		return deadLetter{}
	}
	address := failure.endpoint
	if address == "" {
		address = e.endpoints.preferred()
	}
	l := deadLetter{
		Time:           time.Now().UTC(),
		Reason:         failure.reason,
		Message:        failure.Error(),
		ClickHouseCode: failure.code,
		Endpoint:       address,
		Attributes: map[string]any{
			attrRunID: b.runID, attrWorkerID: b.worker, attrStream: b.stream, attrSeq: b.seq, attrRows: b.rows,
			attrEncoding: encodingNativeZstd,
		},
		URL: e.cfg.insertURL(address, b),
	}
	if b.columnsText != "" {
		l.Attributes[attrColumns] = b.columnsText[:min(len(b.columnsText), longestColumnsText)]
	}
	return l
}

// text has one key on each line and unescaped URLs, so that a shell can read it.
func (l deadLetter) text() ([]byte, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	err := encoder.Encode(l)
	return text.Bytes(), err
}

// writeFile writes a file of mode 0600 completely or not at all, also when the machine stops: the sender deletes the
// block after the answer.
func writeFile(path string, data []byte) (err error) {
	file, err := os.CreateTemp(filepath.Dir(path), partialPrefix+"*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(file.Name())
		}
	}()
	if _, err = file.Write(data); err == nil {
		err = file.Sync()
	}
	if closeErr := file.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return err
	}
	return os.Rename(file.Name(), path)
}

func syncDirectory(path string) error {
	directory, err := os.Open(path) //nolint:gosec // the directory of the configuration
	if err != nil {
		return err
	}
	defer directory.Close() //nolint:errcheck // nothing was written through it
	return directory.Sync()
}
