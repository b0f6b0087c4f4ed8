package device

import (
	"context"
	"time"

	"nod.dev/nod"
	"nod.dev/nod/spec"
)

// How long a phone waits for the person (design section 9). A tool's own waits
// hold all of it.
const (
	PermissionWait = 120 * time.Second
	ClipboardWait  = 90 * time.Second
	PickerWait     = 240 * time.Second
	FixWait        = 25 * time.Second
)

// System is what the system of a phone lets a host ask of the person. Each
// method that waits gives up when its context ends, and takes away what it put
// on the screen.
type System interface {
	// Allowed reports whether the system has said yes before and asks no more.
	Allowed(p spec.Permission) bool
	// Locked reports whether the phone is locked, where that can be told.
	Locked() bool
	// OnScreen reports whether the phone side is on the screen, so that a dialog
	// can come up at once.
	OnScreen() bool
	// CanNotify reports whether the person would see a notification.
	CanNotify() bool
	// Summon posts a notification that says what is wanted, and returns whether
	// it was tapped: the phone side is on the screen then.
	Summon(ctx context.Context, p spec.Permission) bool
	// Dialog puts the system's own question up. answered is false where nobody did.
	Dialog(ctx context.Context, p spec.Permission) (granted, answered bool)
}

// Attend brings the phone side on the screen, at once or by a notification that
// the person taps within wait. The answer is empty once it is there.
func Attend(ctx context.Context, s System, p spec.Permission, wait time.Duration) nod.Why {
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	return attend(ctx, s, p)
}

func attend(ctx context.Context, s System, p spec.Permission) nod.Why {
	switch {
	case s.OnScreen():
		return nod.WhyNone
	case !s.CanNotify():
		return nod.WhyBackground // a wait for a tap that cannot come
	case !s.Summon(ctx, p):
		return nod.WhyNobodyAnswered
	default:
		return nod.WhyNone
	}
}

// Ask asks the person for a permission by the phone's system, within wait, by
// whichever route there is. The answer is empty where it is granted; else not
// allowed, nobody answered, or that nothing can ask from the background.
func Ask(ctx context.Context, s System, p spec.Permission, wait time.Duration) nod.Why {
	if s.Allowed(p) {
		return nod.WhyNone
	}
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	if why := attend(ctx, s, p); why != nod.WhyNone {
		return why
	}
	granted, answered := s.Dialog(ctx, p)
	switch {
	case granted:
		return nod.WhyNone
	case answered:
		return nod.WhyNotAllowed
	default:
		return nod.WhyNobodyAnswered
	}
}
