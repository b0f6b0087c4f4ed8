// What a phone needs once it is asked something, and not before: the check of
// an offer, the card, what this phone can do, and what opens for it. It is loaded
// when a page stands, before the link opens.

export { declare } from './capabilities.js'
export { NodCard } from './card.js'
export { recheck } from './check.js'
export { probe } from './probe.js'
export { kind, stands } from './standing.js'
export { plan } from './uris.js'
