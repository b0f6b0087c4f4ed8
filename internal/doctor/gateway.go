package doctor

import (
	"context"
	"fmt"
	"time"

	"nod.dev/nod"
	"nod.dev/nod/client"
	"nod.dev/nod/internal/store"
	"nod.dev/nod/spec"
)

// Disk room below which it is said, and below which nothing can be relied on.
const (
	littleRoom = 500 << 20
	noRoom     = 20 << 20
)

// calls says how many, as people do.
func calls(n int64) string {
	if n == 1 {
		return "1 call"
	}
	return fmt.Sprintf("%d calls", n)
}

// data looks at the data folder and the ledger in it.
func (d *doctor) data(ctx context.Context) Check {
	seen, err := store.Look(ctx, d.Data)
	if err != nil {
		return broken(err)
	}
	says := fmt.Sprintf("%s can be written; the ledger has %s in %s, the disk has room for %s more", d.Data, calls(seen.Calls), size(seen.Bytes), size(seen.Free))
	hint := "make room on the disk that holds " + d.Data + ": without it nothing is sent to a phone"
	switch {
	case seen.Free < noRoom:
		return failed(says, hint)
	case seen.Free < littleRoom:
		return warning(says, hint)
	}
	return ok(says)
}

func size(bytes int64) string {
	switch {
	case bytes >= 10<<30:
		return fmt.Sprintf("%d GB", bytes>>30)
	case bytes >= 10<<20:
		return fmt.Sprintf("%d MB", bytes>>20)
	}
	return fmt.Sprintf("%d KB", (bytes+1023)>>10)
}

// gateway asks the running gateway about itself.
func (d *doctor) gateway(ctx context.Context) Check {
	ctx, cancel := context.WithTimeout(ctx, stepTime)
	defer cancel()
	status, err := d.Console.Status(ctx)
	if err != nil {
		return broken(err)
	}
	d.status = &status
	if status.Version != d.Version {
		return warning(fmt.Sprintf("it runs, and is version %s; this program is %s", status.Version, d.Version), "restart it, so that both are the same")
	}
	return ok(fmt.Sprintf("it runs since %s, version %s", status.StartedAt.Local().Format("2 Jan 15:04"), status.Version))
}

// everyPhone lists the phones of every person.
func (d *doctor) everyPhone(ctx context.Context) (all []owned, err error) {
	people, err := d.Console.People(ctx)
	if err != nil {
		return nil, err
	}
	for _, person := range people {
		phones, err := d.Console.Phones(ctx, string(person.ID))
		if err != nil {
			return nil, err
		}
		for _, p := range phones {
			name := p.Name
			if len(people) > 1 {
				name += " of " + person.Name
			}
			all = append(all, owned{p, person.ID, name})
		}
	}
	return all, nil
}

// owned is a phone and whose it is.
type owned struct {
	client.Phone
	person nod.PersonID
	called string
}

// phones says which phones are there.
func (d *doctor) phones(ctx context.Context) Check {
	if d.status == nil {
		return skipped("no gateway runs that could say which phones are there")
	}
	all, err := d.everyPhone(ctx)
	if err != nil {
		return broken(err)
	}
	if len(all) == 0 {
		return warning("no phone is paired", `pair one with "nod pair"`)
	}
	var steps []Step
	connected, reachable := 0, 0
	for _, p := range all {
		says := "not connected, heard " + d.ago(p.SeenAt)
		switch {
		case p.Connected:
			connected++
			says = "connected, heard " + d.ago(p.SeenAt)
		case p.Reach == "push":
			says = "not connected, woken by a notification; heard " + d.ago(p.SeenAt)
		}
		if p.Reachable {
			reachable++
		}
		steps = append(steps, Step{Name: p.called, Says: says})
	}
	says := fmt.Sprintf("%d of %d connected", connected, len(all))
	if reachable == 0 {
		return warning(says+"; agents are told that no phone can be reached", "open nod on the phone, and see that it has a network").with(steps)
	}
	return ok(says).with(steps)
}

// ago says how long ago something was.
func (d *doctor) ago(t time.Time) string {
	if t.IsZero() {
		return "never"
	}
	since := d.Now().Sub(t)
	switch {
	case since < 2*time.Minute:
		return fmt.Sprintf("%d s ago", max(0, int(since.Seconds())))
	case since < 2*time.Hour:
		return fmt.Sprintf("%d min ago", int(since.Minutes()))
	case since < 48*time.Hour:
		return fmt.Sprintf("%d h ago", int(since.Hours()))
	}
	return fmt.Sprintf("%d days ago", int(since.Hours()/24))
}

// push wakes each browser that is a phone, and says how far that came.
func (d *doctor) push(ctx context.Context) Check {
	switch {
	case d.status == nil:
		return skipped("no gateway runs that could send a notification")
	case d.status.PushOff != "":
		return skipped(d.status.PushOff)
	}
	all, err := d.everyPhone(ctx)
	if err != nil {
		return broken(err)
	}
	var steps []Step
	bad, without := 0, 0
	for _, p := range all {
		if p.Host != nod.HostWeb {
			continue
		}
		if d.Quiet {
			steps = append(steps, Step{Name: p.called, Says: "not tried"})
			continue
		}
		began := time.Now()
		test, err := d.Console.TestPush(ctx, string(p.person), string(p.ID))
		if err != nil {
			return broken(err).with(steps)
		}
		step := Step{Name: p.called, Says: far(test), MS: since(began)}
		switch test.Problem {
		case "":
		case spec.Get().PersonText("", "push.problem.unsubscribed", nil):
			without++
		default:
			bad++
			step.Failed = true
		}
		steps = append(steps, step)
	}
	switch {
	case len(steps) == 0:
		return skipped("no browser is paired that could be woken")
	case d.Quiet:
		return skipped("no notification was sent").with(steps)
	case bad > 0:
		return failed("a notification did not come up", "the phone's own page Settings can send one too, and says what is missing there").with(steps)
	case without > 0:
		return warning("a phone has no notifications: it is asked only while nod is open there", "open nod there and allow them").with(steps)
	}
	return ok("every notification came up").with(steps)
}

// far says how far a test notification came, each with its time.
func far(t client.PushTest) string {
	says := ""
	for _, part := range []struct {
		what string
		ms   int64
	}{{"accepted", t.AcceptedMS}, {"received", t.ReceivedMS}, {"shown", t.ShownMS}} {
		if part.ms > 0 {
			says += fmt.Sprintf("%s after %d ms, ", part.what, part.ms)
		}
	}
	if t.Problem != "" {
		return says + t.Problem
	}
	return says[:max(0, len(says)-2)]
}
