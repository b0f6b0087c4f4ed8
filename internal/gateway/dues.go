package gateway

import (
	"container/heap"

	"nod.dev/nod"
)

// dues is the one deadline scheduler: a heap of what is due when. An entry that
// the call's state has overtaken is dropped when it comes up.
type dues []due

type due struct {
	at   nod.Time
	call nod.CallID
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

func (d *dues) add(c nod.Call) {
	if at := dueAt(c); at != 0 {
		heap.Push(d, due{at, c.ID})
	}
}

// next returns the time of the first entry that still stands.
func (d *dues) next(calls map[nod.CallID]nod.Call) nod.Time {
	for len(*d) > 0 {
		first := (*d)[0]
		if c, ok := calls[first.call]; ok && dueAt(c) == first.at {
			return first.at
		}
		heap.Pop(d)
	}
	return 0
}

// until lists the calls that are due by now. They stay in the heap: once their
// step is adopted their entries no longer stand, and if it cannot be written
// they are due again.
func (d *dues) until(now nod.Time, calls map[nod.CallID]nod.Call) []nod.CallID {
	if next := d.next(calls); next == 0 || next > now {
		return nil
	}
	var ids []nod.CallID
	for _, e := range *d {
		if e.at <= now {
			if c, ok := calls[e.call]; ok && dueAt(c) == e.at {
				ids = append(ids, e.call)
			}
		}
	}
	return ids
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
