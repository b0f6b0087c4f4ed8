// Package doctor finds out why nod does not work: it goes from the data folder
// to the phone's screen and says of each step how it went, how long it took and
// what to do. [Run] makes the checks one after the other; what one learns, the
// next uses. It works when no gateway runs, too, and says what it could not check.
package doctor

import (
	"context"
	"crypto/x509"
	"errors"
	"time"

	"nod.dev/nod"
	"nod.dev/nod/client"
)

// Level is how a check went.
type Level string

// The levels, from good to bad.
const (
	OK      Level = "ok"
	Skipped Level = "skipped" // it could not be checked, or there is nothing to
	Warning Level = "warning" // it works, and soon or somewhere it will not
	Failed  Level = "failed"
)

// Check is one check and how it went.
type Check struct {
	Name  string `json:"name"`
	Level Level  `json:"level"`
	// Says is a sentence about it, and Hint what to do.
	Says string `json:"says"`
	Hint string `json:"hint,omitempty"`
	MS   int64  `json:"ms"`
	// Steps are its parts, each with its own time.
	Steps []Step `json:"steps,omitempty"`
}

// Step is a part of a check.
type Step struct {
	Name string `json:"name"`
	Says string `json:"says"`
	MS   int64  `json:"ms"`
	// Failed is true for the part that did not work.
	Failed bool `json:"failed,omitempty"`
}

// Report is what Run found.
type Report struct {
	// OK is true when no check failed; warnings do not count.
	OK     bool    `json:"ok"`
	Checks []Check `json:"checks"`
}

// Console is what the doctor asks of a running gateway; client.Console is one.
type Console interface {
	Status(ctx context.Context) (client.Status, error)
	People(ctx context.Context) ([]client.Person, error)
	Phones(ctx context.Context, person string) ([]client.Phone, error)
	TestPush(ctx context.Context, person, phone string) (client.PushTest, error)
}

// Config says what to look at.
type Config struct {
	// Data is the gateway's data folder, and Console its socket.
	Data    string
	Console Console
	// URL is the address to check where no gateway runs that could say it.
	URL string
	// Version is this program's.
	Version string
	// Quiet leaves out what a person notices: test notifications.
	Quiet bool
	// Roots are the certificates that are trusted; nil for the system's.
	Roots *x509.CertPool
	// Clocks are addresses whose answers say what time it is; nil for the push
	// services that the gateway's phones use.
	Clocks []string
	// Now is the wall clock; nil for time.Now.
	Now func() time.Time
	// Each is called with every check as soon as it is made; may be nil.
	Each func(Check)
}

// doctor is one visit: what was learned so far.
type doctor struct {
	Config
	status *client.Status // nil without a gateway
	url    string         // the address under examination
	chain  []*x509.Certificate
	dates  []date // what outside clocks said
}

// Run makes every check.
func Run(ctx context.Context, c Config) Report {
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Each == nil {
		c.Each = func(Check) {}
	}
	d := &doctor{Config: c}
	report := Report{OK: true, Checks: []Check{}}
	for _, check := range []struct {
		name string
		run  func(context.Context) Check
	}{
		{"data", d.data}, {"gateway", d.gateway}, {"address", d.address}, {"certificate", d.certificate},
		{"clock", d.clock}, {"phones", d.phones}, {"push", d.push},
	} {
		began := time.Now()
		made := check.run(ctx)
		made.Name, made.MS = check.name, since(began)
		report.OK = report.OK && made.Level != Failed
		report.Checks = append(report.Checks, made)
		c.Each(made)
		if ctx.Err() != nil {
			break
		}
	}
	return report
}

// since is how long ago began was, in milliseconds; a part of one counts whole.
func since(began time.Time) int64 {
	return int64((time.Since(began) + time.Millisecond - 1) / time.Millisecond)
}

func ok(says string) Check            { return Check{Level: OK, Says: says} }
func skipped(says string) Check       { return Check{Level: Skipped, Says: says} }
func warning(says, hint string) Check { return Check{Level: Warning, Says: says, Hint: hint} }
func failed(says, hint string) Check  { return Check{Level: Failed, Says: says, Hint: hint} }

// broken is a failed check for an error that says itself what to do.
func broken(err error) Check {
	hint := ""
	if e, ok := errors.AsType[*nod.Error](err); ok {
		hint = e.Hint
	}
	if e, ok := errors.AsType[*client.Error](err); ok {
		hint = e.Hint
	}
	return failed(err.Error(), hint)
}

// with adds the steps that led to a check.
func (c Check) with(steps []Step) Check {
	c.Steps = steps
	return c
}
