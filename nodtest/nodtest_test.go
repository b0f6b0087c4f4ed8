package nodtest_test

import (
	"testing"

	"nod.dev/nod"
	"nod.dev/nod/nodtest"
)

func TestConfirmed(t *testing.T) {
	n := nodtest.New(t, nodtest.Options{})
	call, err := n.Client.Do(t.Context(), nodtest.Ask(`{"action": "alarm", "time": "07:30"}`))
	if err != nil {
		t.Fatal(err)
	}
	if call.Outcome != nod.Done {
		t.Errorf("outcome = %q (%s), want done", call.Outcome, call.Text)
	}
	if got := len(n.Phone.State().Alarms); got != 1 {
		t.Errorf("the phone has %d alarms, want 1", got)
	}
}

func TestDeclined(t *testing.T) {
	n := nodtest.New(t, nodtest.Options{Person: "decline:not now"})
	call, err := n.Client.Do(t.Context(), nodtest.Ask(`{"action": "dial", "number": "112"}`))
	if err != nil {
		t.Fatal(err)
	}
	if call.Outcome != nod.Declined {
		t.Errorf("outcome = %q (%s), want declined", call.Outcome, call.Text)
	}
	if n.Phone.Count() != 0 {
		t.Error("the phone did something that was declined")
	}
}
