// SPDX-License-Identifier: Apache-2.0

package blockexporter

import (
	_ "embed"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
)

const headerExceptionCode = "X-ClickHouse-Exception-Code"

// A server, or a proxy in front of it, may drop the header but keep ClickHouse's message.
var codeInBody = regexp.MustCompile(`\ACode: (\d+)\.`)

// classify reads ClickHouse's answer to one INSERT. It returns nil only when the block is committed: status 200, no
// exception code and an empty body. An INSERT returns nothing, so any other body is a proxy's page or an error that came
// after the headers.
func classify(status int, header http.Header, body []byte) *deliveryError {
	code := exceptionCode(header, body)
	switch {
	case code != 0:
	case status == http.StatusOK && len(body) == 0 && header.Get(headerExceptionCode) == "":
		return nil
	default:
		return &deliveryError{outcome: retryable, err: fmt.Errorf("HTTP %d without a ClickHouse error code: %s",
			status, firstLine(string(body)))}
	}
	verdict := verdictOn(code, string(body))
	failure := &deliveryError{outcome: verdict, code: code, err: fmt.Errorf("HTTP %d, ClickHouse code %d: %s",
		status, code, firstLine(string(body)))}
	if verdict == permanent {
		failure.reason = reasonRefused
	}
	return failure
}

// exceptionCode returns 0 when the answer has no readable ClickHouse code.
func exceptionCode(header http.Header, body []byte) int {
	text := header.Get(headerExceptionCode)
	if text == "" {
		if found := codeInBody.FindSubmatch(body); found != nil {
			text = string(found[1])
		}
	}
	code, err := strconv.Atoi(text)
	if err != nil {
		return 0
	}
	return code
}

// unauthenticated reports whether the password was refused.
func (a *answer) unauthenticated() bool {
	switch exceptionCode(a.header, a.body) {
	case 192, 193, 194, 516: // UNKNOWN_USER, WRONG_PASSWORD, REQUIRED_PASSWORD, AUTHENTICATION_FAILED
		return true
	case 0:
		return a.status == http.StatusUnauthorized || a.status == http.StatusForbidden
	}
	return false
}

//go:embed error_codes.tsv
var errorCodesFile string

// decoding is the verdict on codes that are permanent only while ClickHouse decodes the block.
const decoding outcome = "decoding"

// whileDecoding is what ClickHouse adds to the message of an error in its reader of Native blocks.
const whileDecoding = "While executing Native"

// verdicts are those of error_codes.tsv, which explains them.
var verdicts = mustReadVerdicts()

func mustReadVerdicts() map[int]outcome {
	all := map[int]outcome{}
	for line := range strings.Lines(errorCodesFile) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		var code int
		var name string
		var verdict outcome
		if _, err := fmt.Sscan(line, &code, &name, &verdict); err != nil {
			panic(fmt.Sprintf("embedded error_codes.tsv: %q: %v", line, err))
		}
		all[code] = verdict
	}
	return all
}

// verdictOn decides whether sending again can help after this code with this message.
func verdictOn(code int, message string) outcome {
	switch verdict := verdicts[code]; {
	case verdict == permanent, verdict == decoding && strings.Contains(message, whileDecoding):
		return permanent
	}
	return retryable
}
