// SPDX-License-Identifier: Apache-2.0

package blockexporter

import (
	"net/http"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// thrown is the header of an answer with an exception code.
func thrown(code string) http.Header {
	header := http.Header{}
	header.Set(headerExceptionCode, code)
	return header
}

func TestClassifyCommitted(t *testing.T) {
	assert.Nil(t, classify(200, http.Header{}, nil))
}

func TestClassifyByCode(t *testing.T) {
	f := func(code int, want outcome) {
		t.Helper()
		for _, status := range []int{200, 400, 403, 404, 500, 503} {
			got := classify(status, thrown(strconv.Itoa(code)), []byte("Code: 0. text"))
			require.NotNil(t, got, "status %d", status)
			assert.Equal(t, want, got.outcome, "status %d", status)
			assert.Equal(t, code, got.code)
		}
	}
	// Codes that the engine answered to a damaged block or one of other columns.
	f(6, permanent)   // column of a type that does not parse
	f(33, permanent)  // cut short
	f(50, permanent)  // unknown type name
	f(117, permanent) // unknown column, damaged dictionary
	f(128, permanent) // garbage
	f(271, permanent) // not zstd: the one-machine warehouse's code
	f(561, permanent) // not zstd: a server's code
	f(62, permanent)
	f(115, permanent)
	// An operator can repair the cause.
	for _, code := range []int{16, 60, 81, 164, 192, 193, 194, 242, 243, 497, 516} {
		f(code, retryable)
	}
	// The cause passes.
	for _, code := range []int{159, 160, 202, 209, 210, 241, 252, 286, 319, 384, 394, 425, 999} {
		f(code, retryable)
	}
	// Without a verdict.
	f(36, retryable)
	f(49, retryable)
	f(1002, retryable)
	f(987654, retryable)
}

// The same codes have many causes. If ClickHouse was reading the block, the block is the cause.
func TestClassifyByCodeAndMessage(t *testing.T) {
	for code, verdict := range verdicts {
		if verdict != decoding {
			continue
		}
		text := []byte("Code: " + strconv.Itoa(code) + ". DB::Exception: Scale 99 is out of bounds: While executing Native. (X)")
		assert.Equal(t, permanent, classify(500, http.Header{}, text).outcome, "%d", code)
		assert.Equal(t, retryable, classify(500, thrown(strconv.Itoa(code)), []byte("in a view")).outcome, "%d", code)
	}
	text := []byte("Code: 241. DB::Exception: would use 64.00 GiB: While executing Native.")
	assert.Equal(t, retryable, classify(500, http.Header{}, text).outcome, "a busy server answers the same to a good block")
}

func TestEveryVerdictIsKnown(t *testing.T) {
	require.NotEmpty(t, verdicts)
	for code, verdict := range verdicts {
		want := map[outcome][2]outcome{
			permanent: {permanent, permanent}, decoding: {retryable, permanent}, retryable: {retryable, retryable},
		}[verdict]
		require.NotEmpty(t, want, "%d: verdict %q", code, verdict)
		assert.Equal(t, want, [2]outcome{verdictOn(code, "text"), verdictOn(code, "text: While executing Native. (X)")}, "%d", code)
	}
}

func TestClassifyWithoutCode(t *testing.T) {
	f := func(status int, body, want string) {
		t.Helper()
		got := classify(status, http.Header{}, []byte(body))
		require.NotNil(t, got)
		assert.Equal(t, retryable, got.outcome)
		assert.Zero(t, got.code)
		assert.EqualError(t, got, want)
	}
	f(200, "<html>\nlog in", "HTTP 200 without a ClickHouse error code: <html>")
	f(204, "", "HTTP 204 without a ClickHouse error code: ")
	f(302, "", "HTTP 302 without a ClickHouse error code: ")
	f(404, "no such page", "HTTP 404 without a ClickHouse error code: no such page")
	f(429, "slow down", "HTTP 429 without a ClickHouse error code: slow down")
	f(502, "bad gateway", "HTTP 502 without a ClickHouse error code: bad gateway")
}

func TestClassifyReadsTheCodeFromTheBody(t *testing.T) {
	body := []byte("Code: 117. DB::Exception: Unknown column. (INCORRECT_DATA)\nstack")
	for _, status := range []int{200, 400, 500} {
		got := classify(status, http.Header{}, body)
		require.NotNil(t, got)
		assert.Equal(t, permanent, got.outcome)
		assert.EqualError(t, got, "HTTP "+strconv.Itoa(status)+
			", ClickHouse code 117: Code: 117. DB::Exception: Unknown column. (INCORRECT_DATA)")
	}
}

func TestClassifyUnreadableCode(t *testing.T) {
	got := classify(200, thrown("many"), nil)
	require.NotNil(t, got, "an exception header is never success")
	assert.Equal(t, retryable, got.outcome)
}
