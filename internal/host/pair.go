package host

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"nod.dev/nod"
	"nod.dev/nod/internal/auth"
	"nod.dev/nod/internal/wire"
)

// PairOption changes how [Pair] goes about it.
type PairOption func(*pairing)

// WithDigits is told the six digits that this phone and the one that approves
// it must both show.
func WithDigits(show func(digits string)) PairOption {
	return func(p *pairing) { p.digits = show }
}

// WithClient pairs by another HTTP client than the default one.
func WithClient(c *http.Client) PairOption {
	return func(p *pairing) { p.client = c }
}

// WithPlainHTTP allows http to another machine, where anyone on the way can
// read what is asked and answered, though not change it.
func WithPlainHTTP() PairOption {
	return func(p *pairing) { p.plain = true }
}

// pairing is one phone on its way to being paired.
type pairing struct {
	client *http.Client
	digits func(string)
	plain  bool

	base    string
	secret  []byte
	key     *wire.Key
	request auth.PairRequest
	reply   auth.PairReply
}

// Pair makes this program a phone of the person who made the link: it proves
// that it knows the link's secret, has the gateway prove the same, pins the
// gateway's key, and writes identity and journal into dir. A person's first
// phone approves itself; any other waits for the yes of one that is paired.
func Pair(ctx context.Context, link, name string, host nod.Host, dir string, options ...PairOption) (*Identity, error) {
	p := &pairing{client: http.DefaultClient}
	for _, o := range options {
		o(p)
	}
	var err error
	if p.base, p.secret, err = auth.ParsePairLink(link); err != nil {
		return nil, err
	}
	if err := p.mayUse(p.base); err != nil {
		return nil, err
	}
	if err := freeFolder(dir); err != nil {
		return nil, err
	}
	if p.key, err = wire.GenerateKey(); err != nil {
		return nil, err
	}
	if p.request, err = auth.NewPairRequest(p.secret, p.key.Public(), name, host); err != nil {
		return nil, err
	}
	if err := p.post(ctx, "/pair", p.request, &p.reply); err != nil {
		return nil, err
	}
	if err := p.reply.Check(p.secret, p.request); err != nil {
		return nil, err
	}
	if err := p.approve(ctx); err != nil {
		return nil, err
	}
	return p.settle(dir)
}

// mayUse refuses plain HTTP beyond this machine.
func (p *pairing) mayUse(base string) error {
	u, err := url.Parse(base)
	if err != nil {
		return err
	}
	host := u.Hostname()
	ip := net.ParseIP(host)
	local := host == "localhost" || strings.HasSuffix(host, ".localhost") || (ip != nil && ip.IsLoopback())
	if u.Scheme == "https" || local || p.plain {
		return nil
	}
	return nod.Errorf(nod.CodeForbidden, "the link leads to "+host+" over plain http, where others can read along",
		"use an https address (tailscale serve, a reverse proxy), or allow plain http on purpose")
}

// freeFolder makes dir and sees that no phone is in it.
func freeFolder(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return identityError(dir, err)
	}
	for _, name := range []string{identityName, journalName} {
		if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
			return nod.Errorf(nod.CodeConflict, "a phone was paired into "+dir+" before",
				"run it, choose another folder, or remove this one: its key and its memory go together")
		}
	}
	probe, err := os.CreateTemp(dir, "probe")
	if err != nil {
		return identityError(dir, err)
	}
	return errors.Join(probe.Close(), os.Remove(probe.Name()))
}

// approve signs the phone's own record where it is the first, and else waits
// for another phone to sign one.
func (p *pairing) approve(ctx context.Context) error {
	if !p.reply.First {
		return p.wait(ctx)
	}
	record, err := wire.Sign(p.key, wire.RecordPhone, wire.PhoneBody{
		Phone: p.reply.Phone, Person: p.reply.Person, Name: p.request.Name, Host: p.request.Host,
		Key: p.request.Key, Signer: p.reply.Phone,
	})
	if err != nil {
		return err
	}
	return p.post(ctx, "/pair/record", auth.RecordRequest{ID: p.request.ID, Record: record}, nil)
}

// wait shows the digits and asks until somebody decided.
func (p *pairing) wait(ctx context.Context) error {
	digits, err := auth.Digits(p.request, p.reply)
	if err != nil {
		return err
	}
	if p.digits != nil {
		p.digits(digits)
	}
	for {
		var answer auth.PairWait
		err := p.get(ctx, "/pair/wait?id="+url.QueryEscape(p.request.ID), &answer)
		if err != nil && (ctx.Err() != nil || !temporary(err)) {
			return err
		}
		switch answer.State {
		case auth.PairApproved:
			return nil
		case auth.PairRejected:
			return nod.Errorf(nod.CodeForbidden, "another phone said no to this one", `make a new link with "nod pair" to try again`)
		case auth.PairExpired:
			return nod.Errorf(nod.CodeForbidden, "nobody approved this phone in time", `make a new link with "nod pair" and approve it on a phone that is paired`)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Second):
		}
	}
}

// settle writes key and journal, which live and die together.
func (p *pairing) settle(dir string) (*Identity, error) {
	der, err := p.key.Marshal()
	if err != nil {
		return nil, err
	}
	id := &Identity{
		Version: identityVersion, Phone: p.reply.Phone, Name: p.request.Name, Host: p.request.Host,
		Person: p.reply.Person, PersonName: p.reply.PersonName,
		Gateway: p.base, GatewayKey: p.reply.GatewayKey, Key: wire.Encode64(der),
	}
	journal, err := CreateFile(dir, id.Phone)
	if err != nil {
		return nil, err
	}
	if err := journal.Close(); err != nil {
		return nil, err
	}
	if err := id.save(dir); err != nil {
		return nil, errors.Join(err, os.Remove(filepath.Join(dir, journalName)))
	}
	return id, nil
}

func (p *pairing) post(ctx context.Context, path string, body, into any) error {
	data, err := json.Marshal(body)
	if err != nil {
		return err
	}
	return p.do(ctx, http.MethodPost, path, bytes.NewReader(data), into)
}

func (p *pairing) get(ctx context.Context, path string, into any) error {
	return p.do(ctx, http.MethodGet, path, nil, into)
}

// do sends one request. What the gateway says of an error is passed on.
func (p *pairing) do(ctx context.Context, method, path string, body io.Reader, into any) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, method, p.base+path, body)
	if err != nil {
		return err
	}
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	resp, err := p.client.Do(r)
	if err != nil {
		return &unreachable{fmt.Errorf("the gateway at %s does not answer: %w", p.base, err)}
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(io.LimitReader(resp.Body, wire.MaxFrame))
	if err != nil {
		return &unreachable{err}
	}
	if resp.StatusCode/100 != 2 {
		return p.refused(resp.StatusCode, data)
	}
	if into == nil {
		return nil
	}
	return wire.Decode(data, into)
}

// unreachable is an error that another try may not meet.
type unreachable struct{ error }

func (e *unreachable) Unwrap() error { return e.error }

func temporary(err error) bool {
	var u *unreachable
	return errors.As(err, &u)
}

// refused reads the gateway's error, which is an object with code, message and hint.
func (p *pairing) refused(status int, data []byte) error {
	type said struct {
		Code    nod.Code `json:"code"`
		Message string   `json:"message"`
		Hint    string   `json:"hint"`
	}
	var body struct {
		Error said `json:"error"`
		said
	}
	if err := json.Unmarshal(data, &body); err == nil {
		e := body.Error
		if e.Message == "" {
			e = body.said
		}
		if e.Message != "" {
			return nod.Errorf(e.Code, e.Message, e.Hint)
		}
	}
	err := nod.Errorf(nod.CodeInvalid, fmt.Sprintf("the gateway at %s answered %d", p.base, status), "see that the link is a nod gateway's")
	if status >= 500 {
		return &unreachable{err}
	}
	return err
}
