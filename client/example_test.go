package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"strings"
	"testing"

	"nod.dev/nod/client"
	"nod.dev/nod/nodtest"
)

// house is a gateway with a phone whose person confirms everything but calls.
// Yours is what "nod serve" runs, and the token what "nod agents add" shows.
func house() (n *nodtest.Nod, end func()) {
	t := &exampleTB{}
	n = nodtest.New(t, nodtest.Options{Person: "dial=decline:not while I drive,confirm"})
	return n, t.end
}

// An agent asks, and waits until the person has answered.
func ExampleClient_Do() {
	n, end := house()
	defer end()

	c, err := client.New(client.Config{URL: n.URL, Token: n.Token})
	if err != nil {
		log.Fatal(err)
	}
	call, err := c.Do(context.Background(), client.Request{
		Tool:      "phone_action",
		Arguments: json.RawMessage(`{"action": "alarm", "time": "07:30"}`),
	})
	if err != nil {
		log.Fatal(err) // nod could not do its part
	}
	fmt.Println(call.Outcome)

	call, err = c.Do(context.Background(), client.Request{
		Tool:      "phone_action",
		Arguments: json.RawMessage(`{"action": "dial", "number": "+351 21 123 4567"}`),
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(call.Outcome)
	fmt.Println(call.Text)
	// Output:
	// done
	// declined
	// The person said no. Nothing was done; do not try it again unless they ask. In their own words: not while I drive
}

// What a phone reads is data, as JSON. The person switched it on for this agent.
func ExampleCall_data() {
	n, end := house()
	defer end()
	agent := reader(n, "contacts:read")

	call, err := agent.Do(context.Background(), client.Request{
		Tool:      "contacts_search",
		Arguments: json.RawMessage(`{"query": "ana"}`),
	})
	if err != nil {
		log.Fatal(err)
	}
	var found struct {
		Count  int
		People []struct{ Name string }
	}
	if err := json.Unmarshal([]byte(call.Data), &found); err != nil {
		log.Fatal(err)
	}
	for _, p := range found.People {
		fmt.Println(p.Name)
	}
	// Output:
	// Ana Silva
	// Ana Costa
}

// A picture is fetched apart from the call that it came with.
func ExampleClient_Attachment() {
	n, end := house()
	defer end()
	agent := reader(n, "photos:read")

	call, err := agent.Do(context.Background(), client.Request{
		Tool:      "photo_pick",
		Arguments: json.RawMessage(`{"max": 1, "why": "For the listing"}`),
	})
	if err != nil {
		log.Fatal(err)
	}
	for i, a := range call.Attachments {
		data, err := agent.Attachment(context.Background(), call.ID, i)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(a.Mime, max(a.Width, a.Height), len(data) == a.Bytes)
	}
	// Output:
	// image/jpeg 1568 true
}

// reader adds an agent that may read so much.
func reader(n *nodtest.Nod, apps ...string) *client.Client {
	a, err := n.Console.AddAgent(context.Background(), client.AgentRequest{Name: "Reader", Apps: apps})
	if err != nil {
		log.Fatal(err)
	}
	c, err := client.New(client.Config{URL: n.URL, Token: a.Token})
	if err != nil {
		log.Fatal(err)
	}
	return c
}

// What an agent may ask for depends on how it was added: what it would read of the
// person's is off until they switch it on.
func ExampleClient_Tools() {
	n, end := house()
	defer end()

	tools, err := n.Client.Tools(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	for _, t := range tools {
		fmt.Println(t.Name, t.Kind)
	}
	// Output:
	// phone_action act
	// call_status read
	// call_cancel act
	// clipboard_write act
	// notify act
	// calendar_create act
	// calendar_update act
	// calendar_delete act
	// alarm_set act
	// timer_set act
	// phone_now read
}

// Each step of each call, as it happens. The first event says what is open.
func ExampleClient_Events() {
	n, end := house()
	defer end()

	for e, err := range n.Client.Events(context.Background(), "") {
		if err != nil {
			log.Fatal(err)
		}
		switch {
		case e.Kind == client.EventSnapshot:
			fmt.Println("open now:", len(e.Snapshot.Calls))
			if _, err := n.Client.Open(context.Background(), nodtest.Ask(`{"action": "torch", "on": true}`)); err != nil {
				log.Fatal(err)
			}
		case e.Call.Ended():
			fmt.Println(e.Call.Action, e.Call.Outcome)
			return
		}
	}
	// Output:
	// open now: 0
	// torch done
}

// Past calls come newest first, page by page.
func ExampleClient_Calls() {
	n, end := house()
	defer end()
	for _, q := range []string{`{"action": "torch", "on": true}`, `{"action": "dial", "number": "112"}`} {
		if _, err := n.Client.Do(context.Background(), nodtest.Ask(q)); err != nil {
			log.Fatal(err)
		}
	}

	for call, err := range n.Client.Calls(context.Background(), client.CallQuery{State: "ended", Limit: 1}) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(call.Action, call.Outcome)
	}
	// Output:
	// dial declined
	// torch done
}

// A receipt proves what was offered, decided and done, to whoever has the
// gateway's key.
func ExampleReceipt_Check() {
	n, end := house()
	defer end()
	status, err := n.Console.Status(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	call, err := n.Client.Do(context.Background(), nodtest.Ask(`{"action": "torch", "on": true}`))
	if err != nil {
		log.Fatal(err)
	}

	receipt, err := n.Client.Receipt(context.Background(), call.ID)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(receipt.Check(status.Key))
	receipt.Offer = strings.Replace(receipt.Offer, "true", "false", 1)
	fmt.Println(receipt.Check(status.Key))
	// Output:
	// <nil>
	// the receipt does not hold: a decision over other bytes
}

// What nod could not do is an error with a code and what to do next.
func ExampleError() {
	n, end := house()
	defer end()

	_, err := n.Client.Call(context.Background(), "call_NONE")
	if e, ok := errors.AsType[*client.Error](err); ok {
		fmt.Println(e.Code, e.Status)
		fmt.Println(e.Message)
	}
	// Output:
	// not_found 404
	// there is no call call_NONE
}

// The person at the console adds an agent that may only use the map.
func ExampleConsole_AddAgent() {
	n, end := house()
	defer end()

	a, err := n.Console.AddAgent(context.Background(), client.AgentRequest{Name: "Travel", Apps: []string{"maps:act"}})
	if err != nil {
		log.Fatal(err)
	}
	travel, err := client.New(client.Config{URL: n.URL, Token: a.Token})
	if err != nil {
		log.Fatal(err)
	}
	call, err := travel.Do(context.Background(), nodtest.Ask(`{"action": "torch", "on": true}`))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(call.Outcome, call.Verdict.Rule)
	// Output:
	// denied access_off
}

// exampleTB lets an example use what is made for tests.
type exampleTB struct {
	testing.TB
	ends []func()
}

func (t *exampleTB) Helper()          {}
func (t *exampleTB) Cleanup(f func()) { t.ends = append(t.ends, f) }
func (t *exampleTB) Fatal(args ...any) {
	log.Fatal(args...)
}
func (t *exampleTB) Fatalf(format string, args ...any) { log.Fatalf(format, args...) }

func (t *exampleTB) end() {
	for i := len(t.ends) - 1; i >= 0; i-- {
		t.ends[i]()
	}
}
