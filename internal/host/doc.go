// Package host is the phone side of nod in Go.
//
// A host is what stands between a gateway that asks and the apps of a phone
// that act. It is built so that the promises of the design's section 4 do not
// depend on the network, on the gateway or on luck:
//
//   - [Machine] decides. It is pure: events and what the clocks say go in,
//     effects come out, in an order that must be kept. Whoever runs it may stop
//     dead between any two effects; what the journal then holds is enough to go
//     on without ever launching a call twice.
//   - [Journal] remembers. A record is durable before the next effect happens.
//     The journal and the phone's key live in one folder and die together, so
//     that a phone that lost its memory is a phone that nobody offers anything.
//   - [Run] does. It owns the socket, runs the machine's effects in order, and
//     hands cards to a [UI] and actions to a [Driver].
//
// The order of a call is the design's section 3: offer, delivered, shown,
// decision, go, armed, launch, end, result until it is acked. Every signature
// is checked in the machine and nowhere else: that of the gateway over offers,
// goes and withdrawals, and that of another screen over its decision.
//
// What a phone reads goes beside the signed result, and photos before it; the
// journal keeps the text until the gateway has it, and not longer. Where a card
// must say what only the phone knows, who a name is or which event an id, a
// [Book] is asked before it is drawn, and what it said is what is carried out.
//
// What any Driver needs for the tools is in the package device below this one. A
// Driver that is a phone in memory is in the package sim.
package host
