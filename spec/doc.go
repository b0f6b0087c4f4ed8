// Package spec is the contract that every side of nod shares, as data: what an
// agent can ask for, what each field must be, what a card may show, every
// sentence an agent or a person reads, and every frame and log entry there is.
//
// The data is in JSON files next to this one. This package only embeds them,
// gives them types, and judges them: [Get] returns the parsed contract, and
// [Validate] is what `nod protocol validate` runs. The check of package action,
// the MCP schemas, the cards, the reference pages and the browser's own copy
// (web/app/spec.js) all derive from here, so a number or a sentence is written
// once.
//
// Three rules keep it one contract. Each manifest has an integer version, and a
// reader accepts an inclusive range; adding to a manifest does not raise it,
// changing a meaning does. Constants are generated (go generate ./spec), so a
// name that is misspelt does not compile. And nothing here reads a clock, a
// file or the network: the contract is the same in the gateway, on a phone and
// in a test.
package spec

//go:generate go run ./gen
