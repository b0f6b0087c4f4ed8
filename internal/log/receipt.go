package log

import (
	"fmt"

	"nod.dev/nod"
	"nod.dev/nod/internal/wire"
)

// Receipt is what a phone can keep of one call and check without the gateway:
// the call's entries, each with the proof that it is in the log of the signed
// head, and what was offered, decided and said to have come of it.
type Receipt struct {
	Entries []ReceiptEntry `json:"entries"`
	// Head is the signed head that the proofs lead to.
	Head wire.Signed `json:"head"`
	// Offer is the exact bytes that were offered; empty when nothing was, or
	// when they were erased. Decision and Result then are nil too.
	Offer    string       `json:"offer,omitempty"`
	Decision *wire.Signed `json:"decision,omitempty"`
	Result   *wire.Signed `json:"result,omitempty"`
}

// ReceiptEntry is one entry of a call. Salt and payload are there unless the
// entry has none or they were erased.
type ReceiptEntry struct {
	Seq int64 `json:"seq"`
	// Leaf is the entry's public part; see [Entry.Leaf].
	Leaf    string   `json:"leaf"`
	Proof   []string `json:"proof"` // base64url, leaf to root
	Salt    string   `json:"salt,omitempty"`
	Payload string   `json:"payload,omitempty"`
}

// NewReceipt proves entries of one call against a signed head, which covers
// every one of them; r reads the hashes of that log.
func NewReceipt(entries []Entry, head wire.Signed, r Hashes) (Receipt, error) {
	receipt := Receipt{Entries: []ReceiptEntry{}, Head: head}
	var body wire.Head
	if err := wire.Decode([]byte(head.Body), &body); err != nil {
		return receipt, err
	}
	for _, e := range entries {
		proof, err := InclusionProof(body.Size, e.Seq, r)
		if err != nil {
			return receipt, err
		}
		kept := ReceiptEntry{Seq: e.Seq, Leaf: string(e.Leaf()), Proof: proof, Payload: string(e.Payload)}
		if len(e.Salt) > 0 {
			kept.Salt = wire.Encode64(e.Salt)
		}
		receipt.Entries = append(receipt.Entries, kept)
	}
	return receipt, nil
}

// Check reports the first thing in the receipt of a call that does not hold:
// the head under the gateway's key, each entry under the head, each payload
// under its entry, the decision and the result under their phones' keys and
// over the bytes that were offered.
func (r Receipt) Check(call nod.CallID, gateway wire.PublicKey, phone func(nod.PhoneID) (wire.PublicKey, error)) error {
	head, err := OpenHead(r.Head, gateway)
	if err != nil {
		return err
	}
	for _, e := range r.Entries {
		if err := e.check(call, head); err != nil {
			return err
		}
	}
	if r.Offer == "" {
		if r.Decision != nil || r.Result != nil {
			return broken("a decision or a result over nothing")
		}
		return nil
	}
	var offer wire.OfferBody
	if err := wire.Decode([]byte(r.Offer), &offer); err != nil {
		return err
	}
	if offer.Call != call {
		return broken("the offer of another call")
	}
	digest := wire.Encode64(wire.Digest([]byte(r.Offer)))
	if r.Decision != nil {
		var body wire.DecisionBody
		if err := opened(*r.Decision, wire.KindDecision, phone, &body, func() nod.PhoneID { return body.Phone }); err != nil {
			return err
		}
		if body.Call != call || body.Digest != digest {
			return broken("a decision over other bytes")
		}
	}
	if r.Result != nil {
		var body wire.ResultBody
		if err := opened(*r.Result, wire.KindResult, phone, &body, func() nod.PhoneID { return body.Phone }); err != nil {
			return err
		}
		if body.Call != call || body.Digest != digest || body.Phone != offer.Phone {
			return broken("a result of another call or phone")
		}
	}
	return nil
}

func (e ReceiptEntry) check(call nod.CallID, head wire.Head) error {
	var public leaf
	if err := wire.Decode([]byte(e.Leaf), &public); err != nil {
		return err
	}
	if public.Call != call || public.Person != head.Person || public.Seq != e.Seq {
		return broken("an entry of another call or another log")
	}
	if err := CheckInclusion(head, e.Seq, []byte(e.Leaf), e.Proof); err != nil {
		return err
	}
	kept := Entry{Payload: []byte(e.Payload), PayloadHash: public.PayloadHash}
	if e.Salt != "" {
		salt, err := wire.Decode64(e.Salt)
		if err != nil {
			return err
		}
		kept.Salt = salt
	}
	if problem := kept.payloadProblem(); problem != "" {
		return broken(fmt.Sprintf("entry %d: %s", e.Seq, problem))
	}
	return nil
}

// opened reads a signed thing first as it claims to be, and then as the key of
// the phone that it claims to be from proves it.
func opened(s wire.Signed, kind string, keys func(nod.PhoneID) (wire.PublicKey, error), v any, by func() nod.PhoneID) error {
	if err := wire.Decode([]byte(s.Body), v); err != nil {
		return err
	}
	key, err := keys(by())
	if err != nil {
		return err
	}
	return s.OpenAs(kind, key, v)
}

func broken(what string) error {
	return nod.Errorf(nod.CodeInvalid, "the receipt does not hold: "+what, "")
}
