package sim

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"nod.dev/nod"
	"nod.dev/nod/internal/host"
	"nod.dev/nod/internal/wire"
	"nod.dev/nod/spec"
)

// Config says what a simulated phone is like. The zero value is a phone with
// every app, a song paused and no route running.
type Config struct {
	// Zone is where the phone is; time.Local when nil.
	Zone *time.Location
	// Unsupported names capabilities that the phone lacks, each with the reason.
	Unsupported map[string]string
	// Apps are the names on the icons; a usual set when nil.
	Apps []string
	// Automations are the automations that the person made, per automation app;
	// one in Tasker when nil.
	Automations map[string][]string
}

// State is what can be looked at on the phone.
type State struct {
	Alarms   []Alarm
	Timers   []Timer
	Route    *Route
	Searches []Search
	Events   []Event // new-event screens, filled in and not saved
	Texts    []Draft
	Mails    []Draft
	Dialer   string // the number in it; no call is placed
	Opened   []string
	Pages    []string
	Playing  bool
	Track    int
	Torch    bool
	Panel    string
	Runs     []AutomationRun
}

// Phone is the apps of a phone in memory. It is a [host.Driver] and a [host.Checker].
type Phone struct {
	zone        *time.Location
	unsupported map[string]string
	apps        []string
	automations map[string][]string

	mu    sync.Mutex
	state State
	// count is how many actions were begun.
	count int
}

var (
	_ host.Driver  = (*Phone)(nil)
	_ host.Checker = (*Phone)(nil)
)

// New returns a phone.
func New(c Config) *Phone {
	p := &Phone{zone: c.Zone, unsupported: c.Unsupported, apps: c.Apps, automations: c.Automations}
	if p.zone == nil {
		p.zone = time.Local
	}
	if p.apps == nil {
		p.apps = []string{"Calendar", "Camera", "Clock", "Mail", "Maps", "Messages", "Music", "Photos", "Settings", "Tasker"}
	}
	if p.automations == nil {
		p.automations = map[string][]string{"Tasker": {"Lights"}}
	}
	p.state.Track = 1
	return p
}

// State returns what the phone is like now.
func (p *Phone) State() State {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.state
	s.Alarms = slices.Clone(s.Alarms)
	s.Timers = slices.Clone(s.Timers)
	if s.Route != nil {
		route := *s.Route
		route.Stops = slices.Clone(route.Stops)
		s.Route = &route
	}
	s.Searches = slices.Clone(s.Searches)
	s.Events = slices.Clone(s.Events)
	s.Texts = slices.Clone(s.Texts)
	s.Mails = slices.Clone(s.Mails)
	s.Opened = slices.Clone(s.Opened)
	s.Pages = slices.Clone(s.Pages)
	s.Runs = slices.Clone(s.Runs)
	return s
}

// Count returns how many actions were handed to the phone's apps.
func (p *Phone) Count() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.count
}

// Capabilities says that the phone can do all that the contract knows, but for
// what it was made without.
func (p *Phone) Capabilities() []nod.Capability {
	var all []nod.Capability
	for _, a := range spec.Get().Phone.Actions {
		c := nod.Capability{ID: a.Capability, State: nod.Ready}
		if why, ok := p.unsupported[a.Capability]; ok {
			c.State, c.Reason = nod.Unsupported, why
		}
		if !slices.ContainsFunc(all, func(d nod.Capability) bool { return d.ID == c.ID }) {
			all = append(all, c)
		}
	}
	return all
}

// answer is what an app says of one action.
type answer struct {
	status  wire.ResultStatus
	started bool
	message string
	app     string
}

// done is said where the app itself confirmed it.
func done(message string) answer { return answer{wire.ResultDone, true, message, ""} }

// opened is said where the person finishes in the app.
func opened(app, message string) answer { return answer{wire.ResultOpened, true, message, app} }

// cannot is said where nothing was begun.
func cannot(message string) answer { return answer{wire.ResultFailed, false, message, ""} }

// handlers do the actions, each with the phone's lock held.
var handlers = map[string]func(*Phone, nod.Fields) answer{
	"navigate":          (*Phone).navigate,
	"add_stop":          (*Phone).addStop,
	"search_nearby":     (*Phone).searchNearby,
	"stop_navigation":   (*Phone).stopNavigation,
	"alarm":             (*Phone).alarm,
	"timer":             (*Phone).timer,
	"calendar_event":    (*Phone).calendarEvent,
	"sms_draft":         (*Phone).smsDraft,
	"email_draft":       (*Phone).emailDraft,
	"dial":              (*Phone).dial,
	"open_app":          (*Phone).openApp,
	"open_url":          (*Phone).openURL,
	"media":             (*Phone).media,
	"torch":             (*Phone).torch,
	"settings_panel":    (*Phone).settingsPanel,
	"automation_intent": (*Phone).automationIntent,
}

// CarryOut does an action.
func (p *Phone) CarryOut(ctx context.Context, a nod.Action) (wire.ResultStatus, bool, string, string) {
	r := p.carryOut(ctx, a)
	return r.status, r.started, r.message, r.app
}

func (p *Phone) carryOut(ctx context.Context, a nod.Action) answer {
	do, ok := handlers[a.Name]
	if !ok {
		return cannot("This phone has no way to do " + a.Name + ".")
	}
	if ctx.Err() != nil {
		return cannot("It was called off before it began.")
	}
	if known, ok := spec.Get().Action(a.Name); ok {
		if why, missing := p.unsupported[known.Capability]; missing {
			return cannot(why)
		}
	}
	if why := p.Cannot(a); why != "" {
		return cannot(why)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.count++
	return do(p, a.Fields)
}

// text returns a field that is a string.
func text(f nod.Fields, name string) string {
	s, _ := f[name].(string)
	return s
}

// texts returns a field that is a list of strings.
func texts(f nod.Fields, name string) []string {
	list, _ := f[name].([]any)
	var out []string
	for _, v := range list {
		if s, ok := v.(string); ok {
			out = append(out, s)
		}
	}
	return out
}

// flag returns a field that is true or false.
func flag(f nod.Fields, name string) bool {
	b, _ := f[name].(bool)
	return b
}

// sameName compares names as people do.
func sameName(a, b string) bool { return strings.EqualFold(strings.TrimSpace(a), strings.TrimSpace(b)) }
