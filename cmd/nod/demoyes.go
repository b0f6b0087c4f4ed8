package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"nod.dev/nod"
	"nod.dev/nod/client"
	"nod.dev/nod/internal/host"
	"nod.dev/nod/internal/host/sim"
	"nod.dev/nod/spec"
)

// demoCall is one call of "nod demo --yes", and how it must end.
type demoCall struct {
	agent     int // which of the demo's agents asks: no agent may put up too many cards
	want      nod.Outcome
	tool      string // phone_action where it is empty
	arguments string
	wait      int  // the card waits so many seconds; 0 for the person's setting
	takeBack  bool // the agent takes it back
}

// endings are one call of each outcome but answered, which only asks have. The
// person's script and the phone's faults below make them end so.
var endings = []demoCall{
	{agent: 0, want: nod.Unknown, arguments: `{"action": "open_app", "app": "Camera"}`},
	{agent: 0, want: nod.Unseen, arguments: `{"action": "torch", "on": true}`, wait: 1},
	{agent: 0, want: nod.Expired, arguments: `{"action": "media", "command": "play"}`, wait: 1},
	{agent: 0, want: nod.Declined, arguments: `{"action": "dial", "number": "+351 21 123 4567"}`},
	{agent: 0, want: nod.Withdrawn, arguments: `{"action": "timer", "seconds": 600}`, takeBack: true},
	{agent: 0, want: nod.Failed, arguments: `{"action": "calendar_event", "title": "Lunch", "start": "2027-02-30T12:30"}`},
	{agent: 0, want: nod.Refused, arguments: `{"action": "add_stop"}`},
	{agent: 1, want: nod.Denied, arguments: `{"action": "alarm", "time": "07:30"}`},
}

// actions are one call of each action, confirmed.
var actions = []demoCall{
	{agent: 2, want: nod.Done, arguments: `{"action": "navigate", "destination": {"query": "Lisboa Oriente"}, "stops": [{"query": "Miradouro da Graça"}], "mode": "walk"}`},
	{agent: 2, want: nod.Done, arguments: `{"action": "add_stop", "stop": {"query": "Pastelaria"}, "destination": {"query": "Lisboa Oriente"}}`},
	{agent: 2, want: nod.Opened, arguments: `{"action": "search_nearby", "query": "pharmacy"}`},
	{agent: 2, want: nod.Done, arguments: `{"action": "stop_navigation"}`},
	{agent: 2, want: nod.Done, arguments: `{"action": "alarm", "time": "07:30", "days": ["mon", "tue"]}`},
	{agent: 2, want: nod.Done, arguments: `{"action": "timer", "seconds": 300, "label": "Tea"}`},
	{agent: 2, want: nod.Opened, arguments: `{"action": "calendar_event", "title": "Lunch with Ana", "start": "2027-03-01T12:30"}`},
	{agent: 2, want: nod.Opened, arguments: `{"action": "sms_draft", "to": ["+351912345678"], "text": "On my way"}`},
	{agent: 3, want: nod.Opened, arguments: `{"action": "email_draft", "to": ["ana@example.org"], "subject": "Lunch"}`},
	{agent: 3, want: nod.Opened, arguments: `{"action": "dial", "number": "+351 21 123 4567"}`},
	{agent: 3, want: nod.Opened, arguments: `{"action": "open_app", "app": "Music"}`},
	{agent: 3, want: nod.Opened, arguments: `{"action": "open_url", "url": "https://example.org/menu"}`},
	{agent: 3, want: nod.Done, arguments: `{"action": "media", "command": "play"}`},
	{agent: 3, want: nod.Done, arguments: `{"action": "torch", "on": true}`},
	{agent: 3, want: nod.Opened, arguments: `{"action": "settings_panel", "panel": "wifi"}`},
	{agent: 3, want: nod.Done, arguments: `{"action": "automation_intent", "name": "Lights", "app": "Tasker"}`},
}

// reads are what an agent is told of the phone. Nobody is asked for the time;
// the calendar was switched on when the agent was added, and has a card.
var reads = []demoCall{
	{agent: 4, want: nod.Done, tool: spec.ToolPhoneNow},
	{agent: 4, want: nod.Done, tool: spec.ToolCalendarList, arguments: `{"query": "dentist"}`},
	{agent: 4, want: nod.Done, tool: spec.ToolPhotoPick},
}

const (
	// demoScript is what the person does: the first torch, media and timer cards
	// are ignored, the first dial is declined, all else is confirmed.
	demoScript = "torch=ignore,torch=confirm,media=ignore,media=confirm,timer=ignore,timer=confirm," +
		"dial=decline:not now,dial=confirm,confirm"
	// demoFaults are what breaks: the phone dies right after it begins the first
	// action, and the word that the second card is on the screen is lost.
	demoFaults = "kill:armed,drop:shown@2"
)

// demoRow is one line of the demo's table.
type demoRow struct {
	Call    string      `json:"call"`
	Outcome nod.Outcome `json:"outcome"`
	Want    nod.Outcome `json:"want"`
	Text    string      `json:"text"`
	// Data is what the phone read, part of Text.
	Data string `json:"data,omitempty"`
}

// everything runs one call of each outcome, one of each action and a few that
// read against a simulated phone, and prints what became of them.
func (d *demo) everything() error {
	agents := make([]*client.Client, 5)
	for i, apps := range [][]string{nil, {"maps:act"}, nil, nil, {"clock:read", "calendar:read", "photos:read"}} {
		var err error
		if agents[i], _, err = d.agent(fmt.Sprintf("Demo %d", i+1), apps); err != nil {
			return err
		}
	}
	// Before there is a phone nobody can be asked.
	rows := []demoRow{}
	row, err := d.ask(agents[0], demoCall{want: nod.Unavailable, arguments: `{"action": "alarm", "time": "07:30"}`})
	if err != nil {
		return err
	}
	rows = append(rows, row)
	stop, err := d.phone()
	if err != nil {
		return err
	}
	defer stop()
	for _, c := range slices.Concat(endings, actions, reads) {
		row, err := d.ask(agents[c.agent], c)
		if err != nil {
			return err
		}
		rows = append(rows, row)
	}
	return d.show(rows)
}

// phone pairs a simulated phone and waits until it is there.
func (d *demo) phone() (stop func(), err error) {
	ctx, cancel := context.WithCancel(d.p.ctx)
	defer func() {
		if err != nil {
			cancel()
		}
	}()
	script, err := sim.ParseScript(demoScript)
	if err != nil {
		return nil, err
	}
	faults, err := sim.ParseFaults(demoFaults)
	if err != nil {
		return nil, err
	}
	pairing, err := d.console.Pair(ctx, "", false)
	if err != nil {
		return nil, err
	}
	identity, err := host.Pair(ctx, pairing.Link, "Simulated phone", nod.HostSim, filepath.Join(d.running.config.data, "phone"))
	if err != nil {
		return nil, err
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = sim.Run(ctx, host.Config{
			Identity: identity, Driver: sim.New(sim.Config{}), UI: sim.NewPerson(script), Journal: &host.Memory{},
			Logger: d.running.config.log, Version: programVersion(),
		}, faults)
	}()
	if err := d.connected(pairing); err != nil {
		return nil, err
	}
	return func() { cancel(); <-done }, nil
}

// ask sends one call and waits for its end.
func (d *demo) ask(agent *client.Client, c demoCall) (demoRow, error) {
	call, err := agent.Open(d.p.ctx, client.Request{
		Tool: cmp.Or(c.tool, spec.ToolPhoneAction), Arguments: json.RawMessage(cmp.Or(c.arguments, "{}")), WaitSeconds: c.wait, Detached: c.takeBack,
	})
	if err != nil {
		return demoRow{}, err
	}
	if c.takeBack {
		call, err = agent.Cancel(d.p.ctx, call.ID)
	} else {
		call, err = agent.Follow(d.p.ctx, call)
	}
	if err != nil {
		return demoRow{}, err
	}
	return demoRow{Call: c.name(), Outcome: call.Outcome, Want: c.want, Text: call.Text, Data: call.Data}, nil
}

// name is the call's action.
func (c demoCall) name() string {
	if c.tool != "" {
		return c.tool
	}
	var a struct {
		Action string `json:"action"`
	}
	_ = json.Unmarshal([]byte(c.arguments), &a) // our own words
	return a.Action
}

// show prints the table. A call that ended otherwise than it should makes the
// demo fail.
func (d *demo) show(rows []demoRow) error {
	wrong := 0
	table := [][]string{{"THE AGENT ASKS FOR", "IT ENDED", "THE AGENT IS TOLD"}}
	for _, r := range rows {
		outcome := string(r.Outcome)
		if r.Outcome != r.Want {
			wrong++
			outcome += " (not " + string(r.Want) + ")"
		}
		first, _, _ := strings.Cut(cmp.Or(r.Data, r.Text), "\n")
		table = append(table, []string{r.Call, outcome, cut(first, 90)})
	}
	if d.p.global.JSON {
		if err := d.p.printJSON(map[string]any{"calls": rows}); err != nil {
			return err
		}
	} else if err := d.p.table(table); err != nil {
		return err
	}
	if wrong > 0 {
		d.p.say("%d calls ended otherwise than they should", wrong)
		return exitWith(exitFailed)
	}
	d.p.say("%d calls, each ended as it should, in %s", len(rows), time.Since(d.began).Round(100*time.Millisecond))
	return nil
}

// cut shortens text for a cell.
func cut(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	return string(r[:n-1]) + "…"
}
