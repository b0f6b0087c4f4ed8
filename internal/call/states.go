package call

import (
	"slices"

	"nod.dev/nod"
)

// received is the step of a call that has not been judged.
func (s *step) received(ev Event) {
	switch ev.Kind {
	case Refuse:
		s.call.Text = ev.Text
		s.end(nod.Refused, nod.WhyNone, LogRefused)
	case Deny:
		s.call.Verdict = ev.Verdict
		s.end(nod.Denied, nod.WhyNone, LogDenied)
	case Unavailable:
		s.end(nod.Unavailable, ev.Why, LogUnavailable)
	case Cannot:
		s.call.Message = ev.Message
		s.end(nod.Failed, nod.WhyCannot, LogEnded)
	case Offer:
		s.call.Verdict, s.call.Offer, s.call.Digest = ev.Verdict, ev.Offer, ev.Digest
		s.call.Offered, s.call.Deadline = s.now, ev.Deadline
		s.enter(nod.Offered)
		s.log(LogOffered)
		s.do(Effect{Do: SendOffer})
	case Withdraw:
		s.end(nod.Withdrawn, ev.Why, LogEnded)
	case SwitchOff:
		s.end(nod.Denied, ev.Why, LogDenied)
	case Restarted:
		s.end(nod.Withdrawn, nod.WhyRestart, LogEnded)
	}
}

// open is the step of a call that a person can still decide.
func (s *step) open(ev Event) {
	if s.now >= s.call.Deadline {
		// The deadline is final whatever else came: a tap that is late is late.
		s.expire()
		s.closed(ev)
		return
	}
	switch ev.Kind {
	case Delivered:
		if s.call.State == nod.Offered {
			s.enter(nod.Delivered)
			s.log(LogDelivered)
		}
	case Shown:
		if s.call.State != nod.Shown {
			s.enter(nod.Shown)
			s.log(LogShown)
		}
	case Decide:
		s.decide(ev)
	case Result:
		s.earlyResult(ev)
	case Withdraw:
		s.end(nod.Withdrawn, ev.Why, LogEnded)
		s.do(Effect{Do: SendWithdraw, Reason: string(ev.Why), Keep: ev.Keep})
	case SwitchOff:
		s.end(nod.Denied, ev.Why, LogDenied)
		s.do(Effect{Do: SendWithdraw, Reason: string(ev.Why)})
	case Connected:
		s.do(Effect{Do: SendOffer, Phone: ev.Phone})
	case Restarted:
		if s.call.Attached {
			s.end(nod.Withdrawn, nod.WhyRestart, LogEnded)
		}
	}
}

func (s *step) expire() {
	outcome := nod.Unseen
	if s.call.State == nod.Shown {
		outcome = nod.Expired
	}
	s.end(outcome, nod.WhyNone, LogEnded)
	s.do(Effect{Do: SendWithdraw, Reason: ReasonExpired})
}

// Reasons in a withdraw frame that are not a [nod.Why].
const (
	ReasonExpired  = "expired"
	ReasonAnswered = "answered" // on another screen
	ReasonOver     = "over"     // the call has its outcome
)

// decide commits the first valid decision.
func (s *step) decide(ev Event) {
	switch ev.Choice {
	case nod.ChoiceDecline:
		s.commit(ev)
		s.call.Message = ev.Message
		s.end(nod.Declined, nod.WhyNone, LogEnded)
		s.do(Effect{Do: SendAck, Phone: ev.Phone, Of: string(Decide)})
	case nod.ChoiceStanding:
		if s.call.Verdict.Answer != nod.Allow {
			return
		}
		s.confirm(ev)
	case nod.ChoiceConfirm:
		s.confirm(ev)
	}
}

func (s *step) confirm(ev Event) {
	s.commit(ev)
	s.call.Due, s.call.Upload = s.now.Add(ev.Work), ev.Upload
	s.enter(nod.Decided)
	s.log(LogGo)
	s.do(Effect{Do: SendGo})
}

func (s *step) commit(ev Event) {
	s.call.Decision, s.call.DecidedBy, s.call.Decided = ev.Signed, ev.Phone, s.now
	s.log(LogDecided)
	s.do(Effect{Do: SendWithdraw, Except: ev.Phone, Reason: ReasonAnswered})
}

// earlyResult takes a result that comes before a decision was committed: the
// host gave up, or was disarmed, and started nothing. Anything else cannot be
// true, since no go was sent; it is acked so that it stops, and changes nothing.
func (s *step) earlyResult(ev Event) {
	ev = known(ev)
	s.do(Effect{Do: SendAck, Phone: ev.Phone, Of: string(Result)})
	if ev.Status != StatusFailed || ev.Started || ev.Phone != s.call.Phone {
		return
	}
	s.finish(ev)
	s.do(Effect{Do: SendWithdraw, Reason: ReasonOver})
}

// decided is the step of a call that was confirmed: only a result ends it, or time.
func (s *step) decided(ev Event) {
	switch ev.Kind {
	case Result:
		s.do(Effect{Do: SendAck, Phone: ev.Phone, Of: string(Result)})
		if ev.Phone == s.call.Phone {
			s.finish(ev)
		}
	case Restarted:
		// Nobody knows how long the gateway was away: no new go, only a result or unknown.
		s.call.GoOver, s.changed = true, true
	case Decide:
		if ev.Phone == s.call.DecidedBy && ev.Choice != nod.ChoiceDecline {
			s.goAgain()
		} else if ev.Phone != s.call.DecidedBy {
			s.do(Effect{Do: SendWithdraw, Phone: ev.Phone, Reason: ReasonAnswered})
		}
	case Connected:
		if ev.Phone == s.call.Phone {
			s.goAgain()
		}
	case GoSent:
		if s.call.State == nod.Decided {
			s.enter(nod.Working)
		}
	case Withdraw, SwitchOff:
		// A go that was sent may still be carried out; none is sent from here on.
		s.call.GoOver, s.changed = true, true
		s.do(Effect{Do: SendDisarm, Reason: string(ev.Why)})
		s.dropRead(ev)
	case Tick:
		if s.now >= s.call.Due {
			s.overdue()
		}
	}
}

// dropRead ends a read that was stopped while it is under way: whatever the phone
// still reads is let go, so nothing of it happens.
func (s *step) dropRead(ev Event) {
	switch {
	case s.call.Kind != nod.Read:
	case ev.Kind == SwitchOff:
		s.end(nod.Denied, ev.Why, LogDenied)
	default:
		s.end(nod.Withdrawn, ev.Why, LogEnded)
	}
}

// goAgain repeats a go that may have been lost, while it still counts.
func (s *step) goAgain() {
	if !s.call.GoOver && s.now.Sub(s.call.Decided) < GoWindow {
		s.do(Effect{Do: SendGo})
	}
}

// overdue ends a call whose result did not come. A read's effect is its
// release, which did not happen; an act may have happened.
func (s *step) overdue() {
	if s.call.Kind == nod.Read {
		s.end(nod.Failed, nod.WhyNothingRead, LogEnded)
		return
	}
	s.end(nod.Unknown, nod.WhyNone, LogEnded)
}

// finish gives the call the outcome that its result says.
func (s *step) finish(ev Event) {
	ev = known(ev)
	ev.Why = whyFailed(ev.Why)
	if s.call.Kind == nod.Read {
		ev = read(ev)
	}
	s.call.Result, s.call.Message, s.call.Started = ev.Signed, ev.Message, ev.Started
	switch ev.Status {
	case StatusDone:
		s.call.Data = ev.Data
		s.end(nod.Done, nod.WhyNone, LogEnded)
	case StatusOpened:
		s.end(nod.Opened, nod.WhyNone, LogEnded)
	case StatusUnknown:
		s.end(nod.Unknown, nod.WhyNone, LogEnded)
	case StatusFailed:
		s.end(nod.Failed, ev.Why, LogEnded)
	}
}

// read is what a result says of a read: it brought what it was to bring, or it
// failed and nothing began, since nothing is released.
func read(ev Event) Event {
	if ev.Status != StatusFailed && (ev.Status != StatusDone || !ev.Data) {
		ev.Status, ev.Why = StatusFailed, nod.WhyNothingRead
	}
	ev.Started = false
	return ev
}

// whyFailed keeps what a phone may say of why it failed, and takes any other word
// for none.
func whyFailed(why nod.Why) nod.Why {
	if slices.Contains(nod.PhoneWhys, why) {
		return why
	}
	return nod.WhyNotPossible
}

// known turns a status that nobody knows into failed, and one that may have
// begun: a strange word must never read as "nothing happened" (seed 000 section 3).
func known(ev Event) Event {
	switch ev.Status {
	case StatusDone, StatusOpened, StatusUnknown, StatusFailed:
	default:
		ev.Status, ev.Started = StatusFailed, true
	}
	return ev
}

// closed is the step of a call that has its outcome: it keeps it. Whoever
// still holds a card hears that it is over, a result is acked so that it
// stops, and one that comes after unknown is added to what is known.
func (s *step) closed(ev Event) {
	switch ev.Kind {
	case Result:
		ev = known(ev)
		if s.call.Kind == nod.Read && (s.call.Outcome == nod.Withdrawn || s.call.Outcome == nod.Denied) && ev.Phone == s.call.Phone {
			// It was away when the read was stopped, and must not say that it gave anything out.
			s.do(Effect{Do: SendDisarm, Reason: string(s.call.Why)})
		}
		s.do(Effect{Do: SendAck, Phone: ev.Phone, Of: string(Result)})
		if s.call.Outcome == nod.Unknown && s.call.Supplement == "" && ev.Status != StatusUnknown && ev.Phone == s.call.Phone {
			s.call.Supplement, s.call.Message, s.call.Started = string(ev.Status), ev.Message, ev.Started
			s.call.Result, s.changed = ev.Signed, true
			s.log(LogSupplemented)
		}
	case Decide:
		if ev.Choice == nod.ChoiceDecline && ev.Phone == s.call.DecidedBy {
			s.do(Effect{Do: SendAck, Phone: ev.Phone, Of: string(Decide)})
			return
		}
		s.do(Effect{Do: SendWithdraw, Phone: ev.Phone, Reason: s.overBecause(ev.Phone)})
	case Delivered, Shown:
		s.do(Effect{Do: SendWithdraw, Phone: ev.Phone, Reason: s.overBecause(ev.Phone)})
	}
}

// overBecause is the reason that a screen is given for a card that is over.
func (s *step) overBecause(screen nod.PhoneID) string {
	switch {
	case s.call.Outcome == nod.Expired || s.call.Outcome == nod.Unseen:
		return ReasonExpired
	case s.call.Why != nod.WhyNone && (s.call.Outcome == nod.Withdrawn || s.call.Outcome == nod.Denied):
		return string(s.call.Why)
	case s.call.DecidedBy != "" && s.call.DecidedBy != screen:
		return ReasonAnswered
	}
	return ReasonOver
}
