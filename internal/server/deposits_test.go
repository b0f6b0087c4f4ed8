package server

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"nod.dev/nod"
)

// What phones leave is bounded, by phone, in all and in time.
func TestDeposits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDeposits[int](time.Minute, 2, 3)
		get := func(token string) int {
			got := 0
			d.use(token, func(_ nod.PhoneID, n *int) { got = *n })
			return got
		}
		a1, _ := d.put("a", 1)
		a2, _ := d.put("a", 2)
		b1, _ := d.put("b", 3)
		if _, ok := d.put("c", 4); ok {
			t.Error("a fourth of three is kept")
		}
		a3, ok := d.put("a", 5) // takes the place of its own oldest
		if !ok || get(a1) != 0 || get(a2) != 2 || get(a3) != 5 || get(b1) != 3 {
			t.Errorf("kept are %d %d %d %d", get(a1), get(a2), get(a3), get(b1))
		}
		d.use(a2, func(phone nod.PhoneID, n *int) { *n++ })
		if get(a2) != 3 {
			t.Error("a change is not kept")
		}
		time.Sleep(time.Minute - 1)
		if get(b1) != 3 {
			t.Error("it is gone before its time")
		}
		time.Sleep(time.Nanosecond)
		if get(b1) != 0 {
			t.Error("it is there after its time")
		}
		for range 100 {
			if _, ok := d.put("c", 6); !ok {
				t.Fatal("what is over takes room")
			}
		}
		if len(d.kept) != 2 || len(d.order) != 2 {
			t.Errorf("%d are kept, %d in order", len(d.kept), len(d.order))
		}
	})
}

// A phone hears how its shortcut ended once that is in the ledger, and not while
// it may still turn out that it could not be written.
func TestACallbackIsToldWhenItsResultIsTaken(t *testing.T) {
	s := &Server{callbacks: newDeposits[callback](time.Minute, 1, 1)}
	token, _ := s.callbacks.put("phone_a", callback{state: "ok", taking: true})
	state := func() string {
		r := httptest.NewRequest(http.MethodGet, "/phone/callback/"+token, nil)
		r.SetPathValue("token", token)
		w := httptest.NewRecorder()
		s.phoneCallbackState(w, r, nod.Phone{ID: "phone_a"})
		return strings.TrimSpace(w.Body.String())
	}
	if got := state(); got != `{"state":"waiting"}` {
		t.Errorf("while it is taken: %s", got)
	}
	s.callbacks.use(token, func(_ nod.PhoneID, c *callback) { c.taking = false })
	if got := state(); got != `{"state":"ok"}` {
		t.Errorf("when it is taken: %s", got)
	}
}

// What one phone left is nothing to another.
func TestACallbackIsItsPhonesOwn(t *testing.T) {
	s := &Server{callbacks: newDeposits[callback](time.Minute, 1, 1)}
	token, _ := s.callbacks.put("phone_a", callback{state: callbackWaiting})
	for phone, want := range map[nod.PhoneID]int{"phone_a": http.StatusOK, "phone_b": http.StatusNotFound} {
		r := httptest.NewRequest(http.MethodGet, "/phone/callback/"+token, nil)
		r.SetPathValue("token", token)
		w := httptest.NewRecorder()
		s.phoneCallbackState(w, r, nod.Phone{ID: phone})
		if w.Code != want {
			t.Errorf("%s is answered %d, want %d", phone, w.Code, want)
		}
	}
}
