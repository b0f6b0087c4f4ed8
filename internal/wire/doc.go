// Package wire is what a gateway and a phone must agree on to the last byte:
// strict JSON, canonical JSON, digests, signatures, frames and their bodies.
//
// A person consents to bytes. The gateway makes an offer's bytes once, the
// phone shows what those bytes say, signs their digest, and carries out what it
// parsed from them. That holds only if both ends read the same bytes in the
// same way, so this package leaves a reader no choice:
//
//   - [Parse] takes less than encoding/json does. A key that comes twice, bad
//     UTF-8, half a surrogate pair, nesting deeper than [MaxDepth] and anything
//     after the value are errors. Nothing is repaired silently.
//   - [Decode] fills structs by the exact json tag. Case matters: "ACTION" is
//     an unknown key, not another spelling of "action".
//   - [Canonical] writes RFC 8785 for values without fractions. There is one
//     text for one value, in every language that implements the page
//     spec/protocol.md, and spec/vectors/ holds the rows to prove it.
//   - [Sign] and [Signed.Verify] sign the text itself, never a re-encoding of
//     what it says, and bind it to its kind: a decision is not a result.
//
// Everything here is a pure function of its arguments, except that making a key
// or a signature draws random bytes. The twin of this package for browsers is
// web/app/wire.js; the same vectors run against both.
package wire
