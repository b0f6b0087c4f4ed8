package simulation

import (
	"container/heap"
	"time"
)

// queue is what will happen, by time and then by the order of being planned.
type queue struct {
	now   time.Duration
	seq   int
	items items
}

type item struct {
	at  time.Duration
	seq int
	do  func()
}

type items []item

// after plans do for a moment later than now.
func (q *queue) after(d time.Duration, do func()) {
	q.seq++
	heap.Push(&q.items, item{q.now + max(d, 0), q.seq, do})
}

// next takes time to what happens next; false when nothing will.
func (q *queue) next() (func(), bool) {
	if len(q.items) == 0 {
		return nil, false
	}
	it := heap.Pop(&q.items).(item)
	q.now = it.at
	return it.do, true
}

func (h items) Len() int { return len(h) }
func (h items) Less(i, j int) bool {
	return h[i].at < h[j].at || h[i].at == h[j].at && h[i].seq < h[j].seq
}
func (h items) Swap(i, j int) { h[i], h[j] = h[j], h[i] }

// Push is container/heap's.
func (h *items) Push(x any) { *h = append(*h, x.(item)) }

// Pop is container/heap's.
func (h *items) Pop() any {
	old := *h
	last := old[len(old)-1]
	*h = old[:len(old)-1]
	return last
}
