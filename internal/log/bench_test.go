package log_test

import (
	"testing"

	"nod.dev/nod/internal/log"
)

func BenchmarkAppend(b *testing.B) {
	book := write(b, 1000)
	leaf := book.entries[999].Leaf()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := log.Append(999, leaf, book.hashes); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkLeaf(b *testing.B) {
	e := write(b, 4).entries[3]
	b.ReportAllocs()
	for b.Loop() {
		if e.Leaf() == nil {
			b.Fatal("no leaf")
		}
	}
}

func BenchmarkSignHead(b *testing.B) {
	book := write(b, 1000)
	head := book.headAt(b, 1000)
	for b.Loop() {
		if _, err := log.SignHead(book.key, head); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkVerify reads 10,000 entries a round.
func BenchmarkVerify(b *testing.B) {
	const n = 10000
	book := write(b, n)
	b.ReportAllocs()
	for b.Loop() {
		if report := verify(b, book.entries, book.evidence()); !report.OK() {
			b.Fatal(report.Findings)
		}
	}
	b.ReportMetric(float64(b.N)*n/b.Elapsed().Seconds(), "entries/s")
}
