// SPDX-License-Identifier: Apache-2.0

package schemas

import (
	"context"
	"crypto/tls"
	"database/sql"
	"errors"
	"fmt"
	"net"
	"net/url"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/pressly/goose/v3"
)

// ErrUnreachable means that nothing answers at the warehouse's URL.
var ErrUnreachable = errors.New("warehouse unreachable")

// ErrNewer means that a newer program has migrated the database.
var ErrNewer = errors.New("the database is newer than this program")

// ErrTooOld means that no migration leads from the database's version to the baseline.
var ErrTooOld = errors.New("the database is older than the oldest version this program can upgrade")

// The baseline begins at version 101. Builds before it numbered their migrations 1 to 21, and version 21 has exactly the
// baseline's tables, so the baseline's statements, which may all run twice, only renew its views.
const (
	lastBeforeBaseline = 21
	firstOfBaseline    = 101
)

// Warehouse is the database to migrate, and the user who migrates it.
type Warehouse struct {
	URL            string // http://host:port
	User, Password string
	Database       string
	Cluster        string // replicates and distributes the tables; empty for one server
}

// Migrator applies the embedded migrations to one database.
type Migrator struct {
	db       *sql.DB
	provider *goose.Provider
}

// Open connects and reads the database's version.
// Errors: ErrUnreachable, ErrNewer, ErrTooOld, or the warehouse's own error.
func Open(ctx context.Context, w Warehouse) (*Migrator, error) {
	u, err := url.Parse(w.URL)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return nil, fmt.Errorf("%q is not a URL such as http://127.0.0.1:8123", w.URL)
	}
	var secured *tls.Config
	if u.Scheme == "https" {
		// The system's certificates decide what is trusted; SSL_CERT_FILE names other ones.
		secured = &tls.Config{MinVersion: tls.VersionTLS12}
	}
	db := clickhouse.OpenDB(&clickhouse.Options{
		TLS:         secured,
		Protocol:    clickhouse.HTTP,
		Addr:        []string{u.Host},
		Auth:        clickhouse.Auth{Database: w.Database, Username: w.User, Password: w.Password},
		DialTimeout: 5 * time.Second,
	})
	m, err := newMigrator(ctx, db, w.Cluster)
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return m, nil
}

func newMigrator(ctx context.Context, db *sql.DB, cluster string) (*Migrator, error) {
	migrations, err := Migrations(cluster)
	if err != nil {
		return nil, err
	}
	if err := db.PingContext(ctx); err != nil {
		if _, answered := errors.AsType[*clickhouse.HTTPError](err); answered {
			return nil, err
		}
		if network, ok := errors.AsType[*net.OpError](err); ok {
			err = network // the driver's own text repeats the whole request
		}
		return nil, fmt.Errorf("%w: %w", ErrUnreachable, err)
	}
	provider, err := goose.NewProvider(goose.DialectClickHouse, db, migrations)
	if err != nil {
		return nil, fmt.Errorf("read migrations: %w", err)
	}
	m := &Migrator{db: db, provider: provider}
	sources := provider.ListSources() // in order
	newest := sources[len(sources)-1].Version
	version, err := m.Version(ctx)
	switch {
	case err != nil:
		return nil, err
	case version > newest:
		return nil, fmt.Errorf("%w: it has version %d, the program knows %d", ErrNewer, version, newest)
	case version > 0 && version < firstOfBaseline && version != lastBeforeBaseline:
		return nil, fmt.Errorf("%w: it has version %d, upgrades begin at %d", ErrTooOld, version, lastBeforeBaseline)
	}
	return m, nil
}

// Close ends the connection.
func (m *Migrator) Close() error { return m.db.Close() }

// Up applies the missing migrations in order and reports each one through applied.
func (m *Migrator) Up(ctx context.Context, applied func(name string, took time.Duration)) error {
	for {
		result, err := m.provider.UpByOne(ctx)
		if errors.Is(err, goose.ErrNoNextVersion) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("apply migration: %w", err)
		}
		applied(result.Source.Path, result.Duration)
	}
}

// Version is the database's version.
func (m *Migrator) Version(ctx context.Context) (int64, error) {
	version, err := m.provider.GetDBVersion(ctx)
	if err != nil {
		return 0, fmt.Errorf("read schema version: %w", err)
	}
	return version, nil
}

// Pending lists the migrations that are not applied yet.
func (m *Migrator) Pending(ctx context.Context) ([]string, error) {
	all, err := m.provider.Status(ctx)
	if err != nil {
		return nil, fmt.Errorf("read migration status: %w", err)
	}
	var pending []string
	for _, status := range all {
		if status.State == goose.StatePending {
			pending = append(pending, status.Source.Path)
		}
	}
	return pending, nil
}
