// Package nod is the vocabulary that every part of nod shares: calls and what
// became of them, phones, agents, people, verdicts and outcomes.
//
// An agent asks with a [Call]. A call that passes the check carries an [Action].
// A person decides on a phone, and the call ends with exactly one [Outcome].
// The words are those of the design's section 1, one word per thing.
//
// The package imports the standard library only, does no I/O and reads no clock.
package nod

import (
	"crypto/rand"
	"time"
)

// Identifiers are opaque, unguessable (at least 128 random bits) and carry
// their kind as a prefix, so that one pasted in the wrong place is recognised.
type (
	// PersonID names a person ("person_...").
	PersonID string
	// PhoneID names a paired phone ("phone_...").
	PhoneID string
	// AgentID names an agent ("agent_...").
	AgentID string
	// CallID names a call ("call_...").
	CallID string
	// RecordID names a signed record: a grant, a mode, a resume ("record_...").
	RecordID string
)

// NewPersonID makes a fresh id.
func NewPersonID() PersonID { return PersonID("person_" + rand.Text()) }

// NewPhoneID makes a fresh id.
func NewPhoneID() PhoneID { return PhoneID("phone_" + rand.Text()) }

// NewAgentID makes a fresh id.
func NewAgentID() AgentID { return AgentID("agent_" + rand.Text()) }

// NewCallID makes a fresh id.
func NewCallID() CallID { return CallID("call_" + rand.Text()) }

// Time is ledger time: milliseconds since the Unix epoch, UTC. It never goes
// backwards (design section 3, "Time"); deadlines are stored in it and judged
// by it alone.
type Time int64

// TimeOf converts a wall-clock instant to ledger time.
func TimeOf(t time.Time) Time { return Time(t.UnixMilli()) }

// Add returns t plus d.
func (t Time) Add(d time.Duration) Time { return t + Time(d.Milliseconds()) }

// Sub returns the duration from u to t.
func (t Time) Sub(u Time) time.Duration { return time.Duration(t-u) * time.Millisecond }

// UTC returns t as a time.Time in UTC.
func (t Time) UTC() time.Time { return time.UnixMilli(int64(t)).UTC() }

// String writes t as RFC 3339 in UTC with milliseconds.
func (t Time) String() string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }
