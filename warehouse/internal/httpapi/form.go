// SPDX-License-Identifier: Apache-2.0

package httpapi

import (
	"bytes"
	"io"
	"mime"
	"net/http"
	"net/url"
)

func isForm(r *http.Request) bool {
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	return kind == "multipart/form-data"
}

// readForm adds the query and parameters that arrive as form fields. Fields that carry files would be external
// tables, which the embedded engine cannot take.
func readForm(r *http.Request, values url.Values) error {
	form, err := r.MultipartReader()
	if err != nil {
		return badArguments("the form is not readable: %v", err)
	}
	for {
		part, err := form.NextPart()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return badArguments("the form is not readable: %v", err)
		}
		if part.FileName() != "" {
			return notImplemented("External tables are not supported by the embedded warehouse. Use a temporary table in a session.")
		}
		value := &bytes.Buffer{}
		if _, err := io.Copy(value, io.LimitReader(part, maxStatement+1)); err != nil {
			return badArguments("the form is not readable: %v", err)
		}
		if value.Len() > maxStatement {
			return tooLong()
		}
		values.Set(part.FormName(), value.String())
	}
}
