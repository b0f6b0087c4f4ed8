package server_test

import (
	"context"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"nod.dev/nod"
	"nod.dev/nod/internal/gateway"
	"nod.dev/nod/internal/server"
	"nod.dev/nod/spec"
)

// album has one call that brought pictures, and hands them out once it is open.
type album struct {
	*gateway.Gateway
	in   atomic.Int32
	open chan struct{}
}

func (a *album) Call(_ context.Context, agent nod.AgentID, id nod.CallID) (nod.Call, error) {
	return nod.Call{ID: id, Agent: agent, Tool: spec.ToolPhotoPick, Kind: nod.Read, State: nod.Closed, Outcome: nod.Done, Data: true}, nil
}

func (a *album) Release(context.Context, nod.AgentID, nod.CallID) (gateway.Released, error) {
	a.in.Add(1)
	defer a.in.Add(-1)
	<-a.open
	return gateway.Released{Text: "{}"}, nil
}

// However often the same pictures are asked for at one time, few of the answers have
// them in memory, and each is given all the same; who goes away waits for none.
func TestPicturesInTurn(t *testing.T) {
	inBubble(t, "confirm", func(t *testing.T, p *presence) {
		a := &album{Gateway: p.gateway, open: make(chan struct{})}
		s := server.New(server.Config{Gateway: a, Version: "test", Local: "http://localhost"})
		defer s.Close()
		codes := make(chan int, 40)
		ask := func(ctx context.Context) {
			r := httptest.NewRequestWithContext(ctx, "GET", "http://localhost/v1/calls/call_A", nil)
			r.Header.Set("Authorization", "Bearer "+p.token)
			w := httptest.NewRecorder()
			s.Public().ServeHTTP(w, r)
			codes <- w.Code
		}
		for range 30 {
			go ask(context.Background())
		}
		synctest.Wait()
		if n := a.in.Load(); n != 4 {
			t.Errorf("%d are there at one time, want 4", n)
		}
		ctx, leave := context.WithCancel(context.Background())
		go ask(ctx)
		leave()
		synctest.Wait()
		if len(codes) != 1 {
			t.Fatal("who went away waits")
		}
		<-codes
		close(a.open)
		synctest.Wait()
		for range 30 {
			if code := <-codes; code != 200 {
				t.Errorf("answered %d", code)
			}
		}
	})
}
