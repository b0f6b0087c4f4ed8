package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"nod.dev/nod"
)

// sideFiles are what SQLite keeps beside a database.
var sideFiles = []string{"-wal", "-shm"}

// swap puts the database at path in the place of the folder's own, which is
// kept beside it. At every moment the folder has a whole ledger: killed in
// between, it has the old one, and the restore is done again.
func swap(ctx context.Context, dir, path string, now nod.Time) error {
	current := databasePath(dir)
	info, err := os.Stat(current)
	if err == nil && info.Size() > 0 {
		kept := current + ".replaced-" + now.UTC().Format("20060102T150405.000Z")
		if err := keep(ctx, current, kept); err != nil {
			return err
		}
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	// A write-ahead log of the old database must never meet the new one.
	for _, suffix := range sideFiles {
		if err := os.Remove(current + suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if err := os.Rename(path, current); err != nil {
		return err
	}
	return syncFolder(dir)
}

// keep gives the database at current a second name. Its write-ahead log is
// folded into it first; where it is too damaged for that, the log moves along.
func keep(ctx context.Context, current, kept string) error {
	if err := foldIn(ctx, current); err != nil {
		for _, suffix := range sideFiles {
			if err := duplicate(current+suffix, kept+suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
	}
	return duplicate(current, kept)
}

func foldIn(ctx context.Context, path string) error {
	db, err := openSide(ctx, path)
	if err != nil {
		return err
	}
	whole, err := foldLog(ctx, db, "TRUNCATE")
	if err == nil && !whole {
		err = fmt.Errorf("%s is open elsewhere", path)
	}
	return errors.Join(err, db.Close())
}

// duplicate gives a file a second name, or a copy where the file system has no
// second names (Android). It replaces nothing.
func duplicate(from, to string) error {
	if err := os.Link(from, to); err == nil || errors.Is(err, fs.ErrExist) || errors.Is(err, fs.ErrNotExist) {
		return err
	}
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	if err = errors.Join(err, out.Sync(), out.Close()); err != nil {
		os.Remove(to)
	}
	return err
}

// removeDatabase removes a database and what is beside it, if it is there.
func removeDatabase(path string) error {
	for _, suffix := range append([]string{""}, sideFiles...) {
		if err := os.Remove(path + suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
