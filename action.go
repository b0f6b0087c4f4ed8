package nod

// Kind says whether a tool reads from the phone or acts through it.
type Kind string

// The two kinds of tool (design section 5).
const (
	Read Kind = "read"
	Act  Kind = "act"
)

// Risk is how much harm a wrong Confirm could do.
type Risk string

// The risks of seed 001 (safe, moderate, sensitive) under nod's names.
const (
	Low    Risk = "low"
	Medium Risk = "medium"
	High   Risk = "high"
)

// Confirm is a tool's own rule about asking.
type Confirm string

// Confirm rules (design section 7).
const (
	ConfirmPolicy Confirm = "policy" // the person's rules decide
	ConfirmAlways Confirm = "always" // every call is put to the person (seed 000)
	ConfirmNever  Confirm = "never"  // the phone's own spec allows it
)

// Fields are an action's arguments after the check. Values are string, int64,
// bool, []any and map[string]any of the same, nothing else: what canonical
// JSON can carry without a choice (design section 6).
type Fields map[string]any

// Action is a call that passed the check: what a phone may be offered.
type Action struct {
	Tool    string // the tool's name: "phone_action"
	Name    string // the action's kind: "alarm"; equal to Tool for a tool that is one action
	Fields  Fields
	Summary string // the agent's own line, a quote on the card, never its title
}
