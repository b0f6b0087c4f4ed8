package log

import (
	"errors"
	"fmt"

	"golang.org/x/mod/sumdb/tlog"

	"nod.dev/nod"
	"nod.dev/nod/internal/wire"
)

// KindHead is the kind under which a head is signed.
const KindHead = "head"

// What [CheckConsistency] can find. A phone treats both as "set back": it takes
// no offers until the person accepted (design section 3).
var (
	// ErrOlder: the other log is shorter than what was seen.
	ErrOlder = errors.New("the log is older than the head that was seen")
	// ErrForked: the other log does not contain what was seen.
	ErrForked = errors.New("the log does not extend the head that was seen")
)

// HeadOf computes the head of the first size entries.
func HeadOf(person nod.PersonID, size int64, at nod.Time, r Hashes) (wire.Head, error) {
	root, err := Root(size, r)
	if err != nil {
		return wire.Head{}, err
	}
	return wire.Head{Person: person, Size: size, Root: wire.Encode64(root[:]), At: at}, nil
}

// SignHead signs a head with the gateway's key.
func SignHead(s wire.Signer, h wire.Head) (wire.Signed, error) {
	return wire.Sign(s, KindHead, h)
}

// OpenHead verifies a signed head and reads it.
func OpenHead(s wire.Signed, gateway wire.PublicKey) (wire.Head, error) {
	var h wire.Head
	if err := s.OpenAs(KindHead, gateway, &h); err != nil {
		return wire.Head{}, err
	}
	if _, err := decodeHash(h.Root); err != nil || h.Size < 0 {
		return wire.Head{}, nod.Errorf(nod.CodeInvalid, "the head has no size and root that could be checked", "")
	}
	return h, nil
}

// ConsistencyProof proves that the log of size after extends that of size
// before: base64url hashes, none when there is nothing to prove.
func ConsistencyProof(before, after int64, r Hashes) ([]string, error) {
	if before < 0 || after < before {
		return nil, nod.Errorf(nod.CodeInvalid, fmt.Sprintf("a log of %d entries does not extend one of %d", after, before), "")
	}
	if before == 0 || before == after {
		return nil, nil
	}
	proof, err := tlog.ProveTree(after, before, r)
	return encodeHashes(proof), err
}

// CheckConsistency checks that after is before or extends it. It returns
// [ErrOlder] or [ErrForked], wrapped, where that is not so.
func CheckConsistency(before, after wire.Head, proof []string) error {
	beforeRoot, err := decodeHash(before.Root)
	if err != nil {
		return err
	}
	afterRoot, err := decodeHash(after.Root)
	if err != nil {
		return err
	}
	switch {
	case before.Person != after.Person:
		return nod.Errorf(nod.CodeInvalid, "the two heads are of two persons' logs", "")
	case before.Size < 0 || after.Size < 0:
		return nod.Errorf(nod.CodeInvalid, "a head has a size below zero", "")
	case after.Size < before.Size:
		return fmt.Errorf("%w: %d entries, %d were seen", ErrOlder, after.Size, before.Size)
	case before.Size == 0:
		return nil
	case before.Size == after.Size:
		if beforeRoot != afterRoot {
			return fmt.Errorf("%w: another root at %d entries", ErrForked, before.Size)
		}
		return nil
	}
	hashes, err := decodeHashes(proof)
	if err != nil {
		return err
	}
	if err := tlog.CheckTree(hashes, after.Size, afterRoot, before.Size, beforeRoot); err != nil {
		return fmt.Errorf("%w: from %d to %d entries: %w", ErrForked, before.Size, after.Size, err)
	}
	return nil
}

// InclusionProof proves that entry seq is in the log of size entries.
func InclusionProof(size, seq int64, r Hashes) ([]string, error) {
	if seq < 1 || seq > size {
		return nil, nod.Errorf(nod.CodeNotFound, fmt.Sprintf("entry %d is not in a log of %d", seq, size), "")
	}
	proof, err := tlog.ProveRecord(size, seq-1, r)
	return encodeHashes(proof), err
}

// CheckInclusion checks that leaf is entry seq of the log with that head.
func CheckInclusion(h wire.Head, seq int64, leaf []byte, proof []string) error {
	root, err := decodeHash(h.Root)
	if err != nil {
		return err
	}
	hashes, err := decodeHashes(proof)
	if err != nil {
		return err
	}
	if err := tlog.CheckRecord(hashes, h.Size, root, seq-1, tlog.RecordHash(leaf)); err != nil {
		return &nod.Error{Code: nod.CodeInvalid, Message: fmt.Sprintf("entry %d is not proved to be in the log", seq), Err: err}
	}
	return nil
}

func encodeHashes(hashes []tlog.Hash) []string {
	out := make([]string, len(hashes))
	for i, h := range hashes {
		out[i] = wire.Encode64(h[:])
	}
	return out
}

func decodeHashes(list []string) ([]tlog.Hash, error) {
	out := make([]tlog.Hash, len(list))
	for i, s := range list {
		h, err := decodeHash(s)
		if err != nil {
			return nil, err
		}
		out[i] = h
	}
	return out, nil
}

func decodeHash(s string) (tlog.Hash, error) {
	b, err := wire.Decode64(s)
	if err != nil || len(b) != tlog.HashSize {
		return tlog.Hash{}, nod.Errorf(nod.CodeInvalid, "a hash of the log is 32 bytes in base64url", "")
	}
	return tlog.Hash(b), nil
}
