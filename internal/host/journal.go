package host

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"sync"

	"nod.dev/nod"
)

// journalName is the journal's file in a phone's folder.
const journalName = "journal"

// lockName is the file that keeps a second program off the folder.
const lockName = "lock"

// File is a [Journal] in a file of a phone's folder. A line is a record:
// a checksum of eight hex digits, a space, JSON. A line that the power cut short
// was never acted upon and is taken off; damage anywhere else is an error,
// since a phone that forgot something must not go on.
type File struct {
	path string

	mu      sync.Mutex
	f       *os.File
	lock    *os.File
	size    int64
	records []Record
	// broken is why nothing more may be written: after a failed sync nobody
	// knows what the disk holds.
	broken error
}

// CreateFile makes the empty journal of a new phone in dir.
func CreateFile(dir string, phone nod.PhoneID) (*File, error) {
	path := filepath.Join(dir, journalName)
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return nil, journalError(dir, "cannot be made", err)
	}
	if err := errors.Join(f.Sync(), f.Close(), syncDir(dir)); err != nil {
		return nil, journalError(dir, "cannot be made", err)
	}
	j, err := OpenFile(dir)
	if err != nil {
		return nil, err
	}
	if err := j.Append(Record{Kind: RecPhone, Phone: phone}); err != nil {
		j.Close()
		return nil, err
	}
	return j, nil
}

// OpenFile opens the journal of a phone that was paired into dir. It makes
// none: a phone whose journal is gone could do a thing twice. Only one program
// at a time can hold it.
func OpenFile(dir string) (*File, error) {
	path := filepath.Join(dir, journalName)
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &nod.Error{
			Code:    nod.CodeStorage,
			Message: "the folder " + dir + " has no journal, so this phone cannot know what it already did",
			Hint:    "remove the folder and pair the phone again",
			Err:     err,
		}
	}
	if err != nil {
		return nil, journalError(dir, "cannot be opened", err)
	}
	lock, err := lockFolder(dir)
	if err != nil {
		f.Close()
		return nil, err
	}
	j := &File{path: path, f: f, lock: lock}
	if err := j.load(); err != nil {
		j.Close()
		return nil, err
	}
	return j, nil
}

// load reads all records and takes off a torn last line.
func (j *File) load() error {
	data, err := io.ReadAll(j.f)
	if err != nil {
		return j.fail("cannot be read", err)
	}
	good := 0
	for n := 1; good < len(data); n++ {
		end := bytes.IndexByte(data[good:], '\n')
		if end < 0 {
			break
		}
		r, err := parseLine(data[good : good+end])
		if err != nil {
			if good+end+1 < len(data) {
				return j.fail(fmt.Sprintf("is damaged in line %d", n), err)
			}
			break
		}
		j.records = append(j.records, r)
		good += end + 1
	}
	j.size = int64(good)
	if good < len(data) {
		if err := errors.Join(j.f.Truncate(j.size), j.f.Sync()); err != nil {
			return j.fail("cannot be repaired", err)
		}
	}
	return nil
}

// Append writes r and returns once it is on the disk.
func (j *File) Append(r Record) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.broken != nil {
		return j.broken
	}
	line, err := formatLine(r)
	if err != nil {
		return j.fail("cannot take a record", err)
	}
	if _, err := j.f.WriteAt(line, j.size); err != nil {
		j.broken = j.fail("cannot be written", err)
		return j.broken
	}
	if err := j.f.Sync(); err != nil {
		j.broken = j.fail("cannot be written", err)
		return j.broken
	}
	j.size += int64(len(line))
	j.records = append(j.records, r)
	return nil
}

// Records returns what the journal holds.
func (j *File) Records() ([]Record, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return append([]Record(nil), j.records...), nil
}

// Replace writes records into a new file and puts it in the old one's place.
func (j *File) Replace(records []Record) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.broken != nil {
		return j.broken
	}
	var data []byte
	for _, r := range records {
		line, err := formatLine(r)
		if err != nil {
			return j.fail("cannot take a record", err)
		}
		data = append(data, line...)
	}
	next, err := writeNew(j.path, data)
	if err != nil {
		return j.fail("cannot be shortened", err)
	}
	j.f.Close()
	j.f, j.size, j.records = next, int64(len(data)), append([]Record(nil), records...)
	if err := syncDir(filepath.Dir(j.path)); err != nil {
		j.broken = j.fail("cannot be shortened", err)
		return j.broken
	}
	return nil
}

// Close lets another program open the journal.
func (j *File) Close() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.broken = j.fail("is closed", fs.ErrClosed)
	return errors.Join(j.f.Close(), j.lock.Close())
}

func (j *File) fail(what string, err error) error {
	return journalError(filepath.Dir(j.path), what, err)
}

func journalError(dir, what string, err error) error {
	return &nod.Error{
		Code:    nod.CodeStorage,
		Message: "the phone's journal in " + dir + " " + what,
		Hint:    "the phone does nothing without it; see that the folder can be written and the disk is not full",
		Err:     err,
	}
}

// writeNew writes data beside path, durably, and renames it over path.
func writeNew(path string, data []byte) (*os.File, error) {
	f, err := os.OpenFile(path+".new", os.O_CREATE|os.O_TRUNC|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if _, err = f.Write(data); err == nil {
		err = f.Sync()
	}
	if err == nil {
		err = os.Rename(path+".new", path)
	}
	if err != nil {
		f.Close()
		return nil, errors.Join(err, os.Remove(path+".new"))
	}
	return f, nil
}

// syncDir makes a new name in dir durable.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func formatLine(r Record) ([]byte, error) {
	body, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	return fmt.Appendf(nil, "%08x %s\n", crc32.Checksum(body, castagnoli), body), nil
}

func parseLine(line []byte) (Record, error) {
	var r Record
	sum, body, ok := bytes.Cut(line, []byte(" "))
	want, err := strconv.ParseUint(string(sum), 16, 32)
	if !ok || err != nil || len(sum) != 8 || uint32(want) != crc32.Checksum(body, castagnoli) {
		return r, errors.New("its checksum is wrong")
	}
	return r, json.Unmarshal(body, &r)
}
