package sim

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"nod.dev/nod"
	"nod.dev/nod/internal/host"
	"nod.dev/nod/internal/host/device"
	"nod.dev/nod/internal/wire"
	"nod.dev/nod/spec"
)

// Config says what a simulated phone is like. The zero value is a phone with
// every app, a few people and events, a song paused and no route running, whose
// system allows everything.
type Config struct {
	// Zone is where the phone is; where this machine is when nil.
	Zone *time.Location
	// Now is the phone's clock; time.Now when nil.
	Now func() time.Time
	// Locale is how the person reads, "en-GB" when empty; Hour12 is true for a clock of twelve hours.
	Locale string
	Hour12 bool
	// Unsupported names capabilities that the phone lacks, each with the reason,
	// and Pickers those that are the system's own picker.
	Unsupported map[string]string
	Pickers     []string
	// Apps are the names on the icons; a usual set when nil.
	Apps []string
	// Automations are the automations that the person made, per automation app;
	// one in Tasker when nil.
	Automations map[string][]string

	// Contacts, Calendars and Appointments are the person's; a few of each when nil.
	Contacts     []device.Contact
	Calendars    []device.Calendar
	Appointments []Appointment
	// Clipboard is what was copied last.
	Clipboard string
	// Place is what can be found out of where the phone is.
	Place Place
	// Photos are what the person picks, newest first; two of a camera's size when nil.
	Photos [][]byte

	// System is how the phone's system, and the person before it, answer.
	System System
	// Patience bounds every wait for the person and for a fix, for tests that do
	// not want to wait; 0 for the contract's own times.
	Patience time.Duration
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

	Appointments  []Appointment // what the calendars hold
	Clipboard     string
	Notifications []Notification // that notify posted
	Picked        int            // how many photos were handed on
	// Questions are the permissions that the system asked for on the screen, and
	// Summons those for which a notification called the person to it.
	Questions []spec.Permission
	Summons   []spec.Permission
}

// Phone is the apps of a phone in memory. It is a [host.Driver], a
// [host.Checker], a [host.Book] and its own [device.System].
type Phone struct {
	config   Config
	contract *spec.Spec
	zone     *time.Location

	unsupported map[string]string
	apps        []string
	automations map[string][]string
	contacts    []device.Contact
	calendars   []device.Calendar
	patience    time.Duration

	mu     sync.Mutex
	state  State
	system System
	nextID int64
	// count is how many actions were begun.
	count int
}

var (
	_ host.Driver   = (*Phone)(nil)
	_ host.Checker  = (*Phone)(nil)
	_ host.Book     = (*Phone)(nil)
	_ device.System = (*Phone)(nil)
)

// New returns a phone.
func New(c Config) *Phone {
	if c.Zone == nil {
		c.Zone = host.LocalZone()
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Locale == "" {
		c.Locale = "en-GB"
	}
	if c.Apps == nil {
		c.Apps = []string{"Calendar", "Camera", "Clock", "Mail", "Maps", "Messages", "Music", "Photos", "Settings", "Tasker"}
	}
	if c.Automations == nil {
		c.Automations = map[string][]string{"Tasker": {"Lights"}}
	}
	if c.Contacts == nil {
		c.Contacts = someContacts()
	}
	if c.Calendars == nil {
		c.Calendars = someCalendars()
	}
	p := &Phone{
		config: c, contract: spec.Get(), zone: c.Zone, unsupported: c.Unsupported, apps: c.Apps, automations: c.Automations,
		contacts: c.Contacts, calendars: c.Calendars, patience: c.Patience, system: c.System.clone(),
	}
	if c.Appointments == nil {
		c.Appointments = someAppointments(p.now())
	}
	p.state.Track = 1
	p.state.Clipboard = c.Clipboard
	for _, a := range c.Appointments {
		p.state.Appointments = append(p.state.Appointments, a)
		p.nextID = max(p.nextID, a.ID)
	}
	return p
}

// now is the phone's own time.
func (p *Phone) now() time.Time { return p.config.Now().In(p.zone) }

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
	s.Appointments = slices.Clone(s.Appointments)
	s.Notifications = slices.Clone(s.Notifications)
	s.Questions = slices.Clone(s.Questions)
	s.Summons = slices.Clone(s.Summons)
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
	for _, known := range p.contract.Capabilities {
		c := nod.Capability{ID: known.ID, State: nod.Ready, Picker: slices.Contains(p.config.Pickers, known.ID)}
		if why, ok := p.unsupported[known.ID]; ok {
			c.State, c.Reason = nod.Unsupported, why
		}
		all = append(all, c)
	}
	return all
}

// done is said where the app itself confirmed it.
func done(message string) host.Result {
	return host.Result{Status: wire.ResultDone, Started: true, Message: message}
}

// opened is said where the person finishes in the app.
func opened(app, message string) host.Result {
	return host.Result{Status: wire.ResultOpened, Started: true, Message: message, App: app}
}

// cannot is said where nothing was begun.
func cannot(message string) host.Result {
	return host.Result{Status: wire.ResultFailed, Message: message}
}

// handlers do the actions, each with the phone's lock held.
var handlers = map[string]func(*Phone, nod.Fields) host.Result{
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

// CarryOut does what a card asks for.
func (p *Phone) CarryOut(ctx context.Context, card host.Card) host.Result {
	if ctx.Err() != nil {
		return cannot("It was called off before it began.")
	}
	if why, missing := p.unsupported[capability(card.Action())]; missing {
		return cannot(why)
	}
	if do, ok := tools[card.Offer.Tool]; ok {
		return p.tool(ctx, card, do)
	}
	return p.action(card)
}

// tool does what one of the contract's tools asks for, once the phone's system
// lets it.
func (p *Phone) tool(ctx context.Context, card host.Card, do func(*Phone, context.Context, host.Card) host.Result) host.Result {
	t, _ := p.contract.Tool(card.Offer.Tool)
	if why := device.Prepare(ctx, p, t, p.patience); why != nod.WhyNone {
		return host.Failed(why)
	}
	p.mu.Lock()
	p.count++
	p.mu.Unlock()
	return do(p, ctx, card)
}

// action does one of the actions of phone_action.
func (p *Phone) action(card host.Card) host.Result {
	do, ok := handlers[card.Offer.Action]
	if !ok {
		return cannot("This phone has no way to do " + card.Offer.Action + ".")
	}
	if p.Locked() {
		return host.Failed(nod.WhyLocked)
	}
	if _, why := p.Cannot(card.Action()); why != "" {
		return cannot(why)
	}
	a, ok := card.Carried()
	if !ok {
		return cannot("It names somebody who was not looked up.")
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.count++
	return do(p, a.Fields)
}

// capability is what an action needs of the phone.
func capability(a nod.Action) string {
	if known, ok := spec.Get().Action(a.Name); ok && a.Tool != a.Name {
		return known.Capability
	}
	t, _ := spec.Get().Tool(a.Tool)
	return t.Capability
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
