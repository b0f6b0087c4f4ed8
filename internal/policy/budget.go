package policy

import (
	"time"

	"nod.dev/nod"
)

// The budgets of design section 7. They bound how often a person is asked, so
// that a card stays something that people read.
const (
	MaxOpenCards    = 3                // cards of one agent on screens at once
	MaxPersonCards  = 48               // cards of all agents of one person at once: a link takes 64 frames, and a hello sends every card again
	MaxCards        = 10               // cards of one agent in CardWindow
	CardWindow      = 10 * time.Minute //
	MaxReads        = 60               // reads of one agent in CardWindow that need nobody: each is in the log for good
	MaxDeclines     = 2                // declines of one kind in DeclineWindow before it cools down
	DeclineWindow   = 10 * time.Minute //
	CoolDown        = 10 * time.Minute // from the last of them
	PauseDeclines   = 5                // declines in PauseWindow that pause the agent
	PauseWindow     = time.Hour        //
	maxWindowMemory = PauseWindow
)

// Memory is how far back a gateway must remember an agent's cards and declines.
const Memory = maxWindowMemory

// Budget is what one agent, and all of them, have used of a person's attention.
type Budget struct {
	// OpenUntil holds the deadline of each open card.
	OpenUntil []nod.Time
	// PersonUntil holds the deadline of each open card of the person, whoever asked.
	PersonUntil []nod.Time
	// Cards holds when cards were offered, oldest first.
	Cards []nod.Time
	// Reads holds when what needs nobody was offered, oldest first.
	Reads []nod.Time
	// Declines holds when this kind of action was declined, oldest first.
	Declines []nod.Time
}

// over reports the first budget that is used up and when it has room again.
func (b *Budget) over(now nod.Time) (nod.Rule, nod.Time, bool) {
	if len(b.OpenUntil) >= MaxOpenCards {
		return nod.RuleOpenCards, earliest(b.OpenUntil), true
	}
	if len(b.PersonUntil) >= MaxPersonCards {
		return nod.RulePersonCards, earliest(b.PersonUntil), true
	}
	if recent := since(b.Cards, now, CardWindow); len(recent) >= MaxCards {
		return nod.RuleCardRate, recent[len(recent)-MaxCards].Add(CardWindow), true
	}
	if until := b.coolsUntil(); until > now {
		return nod.RuleCoolDown, until, true
	}
	return "", 0, false
}

// readsUntil returns when there is room for a read that needs nobody, 0 for now.
func (b *Budget) readsUntil(now nod.Time) nod.Time {
	if b == nil {
		return 0
	}
	recent := since(b.Reads, now, CardWindow)
	if len(recent) < MaxReads {
		return 0
	}
	return recent[len(recent)-MaxReads].Add(CardWindow)
}

// coolsUntil returns when the cool-down that the newest declines began ends.
func (b *Budget) coolsUntil() nod.Time {
	n := len(b.Declines)
	if n < MaxDeclines {
		return 0
	}
	first, last := b.Declines[n-MaxDeclines], b.Declines[n-1]
	if last.Sub(first) >= DeclineWindow {
		return 0
	}
	return last.Add(CoolDown)
}

// Pauses reports whether an agent's declines, oldest first and of any kind,
// are so many that it is to be paused.
func Pauses(declines []nod.Time, now nod.Time) bool {
	return len(since(declines, now, PauseWindow)) >= PauseDeclines
}

func since(times []nod.Time, now nod.Time, window time.Duration) []nod.Time {
	for i, t := range times {
		if now.Sub(t) < window {
			return times[i:]
		}
	}
	return nil
}

func earliest(times []nod.Time) nod.Time {
	first := times[0]
	for _, t := range times[1:] {
		first = min(first, t)
	}
	return first
}
