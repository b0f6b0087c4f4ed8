// Package simulation plays years of a gateway's life in seconds: the shipped
// core of the gateway and the shipped machine of a phone, with nothing real
// between them.
//
// One seeded source of chance drives everything: when agents ask and lose their
// connection, what the person taps and how late, which frames are lost, doubled
// or overtaken, when a process dies between any two effects, when a disk says
// no, when the wall clock of a phone jumps, when a phone sleeps and what becomes
// of the messages that are to wake it. The same seed plays the same life
// again, so a failure is replayed with
//
//	go test ./internal/simulation -run TestSimulation -seed N
//
// An [Oracle] stands beside it. It knows what the person really tapped and what
// the phone really did and read, and holds the promises I1 to I6, I9, I11 and I14 of the design's
// section 4 against what the agents were told.
//
// Whether the oracle would notice is tested too: a [Bug] is planted round the
// shipped code, one at a time, and each must be found.
package simulation
