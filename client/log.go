package client

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"nod.dev/nod"
)

// Entry is one line of a person's log.
type Entry struct {
	Seq   int64       `json:"seq"`
	At    time.Time   `json:"at"`
	Kind  string      `json:"kind"`
	Call  nod.CallID  `json:"call,omitempty"`
	Agent nod.AgentID `json:"agent,omitempty"`
	Phone nod.PhoneID `json:"phone,omitempty"`
	// Facts are small and public: an outcome, a rule, a reason.
	Facts map[string]string `json:"facts,omitempty"`
	// Payload is what may be erased: fields, names, signed things. It is nil
	// once it was.
	Payload json.RawMessage `json:"payload,omitempty"`
	// Erased is true when there was a payload and it was erased.
	Erased bool `json:"erased,omitempty"`
}

// LogQuery selects a part of a log.
type LogQuery struct {
	Person string
	// From is the first entry's number. A negative one counts from the end:
	// -20 for the last twenty.
	From int64
	// Limit bounds the answer; 0 for the gateway's choice.
	Limit int
	// Wait holds an answer without entries back until there is one, or so long.
	Wait time.Duration
}

// LogPage is a part of a log.
type LogPage struct {
	Entries []Entry `json:"entries"`
	// Next is the number to ask from for what follows.
	Next int64 `json:"next"`
}

// Log reads a part of a person's log, oldest first.
func (c *Console) Log(ctx context.Context, q LogQuery) (LogPage, error) {
	v := url.Values{"from": {strconv.FormatInt(q.From, 10)}}
	if q.Person != "" {
		v.Set("person", q.Person)
	}
	if q.Limit > 0 {
		v.Set("limit", strconv.Itoa(q.Limit))
	}
	if q.Wait > 0 {
		v.Set("wait", strconv.Itoa(int(q.Wait/time.Second)))
	}
	var p LogPage
	err := c.send(ctx, http.MethodGet, "/log?"+v.Encode(), nil, &p)
	return p, err
}

// Verified is what a check of the whole log found.
type Verified struct {
	OK      bool   `json:"ok"`
	Entries int64  `json:"entries"`
	Root    string `json:"root"`
	// Problems name each entry that is wrong, and how.
	Problems []string `json:"problems,omitempty"`
	// Signatures counts the decisions and results that were checked.
	Signatures int64 `json:"signatures"`
	// Erased counts the entries whose payload was erased; they are proven still.
	Erased int64 `json:"erased,omitempty"`
}

// Verify checks a person's whole log: each entry's payload, the tree, the signed
// head, and every decision and result under the phones' keys.
func (c *Console) Verify(ctx context.Context, person string) (Verified, error) {
	var v Verified
	err := c.send(ctx, http.MethodGet, "/verify"+of(person), nil, &v)
	return v, err
}
