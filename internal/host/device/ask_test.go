package device

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"nod.dev/nod"
	"nod.dev/nod/spec"
)

// fakeSystem does what a row of TestAsk says.
type fakeSystem struct {
	allowed, onScreen, canNotify bool
	tap, answer                  time.Duration // after which; negative for never
	grants                       bool
}

func (f fakeSystem) Allowed(spec.Permission) bool { return f.allowed }
func (f fakeSystem) Locked() bool                 { return false }
func (f fakeSystem) OnScreen() bool               { return f.onScreen }
func (f fakeSystem) CanNotify() bool              { return f.canNotify }

func (f fakeSystem) Summon(ctx context.Context, _ spec.Permission) bool { return within(ctx, f.tap) }

func (f fakeSystem) Question(ctx context.Context, _ spec.Permission) (granted, answered bool) {
	answered = within(ctx, f.answer)
	return answered && f.grants, answered
}

func within(ctx context.Context, d time.Duration) bool {
	if d < 0 {
		<-ctx.Done()
		return false
	}
	select {
	case <-time.After(d):
		return true
	case <-ctx.Done():
		return false
	}
}

// TestAsk holds the three outcomes by either route, how long each takes, and
// that there is no wait for a tap that cannot come.
func TestAsk(t *testing.T) {
	const wait, never = PermissionWait, time.Duration(-1)
	for _, c := range []struct {
		name string
		s    fakeSystem
		why  nod.Why
		took time.Duration
	}{
		{"granted before", fakeSystem{allowed: true}, nod.WhyNone, 0},
		{"on screen, granted", fakeSystem{onScreen: true, answer: 5 * time.Second, grants: true}, nod.WhyNone, 5 * time.Second},
		{"on screen, refused", fakeSystem{onScreen: true, answer: 5 * time.Second}, nod.WhyNotAllowed, 5 * time.Second},
		{"on screen, ignored", fakeSystem{onScreen: true, answer: never}, nod.WhyNobodyAnswered, wait},
		{"background, granted", fakeSystem{canNotify: true, tap: 60 * time.Second, answer: 59 * time.Second, grants: true}, nod.WhyNone, 119 * time.Second},
		{"background, tapped and too slow", fakeSystem{canNotify: true, tap: 60 * time.Second, answer: 61 * time.Second, grants: true}, nod.WhyNobodyAnswered, wait},
		{"background, refused", fakeSystem{canNotify: true, tap: time.Second}, nod.WhyNotAllowed, time.Second},
		{"background, not tapped", fakeSystem{canNotify: true, tap: never}, nod.WhyNobodyAnswered, wait},
		{"background, without notifications", fakeSystem{tap: never}, nod.WhyBackground, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				why := Ask(t.Context(), c.s, spec.PermissionCalendar, wait)
				if took := time.Since(began); why != c.why || took != c.took {
					t.Errorf("%q after %v, want %q after %v", why, took, c.why, c.took)
				}
			})
		})
	}
}
