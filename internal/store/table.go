package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"strings"
)

// table names the columns of a table once, for reading and for writing.
type table struct {
	name    string
	key     string
	columns []string // the key first
}

// selects returns SELECT of every column; rest is what follows FROM.
func (t table) selects(rest string) string {
	return "SELECT " + strings.Join(t.columns, ", ") + " FROM " + t.name + " " + rest
}

// inserts returns an INSERT that does nothing when the key exists.
func (t table) inserts() string {
	places := make([]string, len(t.columns))
	for i := range t.columns {
		places[i] = fmt.Sprintf("$%d", i+1)
	}
	return fmt.Sprintf("INSERT INTO %s (%s) VALUES (%s) ON CONFLICT (%s) DO NOTHING",
		t.name, strings.Join(t.columns, ", "), strings.Join(places, ", "), t.key)
}

// upserts returns an INSERT that replaces the row when the key exists.
func (t table) upserts() string {
	sets := make([]string, 0, len(t.columns))
	for _, c := range t.columns[1:] {
		sets = append(sets, c+" = excluded."+c)
	}
	return strings.TrimSuffix(t.inserts(), "NOTHING") + "UPDATE SET " + strings.Join(sets, ", ")
}

// updates returns an UPDATE of every column but the key, numbered as in
// columns; more is set besides, and where says over which row.
func (t table) updates(more, where string) string {
	sets := make([]string, 0, len(t.columns))
	for i, c := range t.columns[1:] {
		sets = append(sets, fmt.Sprintf("%s = $%d", c, i+2))
	}
	return fmt.Sprintf("UPDATE %s SET %s, %s WHERE %s", t.name, strings.Join(sets, ", "), more, where)
}

// row is what a scan function reads from: one row of a result.
type row interface{ Scan(...any) error }

// querier is a database, a connection or a transaction.
type querier interface {
	QueryContext(context.Context, string, ...any) (*sql.Rows, error)
	QueryRowContext(context.Context, string, ...any) *sql.Row
}

// collect runs a query and scans every row of its result.
func collect[T any](ctx context.Context, q querier, scan func(row) (T, error), text string, args ...any) ([]T, error) {
	rows, err := q.QueryContext(ctx, text, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []T
	for rows.Next() {
		one, err := scan(rows)
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, rows.Err()
}

// toText writes v as JSON. nod's own shapes cannot fail to be written.
func toText(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic("store: " + err.Error())
	}
	return string(b)
}

// fromText reads what toText wrote.
func fromText(s string, v any) error { return json.Unmarshal([]byte(s), v) }
