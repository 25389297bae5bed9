// SPDX-License-Identifier: Apache-2.0

package httpapi

import (
	"strconv"

	"tailrace.dev/warehouse/internal/chdb"
	"tailrace.dev/warehouse/internal/sqltext"
	"tailrace.dev/warehouse/internal/users"
)

// outside names the functions that read files or other machines. The engine refuses most of them under
// readonly = 1 by itself, but not file() as a value, nor DESCRIBE of any of them.
var outside = func() map[string]bool {
	names := map[string]bool{}
	for _, name := range []string{
		"file", "fileCluster", "url", "urlCluster", "s3", "s3Cluster", "gcs", "cosn", "oss", "hdfs", "hdfsCluster",
		"azureBlobStorage", "azureBlobStorageCluster", "iceberg", "icebergLocal", "icebergS3", "icebergAzure",
		"deltaLake", "deltaLakeLocal", "hudi", "paimon", "mysql", "postgresql", "mongodb", "redis", "sqlite", "odbc",
		"jdbc", "ytsaurus", "arrowFlight", "remote", "remoteSecure", "cluster", "clusterAllReplicas", "executable",
		"catboostEvaluate", "python",
	} {
		names[lower(name)] = true
	}
	return names
}()

// limit holds the request's settings to its user's limits, and sets the limits it does not name.
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
			return failure(codeConstraint, "SETTING_CONSTRAINT_VIOLATION", "Setting %s shouldn't be greater than %s", name, most)
		}
	}
	return nil
}

// permit refuses what the user may not do in the text of a statement.
func (q *query) permit(text string) error {
	if q.user.ReadOnly {
		if name := sqltext.Mentions(text, true, outside); name != "" {
			return failure(codeAccessDenied, "ACCESS_DENIED", "%s: Not enough privileges. A read-only user cannot use the function %s", q.user.Name, name)
		}
	}
	limited := map[string]bool{}
	for name := range q.user.Limits() {
		limited[name] = true
	}
	if len(limited) > 0 {
		if name := sqltext.Mentions(text, false, limited); name != "" {
			return failure(codeConstraint, "SETTING_CONSTRAINT_VIOLATION", "User %s may not change the setting %s", q.user.Name, name)
		}
	}
	return nil
}

// mayOnlyRead tells whether the request must not change anything, and the refusal to give.
func (q *query) mayOnlyRead() (bool, error) {
	switch {
	case q.user.ReadOnly || q.req.readonlyLevel != "":
		return true, failure(codeReadonly, "READONLY", "%s: Cannot execute query in readonly mode.", q.user.Name)
	case q.req.readonly:
		return true, failure(codeReadonly, "READONLY",
			"Cannot execute query in readonly mode. For queries over HTTP, method GET implies readonly. Use method POST for modifying queries.")
	}
	return false, nil
}

// lockDown makes the engine hold the connection to reading. It cannot be undone, so a session's connection,
// which later requests come back to, is only held by the class of its statements.
func (q *query) lockDown() error {
	level := q.req.readonlyLevel
	if q.user.ReadOnly {
		level = "1"
	}
	if level == "" || q.session != nil && q.conn == q.session.conn {
		return nil
	}
	return q.conn.Exec("SET readonly = " + quote(level, '\''))
}

// reads tells whether a statement of that class may run where nothing may change. What did not parse goes
// on to the engine, which words the error.
func reads(class chdb.Class) bool { return class == chdb.ReadOnly || class == chdb.Unknown }
