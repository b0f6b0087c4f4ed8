package host

// What this host says in the message of a result, for an agent to read. Each is
// said only where nothing was started, and says so.
const (
	saysNoGo         = "The phone gave up waiting for the go-ahead; nothing was started."
	saysNoOffer      = "The phone never received the offer; nothing was started."
	saysNoStanding   = "The phone does not do this without asking, and was not told to ask; nothing was started."
	saysDisarmed     = "It was called off before the phone began; nothing was started."
	saysDeclinedHere = "The person said no on this phone; nothing was started."
	saysNotLookedUp  = "A name in it has to be looked up on this phone and seen on its own card; nothing was started. Use the number instead of the name."
	saysNoRead       = "The phone's program ended while it was reading; nothing was read out."
	saysNotSent      = "What was chosen could not be sent to the gateway; nothing was read out."
	saysRevoked      = "The phone was removed from nod; nothing was started."
	saysSetBack      = "nod was set back to an earlier day, and the person has not accepted that on this phone; nothing was started."
	saysRestarted    = "The phone's program ended while it was carrying this out; it may have happened."
	saysNotBegun     = "The phone's program broke before anything was started."
	saysBroke        = "The phone's program broke while it was carrying this out; it may have happened."
)
