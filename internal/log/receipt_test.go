package log_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"nod.dev/nod"
	"nod.dev/nod/internal/log"
	"nod.dev/nod/internal/wire"
)

// receiptVector is spec/vectors/receipt.json: one whole call, as a gateway
// proves it. "go test ./internal/gateway -run TestReceipt -update-receipt"
// makes another one.
type receiptVector struct {
	Call    nod.CallID             `json:"call"`
	Gateway string                 `json:"gateway"`
	Phones  map[nod.PhoneID]string `json:"phones"`
	Receipt log.Receipt            `json:"receipt"`
}

func readReceipt(t *testing.T) (v receiptVector) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "spec", "vectors", "receipt.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func (v receiptVector) check() error {
	public := func(s string) (wire.PublicKey, error) {
		key, err := wire.Decode64(s)
		if err != nil {
			return nil, err
		}
		return wire.ParsePublic(key)
	}
	gateway, err := public(v.Gateway)
	if err != nil {
		return err
	}
	return v.Receipt.Check(v.Call, gateway, func(id nod.PhoneID) (wire.PublicKey, error) { return public(v.Phones[id]) })
}

// Every byte of a receipt counts, by any of its bits.
func TestEveryByteOfAReceipt(t *testing.T) {
	v := readReceipt(t)
	if err := v.check(); err != nil {
		t.Fatal(err)
	}
	r := &v.Receipt
	parts := map[string]*string{
		"the head": &r.Head.Body, "the head's signature": &r.Head.Sig, "the offer": &r.Offer,
		"the decision": &r.Decision.Body, "the decision's signature": &r.Decision.Sig,
		"the result": &r.Result.Body, "the result's signature": &r.Result.Sig,
	}
	for i := range r.Entries {
		e := &r.Entries[i]
		parts["the leaf of "+string(rune('a'+i))] = &e.Leaf
		for j := range e.Proof {
			parts["the proof of "+string(rune('a'+i))+string(rune('a'+j))] = &e.Proof[j]
		}
		if e.Payload != "" {
			parts["the payload of "+string(rune('a'+i))], parts["the salt of "+string(rune('a'+i))] = &e.Payload, &e.Salt
		}
	}
	for name, part := range parts {
		whole := *part
		for i := range len(whole) {
			b := []byte(whole)
			b[i] ^= 1 << (i % 8)
			*part = string(b)
			if v.check() == nil {
				t.Errorf("a bit of byte %d of %s can be flipped", i, name)
			}
		}
		*part = whole
	}
}

// What is whole in itself and does not belong together is no receipt.
func TestReceiptOfPieces(t *testing.T) {
	for name, change := range map[string]func(*receiptVector){
		"another call's":         func(v *receiptVector) { v.Call = nod.NewCallID() },
		"a moved entry":          func(v *receiptVector) { v.Receipt.Entries[0].Seq++ },
		"two swapped proofs":     func(v *receiptVector) { e := v.Receipt.Entries; e[0].Proof, e[1].Proof = e[1].Proof, e[0].Proof },
		"a result as decision":   func(v *receiptVector) { v.Receipt.Decision = v.Receipt.Result },
		"a decision as result":   func(v *receiptVector) { v.Receipt.Result = v.Receipt.Decision },
		"a decision without one": func(v *receiptVector) { v.Receipt.Offer = "" },
		"another gateway's":      func(v *receiptVector) { _, key := newKey(t); v.Gateway = wire.Encode64(key.Bytes()) },
		"a payload less":         func(v *receiptVector) { v.Receipt.Entries[0].Payload = "" },
	} {
		v := readReceipt(t)
		change(&v)
		if v.check() == nil {
			t.Errorf("%s is taken for a receipt", name)
		}
	}
	v := readReceipt(t)
	for i := range v.Receipt.Entries { // what was erased leaves the proof
		v.Receipt.Entries[i].Payload, v.Receipt.Entries[i].Salt = "", ""
	}
	v.Receipt.Offer, v.Receipt.Decision, v.Receipt.Result = "", nil, nil
	if err := v.check(); err != nil {
		t.Errorf("after erasing: %v", err)
	}
}
