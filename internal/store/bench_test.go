package store_test

import (
	"fmt"
	"testing"

	"nod.dev/nod"
	"nod.dev/nod/internal/log"
	"nod.dev/nod/internal/store"
	"nod.dev/nod/internal/store/storetest"
)

// BenchmarkCommit commits batches of n calls with n log entries: what group
// commit makes of n agents that ask at once.
func BenchmarkCommit(b *testing.B) {
	for _, n := range []int{1, 16, 64} {
		b.Run(fmt.Sprintf("calls=%d", n), func(b *testing.B) {
			l := newLedger(b, b.TempDir())
			batches := make([]*store.Batch, b.N)
			for i := range batches {
				batches[i] = &store.Batch{Now: nod.Time(i)}
				for range n {
					batches[i].Calls = append(batches[i].Calls, storetest.OpenCall(l.agent))
					batches[i].Entries = append(batches[i].Entries, storetest.Entry(b, l.person.ID, nod.Time(i)))
				}
			}
			b.ReportAllocs()
			b.ResetTimer()
			for _, batch := range batches {
				if _, err := l.Commit(b.Context(), batch); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(n*b.N)/b.Elapsed().Seconds(), "calls/s")
		})
	}
}

// BenchmarkLoad starts with 10,000 open calls behind a log of as many entries.
func BenchmarkLoad(b *testing.B) {
	l := newLedger(b, b.TempDir())
	const open = 10_000
	for i := range open / 500 {
		batch := &store.Batch{Now: nod.Time(i)}
		for range 500 {
			batch.Calls = append(batch.Calls, storetest.OpenCall(l.agent))
			batch.Entries = append(batch.Entries, storetest.Entry(b, l.person.ID, nod.Time(i)))
		}
		l.commit(b, batch)
	}
	for b.Loop() {
		state, err := l.Load(b.Context(), 0)
		if err != nil || len(state.Calls) != open {
			b.Fatal(len(state.Calls), err)
		}
	}
}

// BenchmarkEntries reads a page of a log.
func BenchmarkEntries(b *testing.B) {
	l := newLedger(b, b.TempDir())
	batch := &store.Batch{Now: 2}
	for range 5000 {
		batch.Entries = append(batch.Entries, storetest.Entry(b, l.person.ID, 2))
	}
	l.commit(b, batch)
	var page []log.Entry
	for b.Loop() {
		var err error
		if page, err = l.Entries(b.Context(), l.person.ID, 4000, 50); err != nil || len(page) != 50 {
			b.Fatal(len(page), err)
		}
	}
}
