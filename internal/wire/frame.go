package wire

import "nod.dev/nod"

// Protocol is the name under which the version range is advertised (design section 5).
const Protocol = "nod-runtime-protocol"

// The inclusive range of protocol versions this program speaks.
const (
	MinVersion = 1
	MaxVersion = 1
)

// MaxFrame is the largest frame either side may send, in bytes (design section 6).
const MaxFrame = 64 << 10

// Bounds of what a result may carry (design section 3, "Reads").
const (
	MaxText = 32 << 10 // bytes of a result's text
	MaxBlob = 1 << 20  // bytes of a blob
	// MaxBlobs is how many blobs a result may carry, whatever the tool.
	MaxBlobs = 10
	SaltSize = 16
)

// Range is a version range as it is advertised.
type Range struct {
	Name       string `json:"name"`
	MinVersion int64  `json:"min_version"`
	MaxVersion int64  `json:"max_version"`
}

// OwnRange is this program's range.
func OwnRange() Range { return Range{Protocol, MinVersion, MaxVersion} }

// Frame kinds. Those marked signed travel with a body and a signature.
const (
	// Phone to gateway.
	KindHello        = "hello"     // signed
	KindDelivered    = "delivered" // Call, Epoch
	KindShown        = "shown"     // Call, Epoch
	KindDecision     = "decision"  // signed; Epoch
	KindResult       = "result"    // signed; Text, Salt
	KindCapabilities = "capabilities"
	KindRecords      = "records" // Record: a signed record of one of the kinds below
	KindPresence     = "presence"
	KindBye          = "bye"

	// Gateway to phone.
	KindChallenge = "challenge"
	KindWelcome   = "welcome"  // signed
	KindOffer     = "offer"    // signed; Epoch, LeftMS, Standing, Takes
	KindGo        = "go"       // signed
	KindDisarm    = "disarm"   // signed
	KindWithdraw  = "withdraw" // signed
	KindAck       = "ack"
	KindRevoked   = "revoked" // signed
	KindReload    = "reload"

	// Both ways.
	KindBeat = "beat"
)

// Record kinds: what a phone signs to change who may do what.
const (
	RecordPhone  = "phone"  // a phone counts; signed by the phone that approved it, the first by itself
	RecordResume = "resume" // agents may ask again, or a set-back gateway is accepted
	RecordPause  = "pause"  // everything stops
	RecordRevoke = "revoke" // an agent or a phone is removed
	RecordAccess = "access" // what one agent may ask for
)

// Frame is the envelope of everything on the link. Which fields a kind uses is
// in spec/events.json and spec/protocol.md; fields that a reader does not know
// are ignored.
type Frame struct {
	Kind string `json:"kind"`
	// Body and Sig make the frame a signed thing; see [Signed].
	Body string `json:"body,omitempty"`
	Sig  string `json:"sig,omitempty"`

	Call  nod.CallID `json:"call,omitempty"`
	Epoch int64      `json:"epoch,omitempty"`

	// offer: how long the card may still wait, what allows it without a card,
	// and the withdrawn call whose place on the screen it takes.
	LeftMS   int64      `json:"left_ms,omitempty"`
	Standing *Signed    `json:"standing,omitempty"`
	Takes    nod.CallID `json:"takes,omitempty"`

	// challenge: a nonce (base64url, 32 bytes), the gateway's key and its range.
	Nonce string `json:"nonce,omitempty"`
	Key   string `json:"key,omitempty"`
	Range *Range `json:"range,omitempty"`

	// welcome: the bearer of the phone API for this epoch.
	Bearer string `json:"bearer,omitempty"`

	// ack: the kind of the frame that was taken.
	Of string `json:"of,omitempty"`

	// result: what was read, and the salt (base64url, 16 bytes) under which the
	// body holds its hash. They stand outside the body, so that whoever keeps the
	// signed result keeps nothing of them.
	Text string `json:"text,omitempty"`
	Salt string `json:"salt,omitempty"`

	// records.
	Record *Signed `json:"record,omitempty"`

	// capabilities.
	Capabilities []nod.Capability `json:"capabilities,omitempty"`

	// presence: whether the screen shows the phone side.
	Visible *bool `json:"visible,omitempty"`

	// beat: a number that the other side repeats.
	N int64 `json:"n,omitempty"`

	// bye, reload: why, in one word. ack: [ReasonRefused], or empty.
	Reason string `json:"reason,omitempty"`
}

// ReasonRefused is in the ack of a record that changed nothing and never will.
const ReasonRefused = "refused"

// Signed returns the signed part of the frame.
func (f *Frame) Signed() Signed { return Signed{Kind: f.Kind, Body: f.Body, Sig: f.Sig} }

// FrameOf wraps a signed thing in a frame of its kind.
func FrameOf(s Signed) Frame { return Frame{Kind: s.Kind, Body: s.Body, Sig: s.Sig} }

// HelloBody is what a phone says of itself, signed with its key.
type HelloBody struct {
	Phone        nod.PhoneID      `json:"phone"`
	Challenge    string           `json:"challenge"` // the gateway's nonce, repeated
	Nonce        string           `json:"nonce"`     // the phone's own, which welcome repeats
	Range        Range            `json:"range"`
	Host         nod.Host         `json:"host"`
	AppVersion   string           `json:"app_version"`
	Zone         string           `json:"zone"`
	Locale       string           `json:"locale"`
	Screen       bool             `json:"screen"` // it can show a card
	Visible      bool             `json:"visible"`
	Capabilities []nod.Capability `json:"capabilities"`
	// Revocations are records that the phone has ended by itself.
	Revocations []nod.RecordID `json:"revocations,omitempty"`
	// Head is the newest log head that the phone has seen; nil on a fresh one.
	Head *Head `json:"head,omitempty"`
}

// Head is a log's size and root (base64, 32 bytes) at a moment.
type Head struct {
	Person nod.PersonID `json:"person"`
	Size   int64        `json:"size"`
	Root   string       `json:"root"`
	At     nod.Time     `json:"at"` // ledger time, milliseconds
}

// WelcomeBody opens the link for one epoch.
type WelcomeBody struct {
	Phone   nod.PhoneID `json:"phone"`
	Nonce   string      `json:"nonce"` // the phone's, repeated
	Epoch   int64       `json:"epoch"`
	At      nod.Time    `json:"at"`
	Version int64       `json:"version"` // the protocol version both speak
	Gateway string      `json:"gateway"` // the program's version, for "reload"
	// Person is the name of whose phone this is.
	Person string `json:"person"`
	// Open lists the calls whose offers follow; a card for any other call goes away.
	Open []nod.CallID `json:"open"`
	// Phones are the person's phone records, newest chain first.
	Phones []Signed `json:"phones"`
	// Head is the log's newest head, and Proof (base64 hashes) that it extends the phone's.
	Head  Head     `json:"head"`
	Proof []string `json:"proof,omitempty"`
	// SetBack is true when the gateway knows that it was restored from a copy.
	SetBack bool `json:"set_back,omitempty"`
	// SetBackTo is the ledger time of the last thing that it still knows then.
	SetBackTo nod.Time `json:"set_back_to,omitempty"`
	// Paused is true while the person has paused all agents.
	Paused bool `json:"paused,omitempty"`
}

// OfferBody is the offer: canonical JSON made once per call and never again.
type OfferBody struct {
	Call       nod.CallID    `json:"call"`
	Agent      nod.AgentID   `json:"agent"`
	AgentName  string        `json:"agent_name"`
	Phone      nod.PhoneID   `json:"phone"`   // the one that acts
	Screens    []nod.PhoneID `json:"screens"` // those that may decide
	Tool       string        `json:"tool"`
	Action     string        `json:"action"`
	Fields     nod.Fields    `json:"fields"`
	Summary    string        `json:"summary"`
	Verdict    nod.Answer    `json:"verdict"`
	Rule       nod.Rule      `json:"rule"`
	Risk       nod.Risk      `json:"risk"`
	Badges     []nod.Badge   `json:"badges"`
	TTLSeconds int64         `json:"ttl_seconds"`
	Nonce      string        `json:"nonce"`
	// Repeat is set with the badge "repeat": what became of the same act before.
	Repeat *Repeat `json:"repeat,omitempty"`
	// Taint is set with the badge "taint": the apps whose private data the agent
	// was given, in order.
	Taint []string `json:"taint,omitempty"`
}

// Repeat says when the same act was asked before and how that ended.
type Repeat struct {
	SecondsAgo int64       `json:"seconds_ago"`
	Outcome    nod.Outcome `json:"outcome"`
}

// DecisionBody is a person's answer, or a standing one, over one offer's bytes.
type DecisionBody struct {
	Call   nod.CallID  `json:"call"`
	Digest string      `json:"digest"` // base64url SHA-256 of the offer's bytes
	Phone  nod.PhoneID `json:"phone"`  // the screen that decided
	Choice nod.Choice  `json:"choice"`
	// Basis is the record behind a standing decision.
	Basis     string        `json:"basis,omitempty"`
	Assurance nod.Assurance `json:"assurance"`
	// Reason is the person's own words with a decline, at most 500 characters.
	Reason string `json:"reason,omitempty"`
}

// GoBody tells the acting host to carry it out now.
type GoBody struct {
	Call     nod.CallID `json:"call"`
	Digest   string     `json:"digest"`
	Decision Signed     `json:"decision"`
	Upload   string     `json:"upload,omitempty"` // a one-time token for blobs
}

// ResultStatus is how a host says it ended.
type ResultStatus string

// The three results of design section 6.
const (
	ResultDone   ResultStatus = "done"
	ResultOpened ResultStatus = "opened"
	ResultFailed ResultStatus = "failed"
	// ResultUnknown is what a host says after a restart that found armed without an end.
	ResultUnknown ResultStatus = "unknown"
)

// ResultBody is how it ended, signed by the acting phone and sent until acked.
type ResultBody struct {
	Call    nod.CallID   `json:"call"`
	Digest  string       `json:"digest"`
	Phone   nod.PhoneID  `json:"phone"`
	Status  ResultStatus `json:"status"`
	Started bool         `json:"started"`
	Message string       `json:"message,omitempty"`
	// App is the app that was opened, as the person knows it.
	App string `json:"app,omitempty"`
	// Why says with status failed what was in the way; one of [nod.PhoneWhys], or empty.
	Why nod.Why `json:"why,omitempty"`
	// Data is the text that the frame carries beside the body; nil without one.
	Data *Data `json:"data,omitempty"`
	// Blobs are the files that were sent beforehand, in their order.
	Blobs []Blob `json:"blobs,omitempty"`
}

// Data names a text without holding it: JSON, an object, at most [MaxText] bytes.
type Data struct {
	Hash  string `json:"hash"` // base64url SHA-256 of the salt's 16 bytes and the text
	Bytes int64  `json:"bytes"`
}

// Blob names a file without holding it, at most [MaxBlob] bytes.
type Blob struct {
	Hash  string `json:"hash"` // base64url SHA-256
	Bytes int64  `json:"bytes"`
	Mime  string `json:"mime"` // image/jpeg, image/png or image/webp
	// Name is the phone's own word for it, never a name that the person's file has:
	// it is in the ledger for good.
	Name   string `json:"name"`
	Width  int64  `json:"width"`
	Height int64  `json:"height"`
}

// BlobTypes lists what a blob may be.
var BlobTypes = []string{"image/jpeg", "image/png", "image/webp"}

// CallBody names a call and a reason: disarm and withdraw.
type CallBody struct {
	Call   nod.CallID `json:"call"`
	Reason string     `json:"reason"`
	// KeepMS holds the card's place on the screen with Confirm off, for a
	// connection that may come back (design section 3, "Repeats").
	KeepMS int64 `json:"keep_ms,omitempty"`
	// By names the phone that answered, where one did.
	By string `json:"by,omitempty"`
}

// RevokedBody tells a phone that it was removed: it stops for good. It names
// the phone, so that one phone's cannot be shown to another.
type RevokedBody struct {
	Phone  nod.PhoneID `json:"phone"`
	Reason string      `json:"reason,omitempty"`
}

// PhoneBody is a phone record: this key belongs to this phone.
type PhoneBody struct {
	Phone  nod.PhoneID  `json:"phone"`
	Person nod.PersonID `json:"person"`
	Name   string       `json:"name"`
	Host   nod.Host     `json:"host"`
	Key    string       `json:"key"`    // base64url, 65 bytes
	Signer nod.PhoneID  `json:"signer"` // whose key signed this record
}

// RecordBody is a pause, resume, revoke or access signed on a phone.
type RecordBody struct {
	ID    nod.RecordID `json:"id"`
	Phone nod.PhoneID  `json:"phone"` // whose key signed it
	// Agent limits a pause or resume to one agent; empty for all. Revoke names one of Agent and Target.
	Agent  nod.AgentID `json:"agent,omitempty"`
	Target nod.PhoneID `json:"target,omitempty"`
	// SetBack, on resume: the person accepts that the gateway went back to this head.
	SetBack *Head `json:"set_back,omitempty"`
	// Switches, on access: what the agent may ask for from now on, "calendar:read"
	// to ask or off. What it does not name stays.
	Switches map[string]nod.AccessState `json:"switches,omitempty"`
}
