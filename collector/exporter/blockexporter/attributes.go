// SPDX-License-Identifier: Apache-2.0

package blockexporter

import (
	"fmt"

	"go.opentelemetry.io/collector/pdata/pcommon"
)

// attributeReader reads typed attributes and collects all faults of a record, so that its sender sees them at once.
type attributeReader struct {
	attrs pcommon.Map
	errs  []error
}

func (r *attributeReader) text(key string, check func(string) error) string {
	v, ok := r.attrs.Get(key)
	if !ok {
		r.errs = append(r.errs, fmt.Errorf("%s: is missing", key))
		return ""
	}
	if v.Type() != pcommon.ValueTypeStr {
		r.errs = append(r.errs, fmt.Errorf("%s: must be a string, is %s", key, v.Type()))
		return ""
	}
	if err := check(v.Str()); err != nil {
		r.errs = append(r.errs, fmt.Errorf("%s: %w, is %.160q", key, err, v.Str()))
		return ""
	}
	return v.Str()
}

func (r *attributeReader) integer(key string, lowest, highest int64) int64 {
	v, ok := r.attrs.Get(key)
	if !ok {
		r.errs = append(r.errs, fmt.Errorf("%s: is missing", key))
		return 0
	}
	if v.Type() != pcommon.ValueTypeInt {
		r.errs = append(r.errs, fmt.Errorf("%s: must be an int, is %s", key, v.Type()))
		return 0
	}
	if n := v.Int(); n < lowest || n > highest {
		r.errs = append(r.errs, fmt.Errorf("%s: must be %d to %d, is %d", key, lowest, highest, n))
		return 0
	}
	return v.Int()
}
