// Package auth says who is calling.
//
// Three kinds of caller reach nod, and each proves itself in its own way. An
// agent shows a token: 256 random bits, shown to the person once and kept as a
// hash, so that a copy of the data folder opens nothing. A phone signs with the
// key it made when it was paired (package wire). The person at the console comes
// through a unix socket in the data folder, which only the account that runs the
// gateway can open.
//
// Pairing is how a phone's key becomes known. The console shows a link with a
// one-time secret in its fragment, which a browser never sends. Both sides prove
// to the other that they know the secret, each with an HMAC over all that was
// said, so a stranger in the middle can neither swap a key nor rename a phone.
// The functions here are pure and hold both sides of that exchange; that a
// secret is used once and ends after [PairingTTL] is the gateway's to keep.
package auth
