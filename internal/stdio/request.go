package stdio

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"strings"

	"nod.dev/nod/internal/wire"
	"nod.dev/nod/spec"
)

// maxAnswer bounds what is read of one answer that is no stream.
const maxAnswer = 4 << 20

// request passes a request on and carries everything that comes back for it.
func (p *proxy) request(ctx context.Context, m message, f *flight) {
	defer p.flights.end(m, f)
	resp, err := p.exchange(ctx, m, f)
	switch {
	case ctx.Err() != nil && err != nil:
		return // the client is gone too
	case err != nil && f.written.Load():
		p.log.Warn("the gateway went away", "err", err)
		p.lost(m) // it may have got as far as the phone
		return
	case err != nil:
		p.away(m, err)
		return
	}
	defer resp.Body.Close()
	f.hasBegun()
	if m.method == methodListen {
		f.nowWaits() // it has no end of its own
	}
	if m.method == methodInitialize {
		p.session.begun(m, resp.Header.Get("Mcp-Session-Id"))
	}
	answered, err := p.carry(resp, m, f)
	if err != nil && ctx.Err() == nil {
		p.log.Warn("an answer broke off", "method", m.method, "err", err)
	}
	if !answered && ctx.Err() == nil {
		p.lost(m)
	}
}

// exchange sends a request. A session that the gateway does not know any more is
// begun anew, once.
func (p *proxy) exchange(ctx context.Context, m message, f *flight) (*http.Response, error) {
	session := p.session.name()
	resp, err := p.post(ctx, m, f)
	if err != nil || resp.StatusCode != http.StatusNotFound || session == "" || m.method == methodInitialize || m.stateless() {
		return resp, err
	}
	if err := p.greet(ctx, session); err != nil {
		p.log.Warn("the session could not be begun anew", "err", err)
		return resp, nil
	}
	resp.Body.Close()
	return p.post(ctx, m, f)
}

// post sends one message, and has its flight, if it is one of a request, know
// once it was written.
func (p *proxy) post(ctx context.Context, m message, f *flight) (*http.Response, error) {
	if f != nil {
		ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{WroteRequest: func(w httptrace.WroteRequestInfo) {
			if w.Err == nil {
				f.written.Store(true)
			}
			f.wasSent()
		}})
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, p.endpoint, bytes.NewReader(m.raw))
	if err != nil {
		return nil, err
	}
	p.session.label(r.Header, p.token)
	labelMessage(r.Header, m)
	return p.http.Do(r)
}

// greet begins the session anew, as the client once did, unless another request
// did meanwhile: what is said later of either has to reach the session it is in.
// Until there is a new one the old one stays, and whoever uses it comes here.
func (p *proxy) greet(ctx context.Context, old string) error {
	p.greeting.Lock()
	defer p.greeting.Unlock()
	if p.session.name() != old {
		return nil
	}
	initialize, initialized, ok := p.session.opened()
	if !ok {
		return errors.New("the client never began one")
	}
	resp, err := p.post(ctx, initialize, nil)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("the gateway answered %s", resp.Status)
	}
	p.session.begun(initialize, resp.Header.Get("Mcp-Session-Id"))
	err = events(resp.Body, p.session.agreed, func() {})
	if err != nil || initialized.raw == nil {
		return err
	}
	resp2, err := p.post(ctx, initialized, nil)
	if err != nil {
		return err
	}
	return resp2.Body.Close()
}

// carry writes every message of an answer to the pipe and reports whether the
// request's own was among them.
func (p *proxy) carry(resp *http.Response, m message, f *flight) (answered bool, err error) {
	pass := func(data []byte) {
		if isAnswer(data, m) {
			answered = true
			if m.method == methodInitialize {
				p.session.agreed(data)
			}
		}
		p.write(flat(data))
	}
	media, _, _ := strings.Cut(resp.Header.Get("Content-Type"), ";")
	if resp.StatusCode == http.StatusOK && media == "text/event-stream" {
		err = events(resp.Body, pass, f.nowWaits)
		return answered, err
	}
	b, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return false, err
	}
	if isAnswer(b, m) {
		pass(b)
	} else {
		p.refused(resp, b, m)
	}
	return true, nil
}

// refused answers a request that the gateway did not take as MCP: a token that
// is not known, a rate, a session of somebody else.
func (p *proxy) refused(resp *http.Response, body []byte, m message) {
	var problem struct {
		Error struct {
			Message string `json:"message"`
			Hint    string `json:"hint"`
		} `json:"error"`
	}
	text := strings.TrimSpace(string(body[:min(len(body), 200)]))
	if json.Unmarshal(body, &problem) == nil && problem.Error.Message != "" {
		text = problem.Error.Message
		if problem.Error.Hint != "" {
			text += "; " + problem.Error.Hint
		}
	}
	if to, err := resp.Location(); err == nil && resp.StatusCode < 400 {
		text = fmt.Sprintf("the gateway's address leads to %s://%s; name that one with --url or NOD_URL", to.Scheme, to.Host)
	}
	if text == "" {
		text = resp.Status
	}
	if m.method == methodCall {
		text = p.spec.Text(spec.TextBroken, map[string]string{"reason": text})
	}
	p.fail(m, text)
}

// away answers a request that never reached the gateway.
func (p *proxy) away(m message, err error) {
	p.log.Warn("the gateway does not answer", "err", err)
	p.fail(m, p.spec.Text(spec.TextNoGateway, nil))
}

// lost answers a request whose answer broke off.
func (p *proxy) lost(m message) {
	p.fail(m, p.spec.Text(spec.TextLost, nil))
}

// fail says why there is no answer: a model hears it as what its call came to.
func (p *proxy) fail(m message, text string) {
	if m.method == methodCall {
		p.say(m.id, text)
		return
	}
	p.refuse(m.id, codeInternal, text)
}

// isAnswer reports whether data is the answer to m.
func isAnswer(data []byte, m message) bool {
	tree, err := wire.Parse(data)
	if err != nil {
		return false
	}
	answer, ok := tree.(map[string]any)
	if !ok || answer["method"] != nil || answer["jsonrpc"] == nil {
		return false
	}
	var outer map[string]json.RawMessage
	return json.Unmarshal(data, &outer) == nil && key(outer["id"]) == key(m.id)
}

// events reads server-sent events and hands over the data of each. A comment
// says nothing but that the other side is there, and waits.
func events(r io.Reader, each func(data []byte), comment func()) error {
	in := bufio.NewReaderSize(r, 64<<10)
	var data []byte
	for {
		line, err := in.ReadBytes('\n')
		line = bytes.TrimRight(line, "\r\n")
		switch {
		case bytes.HasPrefix(line, []byte(":")):
			comment()
		case bytes.HasPrefix(line, []byte("data:")):
			part := bytes.TrimPrefix(bytes.TrimPrefix(line, []byte("data:")), []byte(" "))
			if data != nil {
				data = append(data, '\n')
			}
			data = append(data, part...)
		case len(line) == 0 && len(data) > 0:
			each(data)
			data = nil
		}
		if err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
	}
}
