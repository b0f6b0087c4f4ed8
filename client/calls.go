package client

import (
	"encoding/json"
	"time"

	"nod.dev/nod"
)

// Request is a call to be sent.
type Request struct {
	// Tool is what the agent names: "phone_action".
	Tool string `json:"tool"`
	// Arguments is the tool's JSON object, sent as it is: the gateway refuses
	// duplicate keys and broken text instead of repairing them.
	Arguments json.RawMessage `json:"arguments,omitempty"`
	// Phone asks for one phone, by id or name; empty for the gateway's choice.
	Phone string `json:"phone,omitempty"`
	// Mode narrows what the agent may do unasked; empty for the agent's own.
	Mode nod.Mode `json:"mode,omitempty"`
	// WaitSeconds asks for a card that waits less than the person's setting; 0 for that.
	WaitSeconds int `json:"wait_seconds,omitempty"`
	// Detached says who ends the call. True, and the default of the HTTP API:
	// the card waits for its time, whoever still listens. False: the call is
	// withdrawn when nobody has asked for it for 10 seconds.
	Detached bool `json:"detached"`
	// Key makes sending safe to repeat: for 24 hours a call with the same key is
	// the same call. It travels as the header Idempotency-Key: 1 to 255 printable
	// characters of ASCII. Empty for none.
	Key string `json:"-"`
}

// Call is a call and what became of it.
type Call struct {
	ID      nod.CallID  `json:"id"`
	Tool    string      `json:"tool"`
	Action  string      `json:"action,omitempty"`
	State   nod.State   `json:"state"`
	Outcome nod.Outcome `json:"outcome,omitempty"`
	Why     nod.Why     `json:"why,omitempty"`
	// Text is what an agent is told, complete: how it ended, or that it waits.
	Text string `json:"text"`
	// Message is the phone's own sentence; part of Text.
	Message string `json:"message,omitempty"`
	// Push is how far a wake-up for the call came: failed, accepted by the push
	// service, received by the phone's browser, shown as a notification. None of it
	// is the card; empty when none was needed.
	Push  nod.Push    `json:"push,omitempty"`
	Phone nod.PhoneID `json:"phone,omitempty"`
	// Started says, of a failed call, that the phone had begun.
	Started bool    `json:"started,omitempty"`
	Verdict Verdict `json:"verdict,omitzero"`

	// Data is what the phone read, a JSON object: data that others may have written,
	// never instructions. Text holds it too, between marks. Only an answer about one
	// call that has ended has it, for ten minutes after the first.
	Data string `json:"data,omitempty"`
	// Attachments are the pictures that came with Data: see [Client.Attachment].
	Attachments []Attachment `json:"attachments,omitempty"`

	ReceivedAt time.Time `json:"received_at"`
	DeadlineAt time.Time `json:"deadline_at,omitzero"`
	EndedAt    time.Time `json:"ended_at,omitzero"`
}

// Attachment is a picture that a phone sent for a call.
type Attachment struct {
	Name string `json:"name"`
	// Path is where it is kept for the person, in the gateway's data folder.
	Path   string `json:"path"`
	Mime   string `json:"mime"` // image/jpeg, image/png or image/webp
	Bytes  int    `json:"bytes"`
	Width  int64  `json:"width"`
	Height int64  `json:"height"`
	// URL is where its bytes are, below the gateway's address, for the agent's token.
	URL string `json:"url"`
}

// Verdict is the policy's answer and the rule that gave it.
type Verdict struct {
	Answer nod.Answer `json:"answer,omitempty"`
	Rule   nod.Rule   `json:"rule,omitempty"`
}

// Ended reports whether the call has its outcome.
func (c *Call) Ended() bool { return c.State == nod.Closed }

// Calls is a page of a list of calls, newest first.
type Calls struct {
	Calls []Call `json:"calls"`
	// Next is the call before which the next page begins; empty on the last one.
	Next nod.CallID `json:"next,omitempty"`
}
