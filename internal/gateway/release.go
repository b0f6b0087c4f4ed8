package gateway

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"nod.dev/nod"
	"nod.dev/nod/internal/call"
	"nod.dev/nod/internal/store"
	"nod.dev/nod/internal/wire"
)

// logTaint is the kind of the log entry about an agent that is given private data.
const logTaint = "taint.set"

// Released is what a phone read, on its way to the agent that asked.
type Released struct {
	// Text is a JSON object: data that came from the phone, never instructions.
	Text  string
	Blobs []ReleasedBlob
	// Gone is true when it was erased meanwhile, and nothing is handed out.
	Gone bool
}

// ReleasedBlob is a file that came with a result.
type ReleasedBlob struct {
	Bytes         []byte
	Mime          string
	Name          string
	Path          string // where it is kept for the person
	Width, Height int64
}

// Release commits that an agent is given what the phone read, and then returns
// it. It is the only way to it: for the call that waits, for one that asks later
// and for one that is answered again. Private data taints its agent. It refuses,
// in words, whoever may not be given it any more.
func (g *Gateway) Release(ctx context.Context, agent nod.AgentID, id nod.CallID) (Released, error) {
	return g.release(ctx, agent, id, -1)
}

// ReleaseFile is [Gateway.Release] of the nth file alone, from 0: the only one of
// Blobs, or none where there is no such file.
func (g *Gateway) ReleaseFile(ctx context.Context, agent nod.AgentID, id nod.CallID, n int) (Released, error) {
	return g.release(ctx, agent, id, max(n, 0))
}

// release hands out everything, or the text and one file.
func (g *Gateway) release(ctx context.Context, agent nod.AgentID, id nod.CallID, only int) (Released, error) {
	c, err := g.Call(ctx, agent, id)
	if err != nil {
		return Released{}, err
	}
	if !c.Data {
		return Released{}, noData(id)
	}
	held, err := g.cfg.Ledger.Private(ctx, id)
	gone := errors.Is(err, store.ErrGone)
	if err != nil && !gone {
		return Released{}, err
	}
	gone = gone || late(c, g.clock.now()) // and not erased yet
	err = g.turn(ctx, func(t *Turn) error {
		if err := g.remember(ctx, t, id); err != nil {
			return err
		}
		if gone {
			_, _, err := t.mayRelease(agent, id)
			return err
		}
		return t.Release(agent, id)
	})
	if err != nil || gone {
		return Released{Gone: gone && err == nil}, err
	}
	r, err := g.handOut(ctx, c, held, only)
	if err == nil {
		err = g.stillMay(agent, id)
	}
	if err != nil {
		return Released{}, err
	}
	return r, nil
}

// stillMay looks once more before the bytes leave: who stopped the agent while they
// were fetched is heard.
func (g *Gateway) stillMay(agent nod.AgentID, id nod.CallID) error {
	g.mu.RLock()
	defer g.mu.RUnlock()
	_, _, err := g.core.Begin(g.clock.now()).mayRelease(agent, id)
	if nod.CodeOf(err) == nod.CodeForbidden {
		return err
	}
	return nil
}

// remember puts a call that left memory long ago back into it, for a turn that is
// about it.
func (g *Gateway) remember(ctx context.Context, t *Turn, id nod.CallID) error {
	if _, ok := t.call(id); ok {
		return nil
	}
	c, err := g.cfg.Ledger.Call(ctx, id)
	if err != nil {
		return unread(id, err)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.core.keep(c)
	return nil
}

// Release lets what a call's result brought leave for its agent: what is private
// taints it.
func (t *Turn) Release(agent nod.AgentID, id nod.CallID) error {
	c, a, err := t.mayRelease(agent, id)
	if err != nil {
		return err
	}
	if tool, _ := t.core.spec.Tool(c.Tool); tool.Private {
		t.taint(a, c)
	}
	t.step(c, call.Event{Kind: call.Release})
	return nil
}

// mayRelease returns a call that brought data and its agent, if that agent may be
// given it now.
func (t *Turn) mayRelease(agent nod.AgentID, id nod.CallID) (nod.Call, nod.Agent, error) {
	c, err := t.own(agent, id)
	if err != nil {
		return c, nod.Agent{}, err
	}
	if !c.Data {
		return c, nod.Agent{}, noData(id)
	}
	a, _ := t.agent(agent)
	p, _ := t.person(c.Person)
	tool, _ := t.core.spec.Tool(c.Tool)
	switch {
	case a.Revoked != 0:
		err = withheld("the person removed this agent", "do not call again: this agent cannot ask any more")
	case p.PausedAll:
		err = withheld("the person paused all agents", "do not ask for it before they say that they resumed them on the phone")
	case a.Paused:
		err = withheld("the person paused this agent", "do not ask for it before they say that they resumed it on the phone")
	case t.core.wentBack(c.Person):
		err = withheld("nod was restored from a copy", "tell the person: once they accept it on the phone, ask again")
	case a.Access.State(c.App, c.Kind, tool.Private) == nod.AccessOff:
		err = withheld("the person switched it off for this agent", "do not ask for it again unless they say that it is on")
	}
	return c, a, err
}

func withheld(because, next string) error {
	return nod.Errorf(nod.CodeForbidden, because+" after the phone read this, so it is not handed out", next)
}

func noData(id nod.CallID) error {
	return nod.Errorf(nod.CodeNotFound, "the call "+clip(string(id), 60)+" brought no data", "its text says how it ended")
}

// taint notes that an agent is given private data: what it sends out asks again
// for a day, with a badge that says why.
func (t *Turn) taint(a nod.Agent, c nod.Call) {
	if !slices.Contains(a.Tainted(t.now), c.App) {
		t.log(logTaint, c, map[string]string{"app": c.App}, nil)
	} else if c.Released != 0 {
		return // it has it already, and is marked for it
	}
	apps := map[string]nod.Time{c.App: t.now}
	for _, app := range a.Tainted(t.now) {
		if app != c.App {
			apps[app] = a.Taint[app]
		}
	}
	a.Taint = apps
	t.agents[a.ID] = a
}

// handOut makes what an agent is given of what was committed to be given.
func (g *Gateway) handOut(ctx context.Context, c nod.Call, held store.Private, only int) (Released, error) {
	r := resultOf(c)
	if r.Data != nil && r.Data.Check(held.Text, held.Salt) != nil {
		return Released{Gone: true}, nil // not what was signed: the file was changed
	}
	if len(r.Blobs) == 0 {
		return Released{Text: held.Text}, nil
	}
	files := make([]ReleasedBlob, 0, len(r.Blobs))
	for n, b := range r.Blobs {
		if only >= 0 && n != only {
			continue
		}
		data, err := g.cfg.Ledger.Blob(ctx, c.ID, n)
		if errors.Is(err, store.ErrGone) || err == nil && b.Check(data) != nil {
			return Released{Gone: true}, nil
		}
		if err != nil {
			return Released{}, err
		}
		name := fileName(c.ID, n, b)
		path, err := g.cfg.Ledger.KeepAttachment(ctx, c.Ended, name, data)
		if err != nil {
			return Released{}, err
		}
		files = append(files, ReleasedBlob{Bytes: data, Mime: b.Mime, Name: name, Path: path, Width: b.Width, Height: b.Height})
	}
	text := held.Text
	if text == "" && only < 0 {
		text = filesText(files)
	}
	return Released{Text: text, Blobs: files}, nil
}

// filesText says of the files of a result what the agent needs to know.
func filesText(files []ReleasedBlob) string {
	type file struct {
		Path   string `json:"path"`
		Name   string `json:"name"`
		Mime   string `json:"mime"`
		Bytes  int    `json:"bytes"`
		Width  int64  `json:"width"`
		Height int64  `json:"height"`
	}
	list := make([]file, len(files))
	for i, f := range files {
		list[i] = file{f.Path, f.Name, f.Mime, len(f.Bytes), f.Width, f.Height}
	}
	return string(jsonOf(struct {
		Count int    `json:"count"`
		Files []file `json:"files"`
	}{len(list), list}))
}

// fileName is under which name a file is kept: the same whenever it is handed out
// again, and nothing that a phone could have it be.
func fileName(id nod.CallID, n int, b wire.Blob) string {
	ending := map[string]string{"image/jpeg": "jpg", "image/png": "png", "image/webp": "webp"}[b.Mime]
	_, random, _ := strings.Cut(string(id), "_")
	return fmt.Sprintf("photo-%s-%d.%s", strings.ToLower(random[:min(len(random), 12)]), n+1, ending)
}

// resultOf reads back the result that ended a call.
func resultOf(c nod.Call) (body wire.ResultBody) {
	var signed wire.Signed
	if len(c.Result) == 0 || wire.Decode(c.Result, &signed) != nil || wire.Decode([]byte(signed.Body), &body) != nil {
		return wire.ResultBody{}
	}
	return body
}
