package doctor

import (
	"context"
	"fmt"
	"net/http"
	"time"
)

// How far the clock may be off: certificates, the keys of notifications and the
// times in the log depend on it.
const (
	offALittle = 30 * time.Second
	offTooFar  = 5 * time.Minute
)

// date is what somebody else's clock said.
type date struct {
	who string
	off time.Duration // how much this machine's clock is ahead
}

// heard notes what an answer says of the time. Its date is cut to the second,
// and was written somewhere between the question and now.
func (d *doctor) heard(who string, h http.Header, sent time.Time) {
	theirs, err := http.ParseTime(h.Get("Date"))
	if err != nil {
		return
	}
	now := d.Now()
	earliest, latest := sent.Add(-time.Second), now
	switch {
	case theirs.Before(earliest):
		d.dates = append(d.dates, date{who, earliest.Sub(theirs)})
	case theirs.After(latest):
		d.dates = append(d.dates, date{who, latest.Sub(theirs)})
	default:
		d.dates = append(d.dates, date{who, 0})
	}
}

// clock compares this machine's clock with others'. Where a phone is, and what
// zone it has, is no trouble: times travel as UTC.
func (d *doctor) clock(ctx context.Context) Check {
	clocks := d.Clocks
	if clocks == nil && d.status != nil {
		for _, host := range d.status.PushServices {
			clocks = append(clocks, "https://"+host+"/")
		}
	}
	for _, address := range clocks {
		d.askTime(ctx, address)
	}
	if len(d.dates) == 0 {
		return skipped("nobody outside was asked: the address is on this machine, and no phone has notifications")
	}
	var steps []Step
	worst := d.dates[0]
	for _, date := range d.dates {
		steps = append(steps, Step{Name: date.who, Says: date.String()})
		if date.off.Abs() > worst.off.Abs() {
			worst = date
		}
	}
	hint := "set the clock of this machine, and let it follow a time server"
	switch {
	case worst.off.Abs() > offTooFar:
		return failed("the clock is wrong: "+worst.String()+" from "+worst.who, hint).with(steps)
	case worst.off.Abs() > offALittle:
		return warning("the clock is off: "+worst.String()+" from "+worst.who, hint).with(steps)
	}
	return ok("the clock is right").with(steps)
}

// String says how far off the clock is.
func (d date) String() string {
	switch {
	case d.off == 0:
		return "the same"
	case d.off < 0:
		return fmt.Sprintf("%s behind", (-d.off).Round(time.Second))
	}
	return fmt.Sprintf("%s ahead", d.off.Round(time.Second))
}

// askTime asks an address for nothing but its date. That it does not answer is
// no trouble of the clock.
func (d *doctor) askTime(ctx context.Context, address string) {
	ctx, cancel := context.WithTimeout(ctx, stepTime)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodHead, address, nil)
	if err != nil {
		return
	}
	sent := d.Now()
	web := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := web.Do(r)
	if err != nil {
		return
	}
	_ = resp.Body.Close()
	d.heard(r.URL.Host, resp.Header, sent)
}
