package log

import (
	"fmt"

	"nod.dev/nod"
)

// How says what is wrong with an entry or with the log.
type How string

// What [Verify] reports.
const (
	Edited     How = "edited"     // it is not what was logged
	Missing    How = "missing"    // the log has it, the entries do not
	Extra      How = "extra"      // the entries have it, the log does not
	Reordered  How = "reordered"  // it stands in the wrong place of the stream
	BadPayload How = "payload"    // its private part does not match its hash
	BadHash    How = "hash"       // a stored hash is damaged; the entries under it are right
	BadHead    How = "head"       // the head is not what the gateway signed
	BadRoot    How = "root"       // the entries do not give the head's root, and nothing tells which of them is wrong
	Unextended How = "unextended" // the log does not extend what a witness saw
)

// Finding is one thing that is wrong: with the entries Seq to Until or, when
// both are 0, with the log as a whole.
type Finding struct {
	Seq    int64  `json:"seq"`
	Until  int64  `json:"until"`
	How    How    `json:"how"`
	Detail string `json:"detail"`
}

// String writes a finding as a line for a person.
func (f Finding) String() string {
	switch {
	case f.Seq == 0 && f.Until == 0:
		return fmt.Sprintf("the log: %s: %s", f.How, f.Detail)
	case f.Until > f.Seq:
		return fmt.Sprintf("entries %d to %d: %s: %s", f.Seq, f.Until, f.How, f.Detail)
	}
	return fmt.Sprintf("entry %d: %s: %s", f.Seq, f.How, f.Detail)
}

// Report is what [Verify] found.
type Report struct {
	Person nod.PersonID `json:"person"`
	// Size and Root are the head's: how many entries it covers, and what they must hash to.
	Size int64  `json:"size"`
	Root string `json:"root"`
	// Payloads counts those that match their hash, Erased those that are gone for good.
	Payloads int64 `json:"payloads"`
	Erased   int64 `json:"erased"`
	// Witnesses counts the heads that the log was shown to extend.
	Witnesses int `json:"witnesses"`
	// Findings are sorted by Seq; empty when nothing is wrong.
	Findings []Finding `json:"findings"`
}

// OK reports whether nothing was wrong.
func (r *Report) OK() bool { return len(r.Findings) == 0 }
