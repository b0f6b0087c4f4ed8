package store

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"time"

	"nod.dev/nod"
)

// Files that an agent was given are kept for the person too, by the day of their
// call, for a while and up to a size.
const (
	attachmentFolder = "attachments"
	keepAttachments  = 30 * 24 * time.Hour
	maxAttachments   = 1 << 30 // bytes in all
)

// attachmentName is what a name must look like: no folder, nothing hidden.
var attachmentName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,120}$`)

// KeepAttachment keeps a file under attachments/ and the day of at, and returns
// its path below the data folder, which an agent may be told: where that folder
// is, is the person's. A name that is there already stays as it is: the file is the
// person's by then.
func (s *SQLite) KeepAttachment(ctx context.Context, at nod.Time, name string, data []byte) (path string, err error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	if !attachmentName.MatchString(name) {
		return "", nod.Errorf(nod.CodeInvalid, "an attachment's name is made of letters, digits, dots and dashes", "")
	}
	dir := filepath.Join(s.dir, attachmentFolder, at.UTC().Format(time.DateOnly))
	path = filepath.Join(dir, name)
	_, err = os.Lstat(path)
	switch {
	case err == nil: // as it was kept, or what the person made of it since
	case !errors.Is(err, fs.ErrNotExist):
		return "", s.failed("keeping a file for the person", err)
	default:
		if err := errors.Join(makeFolders(s.dir, dir), writeWhole(path, data)); err != nil {
			return "", s.failed("keeping a file for the person", err)
		}
	}
	below, err := filepath.Rel(s.dir, path)
	return filepath.ToSlash(below), err
}

// SweepAttachments removes files that are older than thirty days, and the oldest
// of those that are more than a gibibyte in all.
func (s *SQLite) SweepAttachments(ctx context.Context, now nod.Time) error {
	if err := s.sweepAttachments(ctx, now, maxAttachments); err != nil {
		return s.failed("removing old files", err)
	}
	return nil
}

type attachment struct {
	path string
	at   time.Time
	size int64
}

func (s *SQLite) sweepAttachments(ctx context.Context, now nod.Time, most int64) error {
	base := filepath.Join(s.dir, attachmentFolder)
	var files []attachment
	var days []string
	var total int64
	err := filepath.WalkDir(base, func(path string, e fs.DirEntry, err error) error {
		if err != nil || ctx.Err() != nil {
			return errors.Join(err, ctx.Err())
		}
		if e.IsDir() {
			if path != base {
				days = append(days, path)
			}
			return nil
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		// The day in the name is ledger time; the file's own time only orders a day.
		day, err := time.Parse(time.DateOnly, filepath.Base(filepath.Dir(path)))
		if err != nil || !info.Mode().IsRegular() {
			return nil // not one of ours
		}
		files = append(files, attachment{path, day.Add(info.ModTime().Sub(info.ModTime().Truncate(24 * time.Hour))), info.Size()})
		total += info.Size()
		return nil
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	slices.SortFunc(files, func(a, b attachment) int { return cmp.Or(a.at.Compare(b.at), cmp.Compare(a.path, b.path)) })
	for _, f := range files {
		day := f.at.Truncate(24 * time.Hour)
		if total <= most && now.UTC().Sub(day) < keepAttachments+24*time.Hour {
			break
		}
		if err := os.Remove(f.path); err != nil {
			return err
		}
		total -= f.size
	}
	for _, day := range days {
		_ = os.Remove(day) // those that are empty now
	}
	return nil
}
