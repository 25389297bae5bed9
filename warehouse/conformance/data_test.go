// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"bufio"
	"encoding/binary"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"strconv"
	"strings"
)

// rows is a SELECT of n rows whose checksum the test computes without the server. One column compresses well, one does
// not.
func rows(n int) string {
	return fmt.Sprintf("SELECT number AS id, concat('row ', toString(number)) AS name, (number * 2654435761) %% 4294967296 AS h FROM numbers(%d)", n)
}

// sum is the checksum of an answer's rows.
type sum struct{ Rows, IDs, Names, Hashes uint64 }

func (s *sum) add(id uint64, name string, h uint64) {
	s.Rows++
	s.IDs += id
	s.Names += uint64(crc32.ChecksumIEEE([]byte(name)))
	s.Hashes += h
}

// sumSQL is the same, computed by a server from a table.
const sumSQL = "SELECT count(), sum(id), sum(CRC32(name)), sum(h) FROM "

func (s *sum) tsv() string { return fmt.Sprintf("%d\t%d\t%d\t%d", s.Rows, s.IDs, s.Names, s.Hashes) }

func expected(n int) sum {
	var s sum
	for i := range uint64(n) {
		s.add(i, "row "+strconv.FormatUint(i, 10), i*2654435761%4294967296)
	}
	return s
}

// decoders read formats without the server's help.
var decoders = map[string]func(io.Reader) (sum, error){
	"TSV": readTSV, "CSV": readCSV, "JSONEachRow": readJSONEachRow, "JSON": readJSON, "RowBinary": readRowBinary,
}

func readTSV(r io.Reader) (s sum, err error) {
	b := bufio.NewReaderSize(r, 1<<20)
	for {
		line, err := b.ReadString('\n')
		if errors.Is(err, io.EOF) && line == "" {
			return s, nil
		}
		if err != nil {
			return s, fmt.Errorf("row %d is cut off: %w", s.Rows, err)
		}
		if err := s.addText(strings.Split(strings.TrimSuffix(line, "\n"), "\t")); err != nil {
			return s, err
		}
	}
}

func (s *sum) addText(fields []string) error {
	if len(fields) != 3 {
		return fmt.Errorf("row %d has fields %q", s.Rows, fields)
	}
	id, err1 := strconv.ParseUint(fields[0], 10, 64)
	h, err2 := strconv.ParseUint(fields[2], 10, 64)
	s.add(id, fields[1], h)
	return errors.Join(err1, err2)
}

func readCSV(r io.Reader) (s sum, err error) {
	c := csv.NewReader(bufio.NewReaderSize(r, 1<<20))
	c.ReuseRecord = true
	for {
		fields, err := c.Read()
		if errors.Is(err, io.EOF) {
			return s, nil
		}
		if err == nil {
			err = s.addText(fields)
		}
		if err != nil {
			return s, err
		}
	}
}

// record accepts numbers with and without quotes.
type record struct {
	ID   json.Number `json:"id"`
	Name string      `json:"name"`
	H    json.Number `json:"h"`
}

func (s *sum) addRecord(r record) error {
	return s.addText([]string{r.ID.String(), r.Name, r.H.String()})
}

func readJSONEachRow(r io.Reader) (s sum, err error) {
	d := json.NewDecoder(bufio.NewReaderSize(r, 1<<20))
	for {
		var row record
		err := d.Decode(&row)
		if errors.Is(err, io.EOF) {
			return s, nil
		}
		if err == nil {
			err = s.addRecord(row)
		}
		if err != nil {
			return s, err
		}
	}
}

func readJSON(r io.Reader) (s sum, err error) {
	var document struct {
		Data []record
		Rows uint64
	}
	d := json.NewDecoder(bufio.NewReaderSize(r, 1<<20))
	if err := d.Decode(&document); err != nil {
		return s, err
	}
	for _, row := range document.Data {
		if err := s.addRecord(row); err != nil {
			return s, err
		}
	}
	if document.Rows != s.Rows {
		return s, fmt.Errorf("the document states %d rows and has %d", document.Rows, s.Rows)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return s, fmt.Errorf("text follows the document: %w", err)
	}
	return s, nil
}

func readRowBinary(r io.Reader) (s sum, err error) {
	b := bufio.NewReaderSize(r, 1<<20)
	for {
		var id, h [8]byte
		if _, err := io.ReadFull(b, id[:]); errors.Is(err, io.EOF) {
			return s, nil
		} else if err != nil {
			return s, err
		}
		n, err := binary.ReadUvarint(b)
		if err != nil || n > 1<<10 {
			return s, fmt.Errorf("row %d: a name of %d bytes: %w", s.Rows, n, err)
		}
		name := make([]byte, n)
		if _, err := io.ReadFull(b, name); err != nil {
			return s, err
		}
		if _, err := io.ReadFull(b, h[:]); err != nil {
			return s, err
		}
		s.add(binary.LittleEndian.Uint64(id[:]), string(name), binary.LittleEndian.Uint64(h[:]))
	}
}
