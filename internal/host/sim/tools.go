package sim

import (
	"bytes"
	"context"
	"image"
	"image/color"
	"image/jpeg"
	"math"
	"sync"
	"time"

	"nod.dev/nod"
	"nod.dev/nod/internal/host"
	"nod.dev/nod/internal/host/device"
	"nod.dev/nod/internal/wire"
	"nod.dev/nod/spec"
)

// tools do what the contract's tools ask for, once the system allowed it.
var tools = map[string]func(*Phone, context.Context, host.Card) host.Result{
	spec.ToolClipboardRead:  (*Phone).clipboardRead,
	spec.ToolClipboardWrite: (*Phone).clipboardWrite,
	spec.ToolNotify:         (*Phone).notify,
	spec.ToolCalendars:      (*Phone).listCalendars,
	spec.ToolCalendarList:   (*Phone).calendarList,
	spec.ToolCalendarCreate: (*Phone).calendarCreate,
	spec.ToolCalendarUpdate: (*Phone).calendarUpdate,
	spec.ToolCalendarDelete: (*Phone).calendarDelete,
	spec.ToolContactsSearch: (*Phone).contactsSearch,
	spec.ToolLocation:       (*Phone).locate,
	spec.ToolAlarmSet:       (*Phone).alarmSet,
	spec.ToolTimerSet:       (*Phone).timerSet,
	spec.ToolPhotoPick:      (*Phone).photoPick,
	spec.ToolPhoneNow:       (*Phone).phoneNow,
}

// Notification is one that an agent had posted.
type Notification struct {
	Title, Body, Thread string
}

func (p *Phone) clipboardRead(context.Context, host.Card) host.Result {
	return read(device.ClipboardText(p.State().Clipboard))
}

func (p *Phone) clipboardWrite(_ context.Context, card host.Card) host.Result {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.state.Clipboard = text(card.Offer.Fields, "text")
	return done("It is on the clipboard.")
}

func (p *Phone) notify(_ context.Context, card host.Card) host.Result {
	f := card.Offer.Fields
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.system.NoNotifications {
		return host.Failed(nod.WhyNotAllowed)
	}
	p.state.Notifications = append(p.state.Notifications, Notification{text(f, "title"), text(f, "body"), text(f, "thread")})
	return done("The notification was posted.")
}

func (p *Phone) alarmSet(_ context.Context, card host.Card) host.Result {
	f := card.Offer.Fields
	hour, _ := f["hour"].(int64)
	minute, _ := f["minute"].(int64)
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.ring(int(hour), int(minute), Alarm{Label: text(f, "message"), Days: texts(f, "days"), Vibrate: flag(f, "vibrate")})
}

func (p *Phone) timerSet(_ context.Context, card host.Card) host.Result {
	seconds, _ := card.Offer.Fields["seconds"].(int64)
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.countdown(seconds, text(card.Offer.Fields, "message"))
}

func (p *Phone) phoneNow(context.Context, host.Card) host.Result {
	return read(device.NowText(p.now(), p.config.Locale, p.config.Hour12))
}

// Place is what can be found out of where a phone is. The zero value is a fix
// at once, near the Lisboa Oriente station.
type Place struct {
	Latitude, Longitude float64
	AccuracyM           int
	// Address is what the phone's own map knows of it; it may be empty.
	Address string
	// Off is true where the person switched location off, Coarse where they
	// allowed only about where they are.
	Off, Coarse bool
	// Takes is how long a fix takes, negative where there is none; Known is the
	// age of the last one, 0 for none.
	Takes, Known time.Duration
}

// coarseM is how exact a coarse place is: two decimals, about a kilometre.
const coarseM = 2000

// locate answers with the last fix where it is fresh enough, else with a new
// one, if it comes in time. Approximate is an answer too, and says so.
func (p *Phone) locate(ctx context.Context, card host.Card) host.Result {
	f := card.Offer.Fields
	t, _ := p.contract.Tool(spec.ToolLocation)
	at := p.config.Place
	if at == (Place{}) || (at.Latitude == 0 && at.Longitude == 0) {
		at.Latitude, at.Longitude = 38.7676, -9.0988
	}
	if at.AccuracyM == 0 {
		at.AccuracyM = 12
	}
	if at.Off {
		return host.Failed(nod.WhyNotAllowed)
	}
	d := device.LocationData{Latitude: at.Latitude, Longitude: at.Longitude, AccuracyM: at.AccuracyM, Provider: "gps", Address: at.Address}
	if fresh := time.Duration(t.Int(f, "max_age_seconds")) * time.Second; at.Known > 0 && at.Known <= fresh {
		d.AgeS, d.Provider = int(at.Known/time.Second), "last"
	} else if !p.fix(ctx, at.Takes) {
		return cannot("The phone did not find out where it is.")
	}
	if at.Coarse || t.Word(f, "accuracy") == "coarse" {
		d.Latitude, d.Longitude = math.Round(d.Latitude*100)/100, math.Round(d.Longitude*100)/100
		d.AccuracyM, d.Address = max(d.AccuracyM, coarseM), ""
	}
	return read(device.DataText(d))
}

// fix waits for a new fix, as long as a phone does.
func (p *Phone) fix(ctx context.Context, takes time.Duration) bool {
	limit := device.FixWait
	if p.patience > 0 {
		limit = min(limit, p.patience)
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	if takes < 0 {
		<-ctx.Done()
		return false
	}
	wait := time.NewTimer(takes)
	defer wait.Stop()
	select {
	case <-wait.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// photoPick has the person pick in the system's picker. They take as many as
// they may.
func (p *Phone) photoPick(ctx context.Context, card host.Card) host.Result {
	ctx, cancel := context.WithTimeout(ctx, device.Wait(spec.PermissionPicker, p.patience))
	defer cancel()
	picked, answered := p.reaction(spec.PermissionPicker).react(ctx)
	switch {
	case !answered:
		return host.Failed(nod.WhyNobodyAnswered)
	case !picked:
		return host.Failed(nod.WhyNotPicked)
	}
	t, _ := p.contract.Tool(spec.ToolPhotoPick)
	photos := p.config.Photos
	if photos == nil {
		photos = somePhotos()
	}
	r := host.Result{Status: wire.ResultDone}
	for _, picture := range photos[:min(len(photos), int(t.Int(card.Offer.Fields, "max")))] {
		b, err := device.FitPhoto(len(r.Blobs)+1, picture)
		if err != nil {
			return cannot("What was picked is no picture that this phone can read.")
		}
		r.Blobs = append(r.Blobs, b)
	}
	p.mu.Lock()
	p.state.Picked += len(r.Blobs)
	p.mu.Unlock()
	return r
}

// somePhotos are two pictures that are larger than may be handed on.
var somePhotos = sync.OnceValue(func() [][]byte { return [][]byte{Photo(1800, 1000), Photo(900, 1600)} })

// Photo is a picture as a camera would have taken it, were there anything to see.
func Photo(width, height int) []byte {
	m := image.NewRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			m.SetRGBA(x, y, color.RGBA{R: uint8(255 * x / width), G: uint8(255 * y / height), B: uint8((x ^ y) & 63), A: 255})
		}
	}
	var out bytes.Buffer
	if err := jpeg.Encode(&out, m, &jpeg.Options{Quality: 90}); err != nil {
		panic(err) // into memory, of a picture that is one
	}
	return out.Bytes()
}
