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
	// Question puts the system's own question up. answered is false where nobody did.
	Question(ctx context.Context, p spec.Permission) (granted, answered bool)
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
	granted, answered := s.Question(ctx, p)
	switch {
	case granted:
		return nod.WhyNone
	case answered:
		return nod.WhyNotAllowed
	default:
		return nod.WhyNobodyAnswered
	}
}

// Prepare does what comes before a tool can do anything: nothing runs on a
// locked phone but what needs nobody, then the tool's permission is asked for.
// patience bounds the wait where it is not 0; the contract's times do anyway.
// What the person does in the picker is waited for by whoever shows it.
func Prepare(ctx context.Context, s System, t spec.Tool, patience time.Duration) nod.Why {
	needsNobody := t.Confirm == nod.ConfirmNever && t.Permission != spec.PermissionPicker
	if s.Locked() && !needsNobody {
		return nod.WhyLocked
	}
	wait := Wait(t.Permission, patience)
	switch t.Permission {
	case spec.PermissionNone:
		return nod.WhyNone
	case spec.PermissionPicker:
		return Attend(ctx, s, t.Permission, wait)
	case spec.PermissionAlarm, spec.PermissionClipboard:
		// The phone side is in front also where the system has nothing to ask.
		ctx, cancel := context.WithTimeout(ctx, wait)
		defer cancel()
		if why := attend(ctx, s, t.Permission); why != nod.WhyNone {
			return why
		}
	}
	return Ask(ctx, s, t.Permission, wait)
}

// Wait is how long a phone waits for the person where a permission needs one:
// as the contract says, or for patience where that is shorter and not 0.
func Wait(p spec.Permission, patience time.Duration) time.Duration {
	wait := PermissionWait
	switch p {
	case spec.PermissionClipboard:
		wait = ClipboardWait
	case spec.PermissionPicker:
		wait = PickerWait
	}
	if patience > 0 {
		return min(patience, wait)
	}
	return wait
}
