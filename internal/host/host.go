package host

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"nod.dev/nod"
	"nod.dev/nod/internal/wire"
	"nod.dev/nod/spec"
)

// ErrRevoked is what [Run] returns once the phone was removed.
var ErrRevoked = nod.Errorf(nod.CodeForbidden, "this phone was removed from nod", "pair it again into a new folder to use it")

// Driver is what carries actions out: the apps of one phone. What every phone
// needs for that is in package device.
type Driver interface {
	// Capabilities says what it can do here and now; asked often.
	Capabilities() []nod.Capability
	// CarryOut does what a card asks for, once: exactly what was on it, its rows
	// in the place of what they stand for. When ctx ends it gives up as soon as
	// it can and says truthfully whether it had started. It must not be retried
	// and must not return before it knows what to say.
	CarryOut(ctx context.Context, card Card) Result
}

// Checker is a [Driver] that can tell before a card is drawn that an action is
// not possible here: a date that does not exist, a map app without stops. The
// answer must depend on the action alone: a reason, or a message for the actions
// of phone_action. Both empty means that it can be tried.
type Checker interface {
	Cannot(a nod.Action) (why nod.Why, message string)
}

// UI is a screen. Its methods are called one after the other and must return
// at once; answers go to the [Screen].
type UI interface {
	// Draw puts a card on the screen. A quiet one asks nothing.
	Draw(card Card, s *Screen)
	// Hold keeps the card's place with Confirm off.
	Hold(call nod.CallID, reason string)
	// Remove takes the card away; by names the phone that answered, where one did.
	Remove(call nod.CallID, reason, by string)
	// Outcome turns the card into what became of it.
	Outcome(call nod.CallID, r Result)
	// SetBack asks whether to accept a gateway that was set back to head.
	SetBack(head wire.Head, s *Screen)
}

// Opener is a [UI] that wants its [Screen] before there is a card: to pause, or
// to change what an agent may ask for.
type Opener interface {
	Open(s *Screen)
}

// Resumer is a [UI] that can ask whether agents may ask again, when somebody at
// the gateway's console wants them to. A yes is [Screen.ResumeAll].
type Resumer interface {
	AskResume(s *Screen)
}

// Config is what a phone needs to run.
type Config struct {
	Identity *Identity
	Driver   Driver
	// UI shows cards; a phone without one is nil, and acts for other screens.
	UI      UI
	Journal Journal
	Logger  *slog.Logger
	// Version is the program's, for the gateway to know.
	Version string

	// The rest has defaults that fit a real phone.

	Spec   *spec.Spec
	Zone   string // IANA name
	Locale string // BCP 47
	Clock  func() Now
	Dial   Dialer
	// Client sends blobs to the gateway.
	Client *http.Client
	// Wake makes the next attempt to connect happen now: the network or the
	// screen came back.
	Wake <-chan struct{}
	// OnLink is told whenever the link comes up or goes away.
	OnLink func(up bool)
}

// host is a running phone. Everything but the socket belongs to the goroutine
// of loop; others reach it through call and post.
type host struct {
	cfg  Config
	log  *slog.Logger
	self Self

	inbox   mailbox
	machine *Machine
	link    *link
	screen  *Screen
	// running are the actions under way, looking the look-ups for cards.
	running  map[nod.CallID]context.CancelFunc
	looking  map[nod.CallID]context.CancelFunc
	drivers  sync.WaitGroup
	declared []nod.Capability
	written  int
	// failed is why the phone must stop at once, leaving why it stops in order.
	failed  error
	leaving error
	work    context.Context
	closed  chan struct{}
}

// compactEvery is after how many records the journal is shortened.
const compactEvery = 4096

// Run is the phone, until ctx ends, it is removed, or its journal fails. It
// keeps a link to the gateway and comes back whenever it is lost.
func Run(ctx context.Context, cfg Config) error {
	h, err := newHost(cfg)
	if err != nil {
		return err
	}
	// A phone that is told to stop still journals and says how its actions ended.
	alive := context.WithoutCancel(ctx)
	work, stop := context.WithCancel(alive)
	defer stop()
	h.work = work
	effects, err := h.restore()
	if err != nil {
		return err
	}
	connect, cut := context.WithCancel(alive)
	defer cut()
	linked := make(chan struct{})
	if o, ok := h.cfg.UI.(Opener); ok {
		o.Open(h.screen)
	}
	h.perform(effects)
	go func() {
		defer close(linked)
		h.connect(connect)
	}()
	err = h.loop(ctx)
	close(h.closed)
	cut()
	<-linked
	return err
}

func newHost(cfg Config) (*host, error) {
	own, gateway, err := cfg.Identity.keys()
	if err != nil {
		return nil, err
	}
	if cfg.Spec == nil {
		cfg.Spec = spec.Get()
	}
	if cfg.Clock == nil {
		cfg.Clock = SystemClock
	}
	if cfg.Dial == nil {
		cfg.Dial = DialWebSocket(nil)
	}
	if cfg.Client == nil {
		cfg.Client = http.DefaultClient
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	if cfg.Zone == "" {
		cfg.Zone = zone()
	}
	if cfg.Locale == "" {
		cfg.Locale = "en"
	}
	h := &host{
		cfg:     cfg,
		log:     cfg.Logger.With("phone", cfg.Identity.Phone),
		self:    Self{Phone: cfg.Identity.Phone, Signer: own, Gateway: gateway, Spec: cfg.Spec, Screen: cfg.UI != nil},
		running: map[nod.CallID]context.CancelFunc{},
		looking: map[nod.CallID]context.CancelFunc{},
		closed:  make(chan struct{}),
	}
	h.inbox.ready = make(chan struct{}, 1)
	h.screen = &Screen{h}
	if c, ok := cfg.Driver.(Checker); ok {
		h.self.Cannot = c.Cannot
	}
	if _, ok := cfg.Driver.(Book); ok {
		h.self.LooksUp = LooksUp
	}
	h.self.Picks = h.picks
	return h, nil
}

// restore makes the machine from the journal.
func (h *host) restore() ([]Effect, error) {
	records, err := h.cfg.Journal.Records()
	if err != nil {
		return nil, err
	}
	machine, effects, err := Restore(h.self, records, h.cfg.Clock())
	if err != nil {
		return nil, err
	}
	h.machine, h.written = machine, len(records)
	for _, r := range records {
		if r.Text != "" {
			h.written = compactEvery // what was read may have arrived since
		}
	}
	return effects, nil
}

// connect keeps the link up until ctx ends, or the gateway says that there is
// nothing here for this phone.
func (h *host) connect(ctx context.Context) {
	wait := backoff{most: backoffMost}
	if h.self.Screen {
		wait.most = backoffSeen
	}
	for ctx.Err() == nil {
		began := time.Now()
		welcomed, err := h.attempt(ctx)
		if welcomed && time.Since(began) >= steady {
			wait.reset()
		}
		if ctx.Err() != nil {
			return
		}
		away, over := atLeast(err)
		if over {
			h.post(func() { h.leave(err) })
			return
		}
		d := max(wait.next(), away)
		h.log.Info("not connected", "reason", err, "retry_in", d.Round(time.Millisecond))
		select {
		case <-ctx.Done():
		case <-h.cfg.Wake:
			wait.reset()
		case <-time.After(d):
		}
	}
}

// attempt is one connection, from dialing to its end.
func (h *host) attempt(ctx context.Context) (welcomed bool, err error) {
	url, err := h.cfg.Identity.linkURL()
	if err != nil {
		return false, err
	}
	conn, err := h.cfg.Dial(ctx, url)
	if err != nil {
		return false, err
	}
	welcomed, err = h.serve(ctx, conn)
	if cerr := conn.Close(farewell(err)); cerr != nil && err == nil {
		err = cerr
	}
	return welcomed, err
}

func farewell(err error) string {
	if err == nil || errors.Is(err, context.Canceled) {
		return "the phone stops"
	}
	return err.Error()
}
