package host

import "sync"

// Memory is a [Journal] in memory for simulations: it keeps what was appended
// apart from what would have survived, and can lose the difference.
type Memory struct {
	mu      sync.Mutex
	records []Record
	lost    bool
	fail    error
}

// Append keeps r, unless the journal was told to fail or to lose what comes.
func (j *Memory) Append(r Record) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.fail != nil {
		return j.fail
	}
	if !j.lost {
		j.records = append(j.records, r)
	}
	return nil
}

// Records returns what the journal holds.
func (j *Memory) Records() ([]Record, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return append([]Record(nil), j.records...), nil
}

// Replace puts records in place of all that is there.
func (j *Memory) Replace(records []Record) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.fail != nil {
		return j.fail
	}
	if !j.lost {
		j.records = append([]Record(nil), records...)
	}
	return nil
}

// LoseFromNow makes the journal lie as a disk that does not sync: it says yes
// and keeps nothing, until [Memory.Recover].
func (j *Memory) LoseFromNow() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.lost = true
}

// Fail makes every write fail with err, until [Memory.Recover].
func (j *Memory) Fail(err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.fail = err
}

// Recover ends what LoseFromNow and Fail began.
func (j *Memory) Recover() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.lost, j.fail = false, nil
}
