package server

import (
	"net/http"
	"strconv"

	"nod.dev/nod"
	"nod.dev/nod/client"
	"nod.dev/nod/internal/log"
)

// How many log entries one answer holds.
const (
	logPage    = 100
	maxLogPage = 1000
)

// consoleLog answers a part of a person's log: GET /console/log?from=&limit=&wait=.
// A negative from counts from the end. With wait, an empty answer waits for
// something to happen.
func (s *Server) consoleLog(w http.ResponseWriter, r *http.Request, person nod.Person) {
	q := r.URL.Query()
	wait, err := seconds("wait", q.Get("wait"), maxPoll)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	from, limit, err := s.logRange(person.ID, q.Get("from"), q.Get("limit"))
	if err != nil {
		s.fail(w, r, err)
		return
	}
	if wait > 0 {
		s.until(r.Context(), wait, func() bool { return s.gateway.LogSize(person.ID) >= from })
	}
	entries, err := s.gateway.Log(r.Context(), person.ID, from, limit)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	page := client.LogPage{Entries: []client.Entry{}, Next: from}
	for _, e := range entries {
		page.Entries = append(page.Entries, viewEntry(e))
		page.Next = e.Seq + 1
	}
	answer(w, http.StatusOK, page)
}

// logRange reads which part of a log is asked for.
func (s *Server) logRange(person nod.PersonID, from, limit string) (int64, int, error) {
	first, n := int64(1), logPage
	var err error
	if from != "" {
		if first, err = strconv.ParseInt(from, 10, 64); err != nil {
			return 0, 0, nod.Errorf(nod.CodeInvalid, "from is not a whole number", "give an entry's number, or -20 for the last twenty")
		}
	}
	if limit != "" {
		if n, err = strconv.Atoi(limit); err != nil || n < 1 {
			return 0, 0, nod.Errorf(nod.CodeInvalid, "limit is not a whole number above 0", "")
		}
	}
	if first < 0 {
		first += s.gateway.LogSize(person) + 1
	}
	return max(first, 1), min(n, maxLogPage), nil
}

func viewEntry(e log.Entry) client.Entry {
	return client.Entry{
		Seq: e.Seq, At: clock(e.At), Kind: e.Kind, Call: e.Call, Agent: e.Agent, Phone: e.Phone,
		Facts: e.Facts, Payload: e.Payload, Erased: e.Erased(),
	}
}
