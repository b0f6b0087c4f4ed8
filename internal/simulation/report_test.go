package simulation

import "nod.dev/nod"

type outcome = nod.Outcome

// endings are those that a life of phone actions must show.
var endings = []outcome{nod.Done, nod.Opened, nod.Declined, nod.Expired, nod.Unseen, nod.Withdrawn, nod.Denied, nod.Failed, nod.Unknown, nod.Unavailable}

func (r *Report) add(other Report) {
	r.Calls += other.Calls
	for o, n := range other.Outcomes {
		r.Outcomes[o] += n
	}
	for f, n := range other.Faults {
		r.Faults[f] += n
	}
}
