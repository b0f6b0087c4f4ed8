package client

import (
	"context"
	"encoding/json"
	"net/http"

	"nod.dev/nod"
	"nod.dev/nod/internal/log"
	"nod.dev/nod/internal/wire"
)

// Signed is something signed with ECDSA P-256: the signature is over
// "nod/1 KIND\n" and the bytes of Body.
type Signed struct {
	Kind string `json:"kind"`
	Body string `json:"body"` // canonical JSON
	Sig  string `json:"sig"`  // base64url of r and s, 64 bytes
}

// Receipt is what proves one call: its entries of the person's log, each with
// its proof under a signed head, and what was offered, decided and done.
type Receipt struct {
	Call    nod.CallID     `json:"call"`
	Entries []ReceiptEntry `json:"entries"`
	// Head is the signed head that the proofs lead to.
	Head Signed `json:"head"`
	// Offer is the exact bytes that were offered; empty when nothing was, or when
	// they were erased. Decision and Result then are nil too.
	Offer    string  `json:"offer,omitempty"`
	Decision *Signed `json:"decision,omitempty"`
	Result   *Signed `json:"result,omitempty"`
	// Keys are the keys to check it by, as the gateway says.
	Keys ReceiptKeys `json:"keys"`
}

// ReceiptEntry is one entry of a call. Salt and payload are there unless the
// entry has none or they were erased.
type ReceiptEntry struct {
	Seq int64 `json:"seq"`
	// Leaf is the entry's public part as canonical JSON, the leaf of the tree.
	Leaf    string   `json:"leaf"`
	Proof   []string `json:"proof"` // base64url, leaf to root (RFC 6962)
	Salt    string   `json:"salt,omitempty"`
	Payload string   `json:"payload,omitempty"`
}

// ReceiptKeys are public keys: uncompressed points of P-256, base64url.
type ReceiptKeys struct {
	Gateway string `json:"gateway"`
	// Phones are the phones that signed the decision and the result.
	Phones map[nod.PhoneID]string `json:"phones"`
}

// Receipt returns what proves a call of this agent. Nothing in it is taken on
// trust before [Receipt.Check] says so.
func (c *Client) Receipt(ctx context.Context, id nod.CallID) (Receipt, error) {
	var r Receipt
	err := c.send(ctx, http.MethodGet, callPath(id)+"/receipt", nil, nil, &r)
	return r, err
}

// Check reports the first thing in the receipt that does not hold: the head
// under the gateway's key, each entry under the head, each payload under its
// entry, the decision and the result under their phones' keys and over the bytes
// that were offered. With gateway empty it goes by the key that the receipt
// names, which proves only that the receipt is of one piece: a reader who wants
// more keeps the key of an earlier one, or that of [Console.Status].
func (r Receipt) Check(gateway string) error {
	if gateway == "" {
		gateway = r.Keys.Gateway
	}
	b, err := json.Marshal(r)
	if err != nil {
		return err
	}
	var kept log.Receipt
	if err := json.Unmarshal(b, &kept); err != nil {
		return err
	}
	key, err := publicKey(gateway)
	if err != nil {
		return err
	}
	return kept.Check(r.Call, key, func(id nod.PhoneID) (wire.PublicKey, error) { return publicKey(r.Keys.Phones[id]) })
}

func publicKey(text string) (wire.PublicKey, error) {
	b, err := wire.Decode64(text)
	if err != nil {
		return nil, err
	}
	return wire.ParsePublic(b)
}
