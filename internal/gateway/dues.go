package gateway

import (
	"container/heap"

	"nod.dev/nod"
)

// dues is a deadline scheduler: a heap of what is due when. An entry that what
// happened since has overtaken does not stand any more, and is dropped when it
// comes up. The core has one for calls and one for wake-ups.
type dues []due

type due struct {
	at    nod.Time
	call  nod.CallID
	phone nod.PhoneID // of a wake-up
}

// dueAt returns when time will next change the call; 0 for never.
func dueAt(c nod.Call) nod.Time {
	switch {
	case c.State.Open():
		return c.Deadline
	case c.State == nod.Decided || c.State == nod.Working:
		return c.Due
	}
	return 0
}

func (d *dues) add(e due) {
	if e.at != 0 {
		heap.Push(d, e)
	}
}

// next returns the time of the first entry that still stands.
func (d *dues) next(stands func(due) bool) nod.Time {
	for len(*d) > 0 {
		if first := (*d)[0]; stands(first) {
			return first.at
		}
		heap.Pop(d)
	}
	return 0
}

// until lists what is due by now and stands, soonest first as far as a heap
// knows, and no more than most. It stays in the heap: once the step that follows
// is adopted it does not stand any more, and if that cannot be written it is due
// again.
func (d *dues) until(now nod.Time, stands func(due) bool, most int) (found []due) {
	if next := d.next(stands); next == 0 || next > now {
		return nil
	}
	seen := map[due]bool{}
	var visit func(i int)
	visit = func(i int) {
		if i >= len(*d) || (*d)[i].at > now || len(found) >= most {
			return // what is below is no sooner
		}
		if e := (*d)[i]; stands(e) && !seen[e] {
			seen[e] = true
			found = append(found, e)
		}
		visit(2*i + 1)
		visit(2*i + 2)
	}
	visit(0)
	return found
}

// Len, Less, Swap, Push and Pop make a heap by time.
func (d dues) Len() int           { return len(d) }
func (d dues) Less(i, j int) bool { return d[i].at < d[j].at }
func (d dues) Swap(i, j int)      { d[i], d[j] = d[j], d[i] }

// Push is container/heap's.
func (d *dues) Push(x any) { *d = append(*d, x.(due)) }

// Pop is container/heap's.
func (d *dues) Pop() any {
	old := *d
	last := old[len(old)-1]
	*d = old[:len(old)-1]
	return last
}
