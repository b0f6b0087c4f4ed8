package host

import (
	"nod.dev/nod"
	"nod.dev/nod/internal/wire"
)

// RecordKind names a point of a call's life that a phone must not forget.
type RecordKind string

// The records of a journal.
const (
	RecReceived RecordKind = "received" // Offer: an offer was taken
	RecDecided  RecordKind = "decided"  // Signed: a decision was made here
	RecArmed    RecordKind = "armed"    // from here on it counts as started, for ever
	RecDisarmed RecordKind = "disarmed" // Signed: after armed, and it provably never launched
	RecEnded    RecordKind = "ended"    // Signed, Text, Salt: the result
	RecOver     RecordKind = "over"     // Reason: nothing more will be done or said
	RecHead     RecordKind = "head"     // Head: the newest log head seen
	RecSetBack  RecordKind = "set_back" // Head: an older head came; no offers are taken
	RecAccept   RecordKind = "accept"   // Head, Signed: the person accepted it
	RecSigned   RecordKind = "signed"   // Signed: another record of the person's
	RecSent     RecordKind = "sent"     // the oldest signed record was acked
	RecPhone    RecordKind = "phone"    // Phone: whose journal this is; the first record
	RecRoot     RecordKind = "root"     // Phone, Key: whose word other screens' keys stand on
	RecRevoked  RecordKind = "revoked"  // this phone was removed
)

// CallRecords lists the points of a call, in the order in which they may come.
var CallRecords = []RecordKind{RecReceived, RecDecided, RecArmed, RecDisarmed, RecEnded, RecOver}

// Record is one entry of a journal. Which fields a kind uses is said at the kind.
type Record struct {
	Kind   RecordKind   `json:"kind"`
	At     nod.Time     `json:"at"` // by the wall clock
	Call   nod.CallID   `json:"call,omitempty"`
	Offer  string       `json:"offer,omitempty"` // the exact bytes
	Signed *wire.Signed `json:"signed,omitempty"`
	Head   *wire.Head   `json:"head,omitempty"`
	Phone  nod.PhoneID  `json:"phone,omitempty"`
	Key    string       `json:"key,omitempty"`
	Reason string       `json:"reason,omitempty"`
	// Text is what a result carries beside its body, under Salt, until it has arrived.
	Text string `json:"text,omitempty"`
	Salt string `json:"salt,omitempty"`
	// Never is true on the tombstone of a call that provably never launched.
	Never bool `json:"never,omitempty"`
}

// Journal is the memory of a phone. [OpenFile] is the durable one and [Memory]
// the one of a simulation.
type Journal interface {
	// Append returns once r would survive a power cut, or fails.
	Append(r Record) error
	// Records returns everything that was appended, oldest first.
	Records() ([]Record, error)
	// Replace puts records in place of all that is there, at once or not at all.
	Replace(records []Record) error
}
