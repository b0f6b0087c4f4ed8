package sim

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"nod.dev/nod"
	"nod.dev/nod/spec"
)

// Reaction is how a question of the phone's system ends:
//
//	granted          the person said yes before; nothing is asked
//	allow            they say yes
//	deny             they say no, or leave the picker without a choice
//	ignore           nobody answers
//	slow:DURATION    they say yes after a while
//
// The empty one is granted.
type Reaction string

// The reactions; a slow one has its time behind it.
const (
	Granted Reaction = "granted"
	Allow   Reaction = "allow"
	Deny    Reaction = "deny"
	Ignore  Reaction = "ignore"
	slow    Reaction = "slow:"
)

// System is how the phone's system, and the person before it, answer.
type System struct {
	// Permissions are the reactions to each permission's question.
	Permissions map[spec.Permission]Reaction
	// Background is true while the phone side is not on the screen, NoNotifications
	// while the person sees none of its notifications, Locked while the phone is.
	Background, NoNotifications, Locked bool
	// Tap is the reaction to a notification that calls the person to the screen;
	// it is tapped at once where it is empty.
	Tap Reaction
}

// ParseSystem reads how a phone's system answers: words with commas between
// them. A word is PERMISSION=REACTION, or one of
//
//	background  notifications=off  locked  tap=REACTION
func ParseSystem(text string) (System, error) {
	s := System{Permissions: map[spec.Permission]Reaction{}}
	for word := range strings.SplitSeq(text, ",") {
		word = strings.TrimSpace(word)
		name, value, _ := strings.Cut(word, "=")
		r, known := parseReaction(value)
		switch {
		case word == "":
		case word == "background":
			s.Background = true
		case word == "locked":
			s.Locked = true
		case word == "notifications=off":
			s.NoNotifications = true
		case name == "tap" && known:
			s.Tap = r
		case slices.Contains(spec.Permissions, spec.Permission(name)) && known:
			s.Permissions[spec.Permission(name)] = r
		default:
			return s, nod.Errorf(nod.CodeInvalid, "the word "+word+" says nothing of a phone's system",
				"for example: calendar=deny,contacts=ignore,location=slow:5s,background,notifications=off,tap=ignore,locked")
		}
	}
	return s, nil
}

func parseReaction(word string) (Reaction, bool) {
	r := Reaction(word)
	switch r {
	case Granted, Allow, Deny, Ignore:
		return r, true
	}
	after, ok := strings.CutPrefix(word, string(slow))
	if !ok {
		return r, false
	}
	d, err := time.ParseDuration(after)
	return r, err == nil && d >= 0
}

func (s System) clone() System {
	s.Permissions = maps.Clone(s.Permissions)
	if s.Permissions == nil {
		s.Permissions = map[spec.Permission]Reaction{}
	}
	return s
}

// react waits for a reaction until ctx ends.
func (r Reaction) react(ctx context.Context) (yes, answered bool) {
	switch r {
	case Deny:
		return false, true
	case Ignore:
		<-ctx.Done()
		return false, false
	}
	d, err := time.ParseDuration(strings.TrimPrefix(string(r), string(slow)))
	if err != nil || d <= 0 {
		return true, true
	}
	wait := time.NewTimer(d)
	defer wait.Stop()
	select {
	case <-wait.C:
		return true, true
	case <-ctx.Done():
		return false, false
	}
}

// SetSystem changes how the phone's system answers from now on.
func (p *Phone) SetSystem(s System) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.system = s.clone()
}

// reaction is the reaction to a permission's question.
func (p *Phone) reaction(permission spec.Permission) Reaction {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.system.Permissions[permission]
}

// Allowed implements [device.System].
func (p *Phone) Allowed(permission spec.Permission) bool {
	r := p.reaction(permission)
	return r == "" || r == Granted
}

// Locked implements [device.System].
func (p *Phone) Locked() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.system.Locked
}

// OnScreen implements [device.System].
func (p *Phone) OnScreen() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return !p.system.Background
}

// CanNotify implements [device.System].
func (p *Phone) CanNotify() bool {
	allowed := p.Allowed(spec.PermissionNotifications)
	p.mu.Lock()
	defer p.mu.Unlock()
	return allowed && !p.system.NoNotifications
}

// Summon implements [device.System]: the phone side is on the screen once the
// notification was tapped.
func (p *Phone) Summon(ctx context.Context, permission spec.Permission) bool {
	p.mu.Lock()
	p.state.Summons = append(p.state.Summons, permission)
	tap := p.system.Tap
	p.mu.Unlock()
	yes, _ := tap.react(ctx)
	if yes {
		p.mu.Lock()
		p.system.Background = false
		p.mu.Unlock()
	}
	return yes
}

// Question implements [device.System]. A yes is for good.
func (p *Phone) Question(ctx context.Context, permission spec.Permission) (granted, answered bool) {
	p.mu.Lock()
	p.state.Questions = append(p.state.Questions, permission)
	r := p.system.Permissions[permission]
	p.mu.Unlock()
	granted, answered = r.react(ctx)
	if granted {
		p.mu.Lock()
		p.system.Permissions[permission] = Granted
		p.mu.Unlock()
	}
	return granted, answered
}
