package log_test

import (
	"bytes"
	"crypto/sha256"
	"testing"

	"nod.dev/nod"
	"nod.dev/nod/internal/log"
	"nod.dev/nod/internal/wire"
)

// FuzzVerify puts any entry in the place of a real one. The report must be
// clean exactly when the entry says what the real one said and its payload is
// the real one or erased.
func FuzzVerify(f *testing.F) {
	b := write(f, 7)
	const at = 3
	was := b.entries[at]
	f.Add(was.Seq, int64(was.At), was.Kind, string(was.Call), "done", was.Salt, was.Payload, was.PayloadHash)
	f.Add(was.Seq, int64(was.At), was.Kind, string(was.Call), "done", []byte(nil), []byte(nil), was.PayloadHash)
	f.Add(int64(0), int64(-1), "", "\xff", "", []byte("salt"), []byte("payload"), []byte(nil))
	f.Add(int64(1)<<62, int64(1)<<62, "a", "b", "c", []byte(nil), []byte(nil), []byte(nil))
	f.Fuzz(func(t *testing.T, seq, when int64, kind, call, outcome string, salt, payload, hash []byte) {
		c := b.copy()
		e := &c.entries[at]
		e.Seq, e.At, e.Kind, e.Call = seq, nod.Time(when), kind, nod.CallID(call)
		e.Facts = map[string]string{"outcome": outcome, "rule": "always"}
		e.Salt, e.Payload, e.PayloadHash = salt, payload, hash
		report := verify(t, c.entries, c.evidence())

		same := seq == was.Seq && nod.Time(when) == was.At && kind == was.Kind && nod.CallID(call) == was.Call &&
			outcome == "done" && bytes.Equal(hash, was.PayloadHash)
		sum := sha256.Sum256(append(bytes.Clone(salt), payload...))
		private := len(salt) == 0 && len(payload) == 0 ||
			len(salt) == log.SaltSize && len(payload) > 0 && bytes.Equal(sum[:], hash)
		if report.OK() != (same && private) {
			t.Errorf("same %v, private part right %v, and the report says %v", same, private, report.Findings)
		}
	})
}

// FuzzHead checks logs against heads that the gateway's own key signed and
// that may claim anything.
func FuzzHead(f *testing.F) {
	b := write(f, 7)
	right := b.headAt(f, 7)
	f.Add(right.Size, right.Root, right.Size, right.Root)
	f.Add(int64(-1), "", int64(1)<<60, "AA")
	f.Add(int64(0), right.Root, int64(3), right.Root)
	f.Fuzz(func(t *testing.T, size int64, root string, seenSize int64, seenRoot string) {
		head, err := log.SignHead(b.key, wire.Head{Person: person, Size: size, Root: root})
		if err != nil {
			return // a head that cannot be written cannot be received
		}
		seen := wire.Head{Person: person, Size: seenSize, Root: seenRoot}
		ev := b.evidence(seen)
		ev.Head = head
		report := verify(t, b.entries, ev)
		extends := seenSize == 0 || seenSize == 7 && seenRoot == right.Root
		if seenSize > 0 && seenSize < 7 {
			extends = seenRoot == b.headAt(t, int(seenSize)).Root
		}
		_, unreadable := wire.Decode64(seenRoot)
		if seenSize == 0 && unreadable != nil {
			return
		}
		if report.OK() && (size != 7 || root != right.Root || !extends) {
			t.Errorf("a head of %d %q and a witness of %d %q are taken", size, root, seenSize, seenRoot)
		}
		_ = log.CheckConsistency(seen, wire.Head{Person: person, Size: size, Root: root}, []string{seenRoot, root})
	})
}
