// SPDX-License-Identifier: Apache-2.0

package proof

import (
	"database/sql"
	"fmt"
	"reflect"
	"regexp"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/grafana/grafana-plugin-sdk-go/data/sqlutil"
)

// converters are for the types that may be NULL, as the plugin has them too. Of the types that sqlds cannot show
// without one, maps and arrays, the dashboards ask for none.
func converters() []sqlutil.Converter {
	return []sqlutil.Converter{
		nullable[float64](`^Nullable\(Float64\)$`, data.FieldTypeNullableFloat64),
		nullable[int32](`^Nullable\(Int32\)$`, data.FieldTypeNullableInt32),
		nullable[int64](`^Nullable\(Int64\)$`, data.FieldTypeNullableInt64),
		nullable[uint64](`^Nullable\(UInt64\)$`, data.FieldTypeNullableUint64),
		nullable[string](`^Nullable\(String\)$`, data.FieldTypeNullableString),
		nullable[time.Time](`^Nullable\(DateTime`, data.FieldTypeNullableTime),
	}
}

func nullable[T any](name string, field data.FieldType) sqlutil.Converter {
	return sqlutil.Converter{
		Name:           name,
		InputScanType:  reflect.TypeFor[sql.Null[T]](),
		InputTypeRegex: regexp.MustCompile(name),
		FrameConverter: sqlutil.FrameConverter{
			FieldType: field,
			ConverterFunc: func(in any) (any, error) {
				value, ok := in.(*sql.Null[T])
				if !ok {
					return nil, fmt.Errorf("%s: a %T", name, in)
				}
				if !value.Valid {
					return (*T)(nil), nil
				}
				// The row that was scanned into is used for the next one too.
				copied := value.V
				return &copied, nil
			},
		},
	}
}
