package server

import (
	"net/http"
	"strconv"
	"time"

	"nod.dev/nod"
	"nod.dev/nod/client"
	"nod.dev/nod/internal/auth"
	"nod.dev/nod/internal/gateway"
)

// How many event streams there can be at once.
const (
	streamsAnAgent  = 4
	streamsTogether = 1000
)

// eventBeat is how often a stream on which nothing happens shows that it lives:
// proxies cut a silent one after 30 to 60 seconds.
const eventBeat = 15 * time.Second

// eventWrite is how long a reader may take to take an event.
const eventWrite = 10 * time.Second

var tooManyStreams = tooSoon{refusal: nod.Errorf(nod.CodeTooMany, "too many event streams are open",
	"close one: an agent may have "+strconv.Itoa(streamsAnAgent)+" at a time"), after: eventBeat}

// streamEvents tells an agent of each change of its calls as it comes, as
// Server-Sent Events: GET /v1/events. Watching decides over no call.
func (s *Server) streamEvents(w http.ResponseWriter, r *http.Request, agent nod.Agent) {
	after, resumed, err := lastEvent(r.Header)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	leave, err := s.events.enter(string(agent.ID))
	if err != nil {
		s.fail(w, r, err)
		return
	}
	defer leave()
	stream := &eventStream{s: s, w: w, rc: http.NewResponseController(w), agent: agent, told: map[nod.CallID]client.Call{}}
	stream.token, _ = auth.Bearer(r) // it was read once already
	follower := s.gateway.Follow(agent)
	defer follower.Stop()
	var missed bool
	var past []gateway.Change
	if resumed {
		var whole bool
		if past, whole, err = s.gateway.Since(r.Context(), agent, after); err != nil {
			s.fail(w, r, err)
			return
		}
		missed = !whole
	}
	defer stream.rc.SetWriteDeadline(time.Time{}) //nolint:errcheck // not every writer has one; the next answer begins anew
	stream.begin()
	if r.Method == http.MethodHead {
		return
	}
	if stream.past(past) && stream.snapshot(missed) {
		stream.follow(r, follower)
	}
}

// lastEvent is where a reader that was cut off had come to: the id of the last
// event that it has.
func lastEvent(h http.Header) (seq int64, given bool, err error) {
	const name = "Last-Event-ID"
	text, err := one(h, name)
	if err != nil || text == "" {
		return 0, false, err
	}
	if seq, err = strconv.ParseInt(text, 10, 64); err != nil || seq < 0 {
		return 0, false, nod.Errorf(nod.CodeInvalid, "the header "+name+" holds no id of an event", "send the last id that came, or leave it out to begin with what is open now")
	}
	return seq, true, nil
}

// follow writes what happens until the reader goes away, falls behind, or may
// not read any more.
func (e *eventStream) follow(r *http.Request, follower *gateway.Follower) {
	beat := time.NewTicker(eventBeat)
	defer beat.Stop()
	for {
		select {
		case <-r.Context().Done():
			return
		case <-beat.C:
			if !e.beat() {
				return
			}
		case <-follower.Ready():
		}
		now, err := e.s.gateway.AgentByToken(e.token)
		if err != nil { // removed, or its token was replaced
			e.end(err)
			return
		}
		changes, lost := follower.Take()
		for _, c := range changes {
			if !e.call(c) {
				return
			}
		}
		if lost {
			e.end(nod.Errorf(nod.CodeTooMany, "more happened than this stream's reader took", "connect again with Last-Event-ID: what was left out is told then"))
			return
		}
		if !e.self(now) {
			return
		}
	}
}
