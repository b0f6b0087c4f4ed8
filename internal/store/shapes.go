package store

import (
	"nod.dev/nod"
	"nod.dev/nod/internal/log"
	"nod.dev/nod/internal/wire"
)

// Token is the live token of one agent. Only its hash is kept.
type Token struct {
	Hash    []byte // SHA-256 of the token
	Agent   nod.AgentID
	Created nod.Time
}

// Pairing is an invitation for one phone.
type Pairing struct {
	ID     string
	Person nod.PersonID
	// Secret is needed for the proof by HMAC. The store drops it once the
	// pairing is used, whatever the batch says.
	Secret  []byte
	Recover bool
	Created nod.Time
	Expires nod.Time
	Used    nod.Time    // 0 while not
	Phone   nod.PhoneID // the phone that used it
}

// Subscription is where the messages that wake a phone go. A phone has one at
// the most. One whose push service said that it is over keeps only that word,
// and the row goes when there is neither an address nor a word.
//
// It is no consent and proves nothing: whoever holds all of it, and the
// gateway's push key besides, can show a notification on that phone.
type Subscription struct {
	Phone   nod.PhoneID
	Address string // at the push service of the phone's browser
	Key     []byte // of the browser
	Secret  []byte
	MadeFor []byte // the gateway's public push key at that time: it takes no other's messages
	Created nod.Time
	Last    nod.PushLast
}

// Empty reports whether there is nothing to keep of it.
func (s Subscription) Empty() bool { return s.Address == "" && s.Last == nod.PushLast{} }

// Record is something a phone signed that changes who may do what. A record
// never changes: the same id with other bytes is a conflict.
type Record struct {
	ID     nod.RecordID
	Person nod.PersonID
	Kind   string
	Signed []byte // JSON of a wire.Signed
	At     nod.Time
}

// Batch is what one Commit writes, all of it or nothing.
type Batch struct {
	// Now is the ledger time of the batch.
	Now nod.Time

	People   []nod.Person
	Agents   []nod.Agent
	Tokens   []Token // one live token an agent: a new one replaces the old
	Phones   []nod.Phone
	Records  []Record
	Pairings []Pairing
	// Subscriptions replace each the phone's last one.
	Subscriptions []Subscription

	// Calls are written by version: 1 inserts, v replaces v-1. Anything else
	// in the table is [ErrConflict] and the whole batch is rolled back.
	Calls []nod.Call

	// Entries are appended to the logs of their persons in the order given.
	// They come sealed; Commit sets Seq.
	Entries []log.Entry

	// Meta sets small facts about the ledger; an empty value removes the key.
	Meta map[string]string
}

// State is what a gateway starts from.
type State struct {
	People   []nod.Person
	Agents   []nod.Agent
	Tokens   []Token
	Phones   []nod.Phone
	Calls    []nod.Call // every open one, and those that ended since the time asked for
	Records  []Record
	Pairings []Pairing // unused
	// Subscriptions are those of phones that were not removed.
	Subscriptions []Subscription
	Meta          map[string]string
	Heads         map[nod.PersonID]wire.Signed
	// Now is the last ledger time that was committed.
	Now nod.Time
}

// Query selects calls, newest first.
type Query struct {
	Person nod.PersonID // empty for every person
	Agent  nod.AgentID  // empty for every agent
	State  nod.State    // empty for every state
	App    string       // empty for every app
	Key    string       // the agent's own idempotency key; empty for any and none
	// Phone is one that acted or decided; empty for every phone.
	Phone nod.PhoneID
	// Since leaves out what came in earlier. Of a phone it bounds the search:
	// there is nothing from before it was paired.
	Since nod.Time
	// Before continues a list: only calls older than this one.
	Before nod.CallID
	// Limit bounds the answer; 0 means 50, more than 1000 means 1000.
	Limit int
}

// Keys of the ledger's small facts.
const (
	// MetaNow holds the last ledger time. Commit alone writes it.
	MetaNow = "now"
	// MetaSetBack holds the ledger time to which a restore went back, until a
	// phone accepts it (design section 3, "Set back").
	MetaSetBack = "set_back"
	// MetaErased holds the bound of the last Erase: older payloads are gone.
	MetaErased = "erased"
)
