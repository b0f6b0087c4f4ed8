package stdio_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"nod.dev/nod/nodtest"
	"nod.dev/nod/spec"
)

// By a revision without sessions a subscription is a call that nobody answers:
// it hears what changes, is cancelled as a call is, and does not hold up the end.
func TestListen(t *testing.T) {
	n := nodtest.New(t, nodtest.Options{NoPhone: true})
	p := start(t, n)
	meta := `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
	say := func(format string, args ...any) {
		t.Helper()
		if _, err := fmt.Fprintf(p.in, format+"\n", args...); err != nil {
			t.Fatal(err)
		}
	}
	out := bufio.NewScanner(p.out)
	hear := func(want string) {
		t.Helper()
		if !out.Scan() || !json.Valid(out.Bytes()) || !strings.Contains(out.Text(), want) {
			t.Fatalf("heard %q, want %q", out.Text(), want)
		}
	}
	listen := func(id string) {
		t.Helper()
		say(`{"jsonrpc":"2.0","id":%q,"method":"subscriptions/listen","params":{%s,"notifications":{"toolsListChanged":true}}}`, id, meta)
		hear("notifications/subscriptions/acknowledged")
	}
	listen("l0")
	say(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"l0"}}`)
	listen("l1")
	var acts []string
	for _, app := range spec.Get().Apps {
		acts = append(acts, app+":act")
	}
	if _, err := n.Console.SwitchOff(t.Context(), "", n.Agent.Name, acts); err != nil {
		t.Fatal(err)
	}
	hear("notifications/tools/list_changed")
	say(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{%s,"name":"phone_action","arguments":%s}}`, meta, alarm)
	hear("so the person was not asked")
	began := time.Now()
	_ = p.in.Close()
	if err := <-p.done; err != nil || time.Since(began) > 2*time.Second {
		t.Errorf("it ended with %v after %v", err, time.Since(began))
	}
	if out.Scan() {
		t.Errorf("a cancelled subscription and one that is cut say nothing more: %s", out.Text())
	}
}

// With sessions the gateway says so on a stream of its own, which the proxy
// listens to.
func TestHear(t *testing.T) {
	n := nodtest.New(t, nodtest.Options{NoPhone: true})
	changed := make(chan struct{}, 1)
	p := start(t, n)
	connect(t, p, sessions, &mcp.ClientOptions{ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) {
		select {
		case changed <- struct{}{}:
		default:
		}
	}})
	<-p.hears
	for _, app := range spec.Get().Apps {
		if _, err := n.Console.SwitchOff(t.Context(), "", n.Agent.Name, []string{app + ":act"}); err != nil {
			t.Fatal(err)
		}
	}
	select {
	case <-changed:
	case <-time.After(10 * time.Second):
		t.Error("not told that the list changed")
	}
}
