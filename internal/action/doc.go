// Package action turns what an agent sent into an action, or into the exact
// sentence that says why not.
//
// [Check] is seed 000's check in seed 000's order: the action's name, then what
// is missing (all of it in one sentence), then the first field that is not what
// it should be. A fourth step is nod's own: what a card could not show in full
// and as it is, is refused, never cut. Every number, name and sentence comes
// from package spec; this package holds the rules and no words.
//
// An action holds only what was checked. Fields that the action does not read
// are dropped before anything looks at them, keys inside a place that mean
// nothing are dropped too, strings are trimmed first and checked after, so that
// what is checked, what is drawn and what is carried out are one and the same.
// Coordinates leave as decimal strings, because canonical JSON has integers
// only and a phone must not round them a second time.
//
// A tool that is one action goes the same way with its own fields. What can be
// written in several ways leaves in one: a moment, the days of a week, a timer's
// length. Whether a day exists is checked here, whether an hour does only the
// phone knows. A default is not filled in: what was not said is not said.
//
// [Recheck] is the same check on a phone, over what the gateway offers. It
// accepts only what Check could have made, so a gateway that is wrong or
// hostile cannot put on a card what an agent could not have asked for. The
// browser has its twin, web/app/check.js; both run the rows in
// spec/testdata/check.
package action
