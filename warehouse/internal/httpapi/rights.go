// SPDX-License-Identifier: Apache-2.0

package httpapi

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"tailrace.dev/warehouse/internal/chdb"
	"tailrace.dev/warehouse/internal/sqltext"
	"tailrace.dev/warehouse/internal/users"
)

// outside names the functions that read files or other machines. Under readonly = 1 the engine refuses most of them,
// but neither file() as a value nor DESCRIBE of any of them.
var outside = []string{
	"file", "fileCluster", "url", "urlCluster", "s3", "s3Cluster", "gcs", "cosn", "oss", "hdfs", "hdfsCluster",
	"azureBlobStorage", "azureBlobStorageCluster", "iceberg", "icebergLocal", "icebergS3", "icebergAzure",
	"deltaLake", "deltaLakeLocal", "hudi", "paimon", "mysql", "postgresql", "mongodb", "redis", "sqlite", "odbc",
	"jdbc", "ytsaurus", "arrowFlight", "remote", "remoteSecure", "cluster", "clusterAllReplicas", "executable",
	"catboostEvaluate", "python",
}

// limit checks the request's settings against its user's limits, and sets the limits it does not name.
func limit(user *users.User, settings map[string]string) error {
	for name, most := range user.Limits() {
		wanted, named := settings[name]
		if !named {
			settings[name] = most
			continue
		}
		value, err := strconv.ParseFloat(wanted, 64)
		largest, _ := strconv.ParseFloat(most, 64)
		// Zero would be no limit at all.
		if err != nil || !(value > 0 && value <= largest) {
			return failure(452, "SETTING_CONSTRAINT_VIOLATION", "Setting %s shouldn't be greater than %s", name, most)
		}
	}
	return nil
}

// permit refuses what the user may not use in the text of a statement.
func permit(user *users.User, text string) error {
	if user.ReadOnly {
		if name := sqltext.Mentions(text, true, outside); name != "" {
			return failure(497, "ACCESS_DENIED", "%s: Not enough privileges. A read-only user cannot use the function %s", user.Name, name)
		}
	}
	limited := slices.Collect(maps.Keys(user.Limits()))
	if len(limited) == 0 {
		return nil
	}
	if name := sqltext.Mentions(text, false, limited); name != "" {
		return failure(452, "SETTING_CONSTRAINT_VIOLATION", "User %s may not change the setting %s", user.Name, name)
	}
	return nil
}

// mayWrite returns the refusal of a request that must not change anything.
func (q *request) mayWrite() error {
	switch {
	case q.user.ReadOnly || q.readonlyLevel != "":
		return failure(164, "READONLY", "%s: Cannot execute query in readonly mode.", q.user.Name)
	case q.readonly:
		return failure(164, "READONLY",
			"Cannot execute query in readonly mode. For queries over HTTP, method GET implies readonly. Use method POST for modifying queries.")
	}
	return nil
}

// reads reports whether a statement of that class may run where nothing may change. What did not parse goes on to
// the engine, which words the error.
func reads(class chdb.Class) bool { return class == chdb.ReadOnly || class == chdb.Unknown }

// authenticate finds the user by name and password. Clients send them in ClickHouse's own headers, as HTTP Basic or as
// URL parameters; sending them in two places is refused, as on a server.
func authenticate(known users.List, r *http.Request, params url.Values) (*users.User, error) {
	name, password := r.Header.Get("X-ClickHouse-User"), r.Header.Get("X-ClickHouse-Key")
	inHeaders := name != "" || password != ""
	inParams := params.Has("user") || params.Has("password")
	basicName, basicPassword, inBasic := r.BasicAuth()

	switch {
	case inHeaders && inBasic, inHeaders && inParams, inBasic && inParams:
		return nil, failure(516, "AUTHENTICATION_FAILED", "Invalid authentication: give user and password in one place only")
	case inBasic:
		name, password = basicName, basicPassword
	case !inHeaders:
		name, password = params.Get("user"), params.Get("password")
	}
	user := known.Find(name, password)
	if user == nil {
		return nil, failure(516, "AUTHENTICATION_FAILED", "Authentication failed: password is incorrect, or there is no user with such name")
	}
	return user, nil
}
