// Package gateway is the one path from an agent to a phone and back.
//
// Read do.go first: [Gateway.Do] takes a call from an agent to its outcome, and
// its Open is every step of the way in order. Everything that can reach a phone
// goes through there.
//
// What a gateway knows and decides is a [Core], which is pure. Round it stands
// one goroutine, the loop: it gathers what has happened (calls, taps, results,
// passed deadlines, the console's orders), applies all of it to the core as one
// [Turn], writes that turn to the ledger in one transaction, and only then
// adopts it and lets its frames leave, in order. Three promises follow from
// this shape alone: nothing leaves that is not in the log (I6), a stop that has
// returned is followed by no offer and no go (I5), and group commit costs
// nothing extra, since what happens during one write is the next turn.
package gateway

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"golang.org/x/mod/sumdb/tlog"

	"nod.dev/nod"
	"nod.dev/nod/internal/link"
	"nod.dev/nod/internal/log"
	"nod.dev/nod/internal/policy"
	"nod.dev/nod/internal/store"
	"nod.dev/nod/internal/wire"
	"nod.dev/nod/spec"
)

// Ledger is what a gateway needs of a store; store.SQLite is one.
type Ledger interface {
	Load(ctx context.Context, since nod.Time) (*store.State, error)
	Commit(ctx context.Context, b *store.Batch) (map[nod.PersonID]wire.Signed, error)
	Call(ctx context.Context, id nod.CallID) (nod.Call, error)
	Calls(ctx context.Context, q store.Query) ([]nod.Call, error)
	CallApps(ctx context.Context, person nod.PersonID, phone nod.PhoneID, since nod.Time) ([]string, error)
	EntriesOf(ctx context.Context, person nod.PersonID, call nod.CallID, limit int) ([]log.Entry, error)
	EntriesBy(ctx context.Context, person nod.PersonID, agent nod.AgentID, from int64, limit int) ([]log.Entry, error)
	Entries(ctx context.Context, person nod.PersonID, from int64, limit int) ([]log.Entry, error)
	Hashes(ctx context.Context, person nod.PersonID) tlog.HashReader
	Backup(ctx context.Context, path string) error

	// What phones read is kept apart from all of that, and soon erased.
	PutText(ctx context.Context, id nod.CallID, text, salt string) error
	PutBlob(ctx context.Context, id nod.CallID, n int, data []byte) error
	// Private and Blob return store.ErrGone for what is not there any more.
	Private(ctx context.Context, id nod.CallID) (store.Private, error)
	Blob(ctx context.Context, id nod.CallID, n int) ([]byte, error)
	DropPrivate(ctx context.Context, id nod.CallID) error
	Privates(ctx context.Context) ([]nod.CallID, error)
	// KeepAttachment keeps a file for the person, and says where.
	KeepAttachment(ctx context.Context, at nod.Time, name string, data []byte) (path string, err error)
	SweepAttachments(ctx context.Context, now nod.Time) error
}

// Observer is told what a gateway does, for metrics. Its methods must not block.
type Observer interface {
	// Ended is called once for each call that has its outcome.
	Ended(nod.Call)
	// Committed is called after each write: how long it took, for how many happenings.
	Committed(took time.Duration, happenings int, err error)
	// Pushed is called for each answer of a push service: accepted, gone, refused
	// or failed, and how long it took.
	Pushed(status string, took time.Duration)
}

// Config is what a gateway is made of. Ledger, Signer and Spec are required.
type Config struct {
	Ledger Ledger
	// Signer holds the gateway's key, which phones pin when they are paired.
	Signer wire.Signer
	Spec   *spec.Spec
	// Logger takes what an operator should know; nil is silent. Values of
	// arguments are never logged at info.
	Logger *slog.Logger
	// Elapsed is the time since a fixed moment by a clock that counts sleep and
	// never jumps; nil for time.Since of the start.
	Elapsed func() time.Duration
	// Version of the program, told to phones so that an older app reloads.
	Version string
	// WebVersion names the web app that the server holds: a page that is another
	// one is told to reload. Empty for none.
	WebVersion string
	// Person names the first person, who is made at the first start; empty for "Me".
	Person string
	// Origins lists the browser origins a phone may connect from.
	Origins []string
	// Push says how phones are woken; nil for not at all.
	Push *PushConfig
	// Observer is told what happens; nil for nobody.
	Observer Observer
}

// Gateway is a running gateway.
type Gateway struct {
	cfg    Config
	clock  clock
	log    *slog.Logger
	link   *link.Link
	pusher *pusher
	inputs chan *input
	stop   chan struct{}
	done   chan struct{}
	swept  chan struct{} // closed when the sweeper has stopped

	// mu guards the core against readers. The loop alone changes the core, and
	// holds mu while it adopts a turn; it reads without.
	mu        sync.RWMutex
	core      *Core
	watchers  map[nod.CallID]map[*watcher]bool
	followers map[nod.AgentID]map[*Follower]bool
	onAgents  func(AgentNews)
	lists     map[nod.AgentID]string // the tools of each agent, by name, as onAgents knows them
	trouble   error                  // of the last write; nil when it succeeded
}

// New loads the ledger, recovers what a restart left behind and starts the loop.
func New(ctx context.Context, cfg Config) (*Gateway, error) {
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	g := &Gateway{
		cfg: cfg, log: cfg.Logger, inputs: make(chan *input, maxTurn), stop: make(chan struct{}), done: make(chan struct{}), swept: make(chan struct{}),
		watchers: map[nod.CallID]map[*watcher]bool{}, followers: map[nod.AgentID]map[*Follower]bool{},
	}
	wall := nod.TimeOf(time.Now())
	state, err := cfg.Ledger.Load(ctx, wall.Add(-policy.Memory))
	if err != nil {
		return nil, err
	}
	g.clock = newClock(max(wall, state.Now), cfg.Elapsed)
	if g.pusher, err = newPusher(cfg.Push); err != nil {
		return nil, err
	}
	core := CoreConfig{Spec: cfg.Spec, Signer: cfg.Signer, Nonce: newNonce, Version: cfg.Version, WebVersion: cfg.WebVersion}
	if g.pusher.sender != nil {
		core.PushKey, core.Base = cfg.Push.Key.Public(), cfg.Push.Base
	}
	if g.core, err = NewCore(core, state); err != nil {
		return nil, err
	}
	g.link = link.New(link.Config{Handler: phones{g}, Gateway: cfg.Signer.Public(), Origins: cfg.Origins, Logger: cfg.Logger})
	if err := g.recover(ctx); err != nil {
		return nil, err
	}
	go g.loop()
	go func() {
		defer close(g.swept)
		g.sweeper()
	}()
	return g, nil
}

// recover ends what a restart ended, and makes the first person at the first start.
func (g *Gateway) recover(ctx context.Context) error {
	return g.apply(ctx, []*input{newInput(func(t *Turn) error {
		t.Recover()
		t.Tick()
		if len(t.core.people) > 0 {
			return nil
		}
		name := g.cfg.Person
		if name == "" {
			name = "Me"
		}
		_, err := t.AddPerson(name)
		return err
	})})
}

// Close stops the loop after the turn under way and ends every link. Calls
// that wait keep their rows; the next start recovers them.
func (g *Gateway) Close() error {
	select {
	case <-g.stop:
	default:
		close(g.stop)
	}
	<-g.done
	<-g.swept
	g.pusher.close()
	ctx, cancel := context.WithTimeout(context.Background(), closeLinks)
	defer cancel()
	return g.link.Shutdown(ctx)
}

// closeLinks is how long phones are given to take their last frames.
const closeLinks = 3 * time.Second

// LinkHandler returns the handler of the phones' socket.
func (g *Gateway) LinkHandler() http.Handler { return g.link }

// Now returns ledger time.
func (g *Gateway) Now() nod.Time { return g.clock.now() }

// Ready reports why the gateway cannot do its part; nil when it can.
func (g *Gateway) Ready() error {
	g.mu.RLock()
	defer g.mu.RUnlock()
	return g.trouble
}

// errStopped is what a call gets that comes while the gateway stops.
var errStopped = nod.Errorf(nod.CodeInternal, "nod is stopping", "try again when it runs")

// IsStopped reports whether err is that the gateway stops.
func IsStopped(err error) bool { return errors.Is(err, errStopped) }
