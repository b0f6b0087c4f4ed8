package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"nod.dev/nod"
	"nod.dev/nod/client"
	"nod.dev/nod/spec"
)

var (
	kills    = flag.Int("kills", 0, "how often TestKilled kills a program; 0 for 32, and fewer on a busy machine")
	killSeed = flag.Uint64("killseed", 1, "what TestKilled draws from")
)

// TestKilled runs a gateway and a simulated phone as programs of their own and
// kills them again and again, at random and on cue, while agents ask. Then it
// compares what the agents were told with what the phone did and with the log.
//
// The phone's log is the witness. It writes "carrying out" between the record
// that an action is armed and the action itself: what it did not write it did
// not do.
func TestKilled(t *testing.T) {
	h := newKillHouse(t, *killSeed)
	var agents sync.WaitGroup
	over, told := make(chan struct{}), make(chan struct{})
	for n := range 6 {
		agents.Go(func() { h.ask(n, over) })
	}
	go func() {
		agents.Wait()
		close(told)
	}()
	for began := time.Now(); !h.enough(time.Since(began)); {
		h.killOne()
		if time.Since(began) > killTime && !h.happened() {
			h.calm()
		}
	}
	close(over)
	select {
	case <-told:
	case <-time.After(time.Minute):
		t.Fatal("agents were not told how their calls ended")
	}
	h.await("every call to end", h.settled)
	h.judge()
}

// agent adds an agent, or is nil while no gateway is there.
func (h *killHouse) agent(name string) *client.Client {
	a, err := h.console.AddAgent(context.Background(), client.AgentRequest{Name: name})
	if err != nil {
		return nil
	}
	c, err := client.New(client.Config{URL: "http://" + h.address, Token: a.Token})
	if err != nil {
		h.t.Error(err)
	}
	return c
}

// ask calls until it is over. Each agent has a few calls only, since what one
// may ask is bounded.
func (h *killHouse) ask(n int, over <-chan struct{}) {
	draw := rand.New(rand.NewPCG(h.seed, uint64(n+1)))
	var agent *client.Client
	for call := 0; ; call++ {
		select {
		case <-over:
			return
		default:
		}
		if agent == nil || call%9 == 0 {
			if agent = h.agent(fmt.Sprint("agent ", n, " ", call)); agent == nil {
				<-time.After(20 * time.Millisecond) // the gateway is not there
				continue
			}
		}
		h.hear(agent, draw, n*1000+call+1)
	}
}

// hear sends one call and keeps what the agent is told.
func (h *killHouse) hear(agent *client.Client, draw *rand.Rand, seconds int) {
	ctx := context.Background()
	arguments, _ := json.Marshal(map[string]any{"action": "timer", "seconds": seconds})
	q := client.Request{Tool: spec.ToolPhoneAction, Arguments: arguments, WaitSeconds: 3, Detached: draw.IntN(3) == 0}
	if draw.IntN(6) == 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Duration(draw.IntN(200))*time.Millisecond)
		defer cancel()
	}
	call, err := agent.Do(ctx, q)
	if err != nil || call.Outcome == nod.Unavailable {
		<-time.After(50 * time.Millisecond) // the phone is on its way back
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if !call.Ended() {
		h.untold = append(h.untold, err)
	} else {
		h.told[call.ID] = call
	}
}

// judge compares what agents were told, what the phone did and what the log says.
func (h *killHouse) judge() {
	t := h.t
	l := h.log()
	report, err := h.console.Verify(t.Context(), "")
	if err != nil || !report.OK || int(report.Entries) != l.entries {
		t.Errorf("the log does not verify: %v, %v, %d entries of %d", report.Problems, err, report.Entries, l.entries)
	}
	if !h.happened() {
		t.Error("too little happened between the kills")
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	outcomes := map[nod.Outcome]int{}
	for id, told := range h.told {
		outcomes[told.Outcome]++
		if ends := l.ends[id]; len(ends) != 1 || ends[0] != told.Outcome {
			t.Errorf("%s: told %s, and the log says it ended %v", id, told.Outcome, ends)
		}
		if strings.Contains(told.Text, "Nothing was done") && h.did[id] > 0 {
			t.Errorf("%s was carried out, and the agent was told %q", id, told.Text)
		}
		if (told.Outcome == nod.Done || told.Outcome == nod.Opened) && h.did[id] != 1 {
			t.Errorf("%s was carried out %d times, and the agent was told %q", id, h.did[id], told.Text)
		}
	}
	for id, n := range h.did {
		if n > 1 || l.goes[id] != 1 {
			t.Errorf("%s was carried out %d times after %d goes", id, n, l.goes[id])
		}
	}
	t.Logf("seed %d, %d kills: %v", h.seed, h.kills, h.struck)
	t.Logf("%d calls told: %v; of %d the agent heard no end: %v", len(h.told), outcomes, len(h.untold), h.untold)
	t.Logf("%d carried out; %d entries in the log, %d signatures in it hold", len(h.did), report.Entries, report.Signatures)
}

// logged is what the log says of the calls.
type logged struct {
	entries int
	offered map[nod.CallID]bool
	goes    map[nod.CallID]int
	ends    map[nod.CallID][]nod.Outcome
}

func (h *killHouse) log() logged {
	l := logged{offered: map[nod.CallID]bool{}, goes: map[nod.CallID]int{}, ends: map[nod.CallID][]nod.Outcome{}}
	for q := (client.LogQuery{From: 1, Limit: 1000}); ; {
		page, err := h.console.Log(h.t.Context(), q)
		if err != nil {
			h.t.Fatal(err)
		}
		for _, e := range page.Entries {
			l.entries++
			switch outcome := nod.Outcome(e.Facts["outcome"]); {
			case e.Kind == "call.go":
				l.goes[e.Call]++
			case e.Kind == "call.offered":
				l.offered[e.Call] = true
			case e.Call != "" && outcome != "" && e.Kind != "call.replayed":
				l.ends[e.Call] = append(l.ends[e.Call], outcome)
			}
		}
		if len(page.Entries) == 0 {
			return l
		}
		q.From = page.Next
	}
}

// settled reports whether every call has its end.
func (h *killHouse) settled() bool {
	l := h.log()
	for id := range l.offered {
		if len(l.ends[id]) == 0 {
			return false
		}
	}
	return true
}
