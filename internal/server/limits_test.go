package server

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"nod.dev/nod"
)

func TestLimiter(t *testing.T) {
	l := newLimiter(Rate{PerSecond: 2, Burst: 3}, "agent")
	now := time.Now()
	take := func(who string, after time.Duration) error { return l.spend(who, now.Add(after), 1) }
	for i := range 3 {
		if err := take("a", 0); err != nil {
			t.Fatalf("request %d: %v", i+1, err)
		}
	}
	err := take("a", 0)
	if nod.CodeOf(err) != nod.CodeTooMany {
		t.Fatalf("the fourth at once: %v, want too_many", err)
	}
	if late, ok := errors.AsType[*tooSoon](err); !ok || late.seconds() != 1 {
		t.Errorf("it says to wait %+v, want 1 second", late)
	}
	if err := take("b", 0); err != nil {
		t.Errorf("another caller: %v", err)
	}
	if err := take("a", 500*time.Millisecond); err != nil {
		t.Errorf("half a second later: %v", err)
	}
	if err := l.spend("a", now.Add(500*time.Millisecond), 0); err == nil {
		t.Error("a caller with nothing left is said to have some")
	}
	if err := l.spend("b", now, 0); err != nil {
		t.Errorf("looking took something: %v", err)
	}
}

// However many callers there are, what is kept of them is bounded.
func TestLimiterBound(t *testing.T) {
	l := newLimiter(Rate{PerSecond: 0.001, Burst: 1}, "address")
	now := time.Now()
	for i := range 3 * maxCallers {
		if err := l.spend(fmt.Sprint(i), now, 1); err != nil {
			t.Fatalf("caller %d: %v", i, err)
		}
		if len(l.callers) > maxCallers {
			t.Fatalf("%d callers are kept", len(l.callers))
		}
	}
}
