// Package sim is a phone in memory: a [Phone] whose sixteen actions really
// change something that can be looked at, a scripted [Person] who answers the
// cards, and [Faults] that break the link, the journal and the clock on cue.
//
// It is for demonstrations, for tests of whole systems and for whoever wants to
// try nod without a handset. Nothing in it flatters: an app that would only be
// opened on a real phone is only opened here, a route that is not running
// cannot be ended, and a date that does not exist is refused before anyone is
// asked.
package sim
