// Package device is what any host needs to do what the tools ask for, whatever
// its phone is: times by the phone's own clock, answers that are the same
// everywhere and fit, photos made small enough, people found by name, and the
// three ways in which asking the phone's system can end.
//
// Nothing in it knows a wire, a journal or an app. What differs between phones
// stands behind [System] or is an argument.
package device
