package server

import (
	"bytes"
	"encoding/json"
	"net/http"
	"reflect"
	"strconv"
	"time"

	"nod.dev/nod"
	"nod.dev/nod/client"
	"nod.dev/nod/internal/gateway"
)

// eventStream writes one answer of GET /v1/events. One goroutine owns it. What
// it writes returns false once the reader is gone.
type eventStream struct {
	s     *Server
	w     http.ResponseWriter
	rc    *http.ResponseController
	agent nod.Agent
	token string
	// told is what was last said of each call that is open, so that what changed
	// only inside is no event.
	told map[nod.CallID]client.Call
	// itself is what was last said of the agent.
	itself client.Agent
}

// begin sends the head, so that a reader knows at once that it is heard.
func (e *eventStream) begin() {
	h := e.w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no") // nginx would hold events back
	h.Set("X-Content-Type-Options", "nosniff")
	e.w.WriteHeader(http.StatusOK)
}

// past repeats what ended while the reader was away. What is open comes with
// the snapshot.
func (e *eventStream) past(changes []gateway.Change) bool {
	for _, c := range changes {
		if c.Call.Final() && !e.call(c) {
			return false
		}
	}
	return true
}

// snapshot says what is open now, and whether something was missed for good.
func (e *eventStream) snapshot(missed bool) bool {
	seq := e.s.gateway.LogSize(e.agent.Person) // before the calls: none that changes meanwhile is passed over
	e.itself = e.s.viewSelf(e.agent)
	shot := client.Snapshot{Calls: []client.Call{}, Agent: e.itself, Missed: missed}
	for _, c := range e.s.gateway.OpenCalls(e.agent.ID) {
		view := e.s.view(c)
		e.told[c.ID] = view
		shot.Calls = append(shot.Calls, view)
	}
	return e.write(seq, client.EventSnapshot, shot)
}

// call tells of one change.
func (e *eventStream) call(c gateway.Change) bool {
	view := e.s.view(c.Call)
	if reflect.DeepEqual(view, e.told[view.ID]) {
		return true
	}
	if e.told[view.ID] = view; c.Call.Final() {
		delete(e.told, view.ID)
	}
	return e.write(c.Seq, client.EventCall, view)
}

// self tells of the agent where it is not what was said last. That it asked
// again is no news to it.
func (e *eventStream) self(agent nod.Agent) bool {
	view := e.s.viewSelf(agent)
	e.itself.LastUsedAt = view.LastUsedAt
	if reflect.DeepEqual(view, e.itself) {
		return true
	}
	e.itself = view
	return e.write(0, client.EventAgent, view)
}

// end says why nothing more comes.
func (e *eventStream) end(err error) {
	_, problem := explain(err)
	e.write(0, client.EventEnd, client.Problem{Error: problem})
}

// beat shows that the stream lives.
func (e *eventStream) beat() bool { return e.send([]byte(": beat\n\n")) }

// write sends one event; seq 0 for one after which there is nothing to go on from.
func (e *eventStream) write(seq int64, kind client.EventKind, v any) bool {
	var b bytes.Buffer
	if seq > 0 {
		b.WriteString("id: " + strconv.FormatInt(seq, 10) + "\n")
	}
	b.WriteString("event: " + string(kind) + "\ndata: ")
	enc := json.NewEncoder(&b) // one line, and a line break
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		e.s.log.Warn("an event that is no JSON", "kind", kind, "err", err)
		return false
	}
	b.WriteByte('\n')
	return e.send(b.Bytes())
}

func (e *eventStream) send(b []byte) bool {
	_ = e.rc.SetWriteDeadline(time.Now().Add(eventWrite)) // not every writer has one
	if _, err := e.w.Write(b); err != nil {
		return false
	}
	return e.rc.Flush() == nil
}
