package log_test

import (
	"errors"
	"testing"

	"nod.dev/nod/internal/log"
)

func TestProofsOfEverySize(t *testing.T) {
	const n = 40
	b := write(t, n)
	for before := 0; before <= n; before++ {
		for after := before; after <= n; after++ {
			proof, err := log.ConsistencyProof(int64(before), int64(after), b.hashes)
			if err != nil {
				t.Fatal(err)
			}
			if err := log.CheckConsistency(b.headAt(t, before), b.headAt(t, after), proof); err != nil {
				t.Errorf("%d to %d: %v", before, after, err)
			}
		}
	}
	for size := 1; size <= n; size++ {
		for seq := 1; seq <= size; seq++ {
			proof, err := log.InclusionProof(int64(size), int64(seq), b.hashes)
			if err != nil {
				t.Fatal(err)
			}
			if err := log.CheckInclusion(b.headAt(t, size), int64(seq), b.entries[seq-1].Leaf(), proof); err != nil {
				t.Errorf("%d in %d: %v", seq, size, err)
			}
			if seq < size && log.CheckInclusion(b.headAt(t, size), int64(seq), b.entries[seq].Leaf(), proof) == nil {
				t.Errorf("%d in %d: another entry is taken for it", seq, size)
			}
		}
	}
}

func TestConsistencyTellsHowItFails(t *testing.T) {
	b := write(t, 20)
	fork := write(t, 20)
	proof, err := log.ConsistencyProof(8, 20, b.hashes)
	if err != nil {
		t.Fatal(err)
	}
	seen := b.headAt(t, 8)
	if err := log.CheckConsistency(seen, fork.headAt(t, 20), proof); !errors.Is(err, log.ErrForked) {
		t.Errorf("a rewritten log: %v", err)
	}
	if err := log.CheckConsistency(seen, fork.headAt(t, 8), nil); !errors.Is(err, log.ErrForked) {
		t.Errorf("a rewritten log of the same length: %v", err)
	}
	if err := log.CheckConsistency(seen, b.headAt(t, 7), nil); !errors.Is(err, log.ErrOlder) {
		t.Errorf("a log that was cut: %v", err)
	}
	other := b.headAt(t, 20)
	other.Person = "person_Q"
	if err := log.CheckConsistency(seen, other, proof); err == nil || errors.Is(err, log.ErrForked) {
		t.Errorf("another person's log: %v", err)
	}
	for _, bad := range []string{"", "AA", "not base64!"} {
		if log.CheckConsistency(seen, b.headAt(t, 20), []string{bad}) == nil {
			t.Errorf("proof %q is taken", bad)
		}
		broken := b.headAt(t, 20)
		broken.Root = bad
		if log.CheckConsistency(seen, broken, proof) == nil {
			t.Errorf("root %q is taken", bad)
		}
	}
}

func TestProofsThatCannotBe(t *testing.T) {
	b := write(t, 5)
	if _, err := log.ConsistencyProof(5, 4, b.hashes); err == nil {
		t.Error("a proof backwards")
	}
	if _, err := log.ConsistencyProof(3, 9, b.hashes); err == nil {
		t.Error("a proof beyond what is stored")
	}
	for _, seq := range []int64{-1, 0, 6} {
		if _, err := log.InclusionProof(5, seq, b.hashes); err == nil {
			t.Errorf("a proof for entry %d of 5", seq)
		}
	}
}

func TestOpenHead(t *testing.T) {
	b := write(t, 4)
	h, err := log.OpenHead(b.head, b.public)
	if err != nil || h != b.headAt(t, 4) {
		t.Fatalf("%+v, %v", h, err)
	}
	_, stranger := newKey(t)
	if _, err := log.OpenHead(b.head, stranger); err == nil {
		t.Error("another gateway's key opens it")
	}
	for _, root := range []string{"", "AA", h.Root + "="} {
		bad := h
		bad.Root = root
		signed, err := log.SignHead(b.key, bad)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := log.OpenHead(signed, b.public); err == nil {
			t.Errorf("root %q is taken", root)
		}
	}
	other := b.head
	other.Kind = "offer"
	if _, err := log.OpenHead(other, b.public); err == nil {
		t.Error("another kind is taken for a head")
	}
}
