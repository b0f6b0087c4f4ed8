// Package stdio carries MCP between a client's pipes and a gateway's /mcp.
//
// Many clients start a program and speak MCP on its stdin and stdout. nod is no
// server of its own there: each message goes to the gateway as it came, so that
// an agent over a pipe and one over HTTP are answered by the same code, from
// the same ledger.
//
// What the pipe adds is care. A message is parsed strictly before it is passed
// on, and one of a revision without sessions gets the headers that repeat it. A
// cancellation never overtakes the call it is about. The end of the pipe,
// or of the program, takes back what still waits for the person. A gateway that
// was restarted is greeted anew without the client noticing, and one that is
// away is said to be so in words that a model understands.
package stdio

import (
	"bufio"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"nod.dev/nod/internal/wire"
	"nod.dev/nod/spec"
)

// MaxMessage is the largest message that is passed on, in bytes.
const MaxMessage = 256 << 10

// Config is what a proxy is made of.
type Config struct {
	// URL is the gateway's base address, and Token the agent's.
	URL, Token string
	// In and Out are the client's pipes. Nothing but messages is written to Out.
	In  io.Reader
	Out io.Writer
	// HTTP is the client to use; nil for one without a time-out.
	HTTP *http.Client
	// Logger hears of trouble with the gateway; nil for silence.
	Logger *slog.Logger
}

// proxy is one client's conversation with the gateway.
type proxy struct {
	endpoint string
	token    string
	http     *http.Client
	log      *slog.Logger
	spec     *spec.Spec

	outMu sync.Mutex
	out   io.Writer // guarded by outMu

	session  session
	greeting sync.Mutex // held while the session is begun anew
	flights  flights
	hearing  sync.Once
	work     sync.WaitGroup
}

// endTime is how long the gateway may take to hear that the client is gone.
const endTime = 3 * time.Second

// Run carries messages until In ends or ctx does, and then takes back what
// still waits. It returns nil on either.
func Run(ctx context.Context, c Config) error {
	p := &proxy{
		endpoint: strings.TrimRight(c.URL, "/") + "/mcp", token: c.Token, http: c.HTTP, log: c.Logger,
		spec: spec.Get(), out: c.Out,
	}
	if p.http == nil {
		p.http = &http.Client{CheckRedirect: stay}
	}
	if p.log == nil {
		p.log = slog.New(slog.DiscardHandler)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	lines, ended, failed := p.read(ctx, c.In)
	over := make(chan struct{})
	go func() {
		defer close(over)
		p.serve(ctx, lines)
		cancel()
		p.work.Wait()
	}()
	select {
	case <-ctx.Done():
	case <-ended:
		within(3*endTime, ctx.Done())
		cancel()
	}
	within(2*endTime, over) // a client that does not read would keep it for ever
	return <-failed
}

// stay follows no redirect: net/http would make a GET of a message, and has sent
// the token to the first address anyway.
func stay(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// within waits for done, and no longer than d.
func within(d time.Duration, done <-chan struct{}) {
	select {
	case <-done:
	case <-time.After(d):
	}
}

// serve carries messages until there are no more or ctx ends, and takes back what
// still waits.
func (p *proxy) serve(ctx context.Context, lines <-chan []byte) {
	for open := true; open; {
		select {
		case line, ok := <-lines:
			if open = ok; ok {
				p.take(ctx, line)
			} else {
				p.settle(ctx)
			}
		case <-ctx.Done():
			open = false
		}
	}
	p.end(context.WithoutCancel(ctx))
}

// read hands over the lines of the pipe, and says when it ended and whether it
// broke. A pipe that nobody closes is left behind when ctx ends: reading cannot be
// stopped.
func (p *proxy) read(ctx context.Context, in io.Reader) (_ <-chan []byte, ended <-chan struct{}, _ <-chan error) {
	lines, over, failed := make(chan []byte), make(chan struct{}), make(chan error, 1)
	go func() {
		defer close(over)
		defer close(lines)
		r := bufio.NewReaderSize(in, 64<<10)
		for {
			line, err := readLine(r)
			if errors.Is(err, errTooLong) {
				p.refuse(nil, codeInvalid, "the message is longer than 256 KiB")
				continue
			}
			if len(line) > 0 {
				select {
				case lines <- line:
				case <-ctx.Done():
					failed <- nil
					return
				}
			}
			if err != nil {
				if errors.Is(err, io.EOF) {
					err = nil
				}
				failed <- err
				return
			}
		}
	}()
	go func() {
		<-ctx.Done()
		select {
		case failed <- nil: // the reader may be stuck in the pipe for ever
		default:
		}
	}()
	return lines, over, failed
}

var errTooLong = errors.New("the line is too long")

// readLine reads one line without its end. One that is too long is skipped.
func readLine(r *bufio.Reader) ([]byte, error) {
	var line []byte
	tooLong := false
	for {
		part, err := r.ReadSlice('\n')
		if !tooLong {
			line = append(line, part...)
		}
		if len(line) > MaxMessage {
			line, tooLong = nil, true
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if tooLong {
			return nil, errTooLong
		}
		return []byte(strings.TrimRight(string(line), "\r\n")), err
	}
}

// take passes one message on. It returns once the gateway has a request, so
// that messages arrive in the order they were sent.
func (p *proxy) take(ctx context.Context, line []byte) {
	tree, err := wire.Parse(line)
	if err != nil {
		p.refuse(nil, codeParse, "the message is not strict JSON: "+err.Error())
		return
	}
	m, ok := readMessage(tree, line)
	if !ok {
		p.refuse(nil, codeInvalid, "the message is not one JSON-RPC message")
		return
	}
	switch {
	case m.method == methodCancelled:
		p.work.Go(func() { p.cancel(ctx, m) })
	case m.id == nil:
		p.notify(ctx, m)
	default:
		own, stop := context.WithCancel(ctx)
		f := p.flights.begin(m, stop)
		p.work.Go(func() {
			defer stop()
			p.request(own, m, f)
		})
		passed := f.sent
		if m.method == methodInitialize {
			passed = f.done // all that follows belongs to the session it opens
		}
		select {
		case <-passed:
		case <-ctx.Done():
		}
	}
}

// notify passes a notification, or an answer, on.
func (p *proxy) notify(ctx context.Context, m message) {
	resp, err := p.post(ctx, m, nil)
	if err != nil {
		p.log.Warn("a notification did not reach the gateway", "method", m.method, "err", err)
		return
	}
	resp.Body.Close()
	if m.method == methodInitialized {
		p.session.greeted(m)
		p.hearing.Do(func() { p.work.Go(func() { p.hear(ctx) }) })
	}
}

// cancel passes a cancellation on once the gateway has begun with the call it
// is about: before that it would find nothing to cancel. Without sessions the
// end of the call's stream is what says so (MCP 2026-07-28).
func (p *proxy) cancel(ctx context.Context, m message) {
	if f := p.flights.find(m.cancels); f != nil {
		if f.stateless {
			f.stop()
			return
		}
		select {
		case <-f.begun:
		case <-f.done:
			return
		case <-ctx.Done():
			return
		}
	}
	if p.session.name() != "" { // else there is nobody to tell
		p.notify(ctx, m)
	}
}

// settle lets the requests under way be answered that are answered at once: a
// client may well say all it has to say and close the pipe. Those that wait for
// a person do not count.
func (p *proxy) settle(ctx context.Context) {
	over := time.After(endTime)
	for _, f := range p.flights.list() {
		select {
		case <-f.done:
		case <-f.waits:
		case <-over:
			return
		case <-ctx.Done():
			return
		}
	}
}

// end takes back everything that still waits: the session's end does, for all
// calls of it.
func (p *proxy) end(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, endTime)
	defer cancel()
	id := p.session.name()
	if id == "" {
		return
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodDelete, p.endpoint, nil)
	if err != nil {
		return
	}
	p.session.label(r.Header, p.token)
	resp, err := p.http.Do(r)
	if err != nil {
		p.log.Warn("the session could not be ended; its calls are taken back when the gateway notices", "err", err)
		return
	}
	resp.Body.Close()
}

// write puts one message on the pipe.
func (p *proxy) write(message []byte) {
	p.outMu.Lock()
	defer p.outMu.Unlock()
	if _, err := p.out.Write(append(message, '\n')); err != nil {
		p.log.Warn("the client does not read", "err", err)
	}
}
