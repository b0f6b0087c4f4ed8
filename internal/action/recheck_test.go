package action_test

import (
	"encoding/json"
	"testing"

	"nod.dev/nod"
	"nod.dev/nod/internal/action"
	"nod.dev/nod/internal/wire"
	"nod.dev/nod/spec"
)

// offerRow is one row of spec/testdata/recheck: what was offered, and why a
// phone does not show it; an empty problem when it does.
type offerRow struct {
	Name    string          `json:"name"`
	Offer   json.RawMessage `json:"offer"`
	Problem string          `json:"problem"`
}

// notShown is what a Go host says before the problem.
const notShown = "This offer cannot be shown: "

func TestRecheckRows(t *testing.T) {
	for file, rows := range readRows[offerRow](t, "recheck") {
		for _, row := range rows {
			t.Run(file+"/"+row.Name, func(t *testing.T) {
				var offer wire.OfferBody
				if err := wire.Decode(row.Offer, &offer); err != nil {
					t.Fatal(err)
				}
				err := action.Recheck(spec.Get(), offer)
				switch {
				case row.Problem == "" && err != nil:
					t.Errorf("refused: %v", err)
				case row.Problem != "" && (err == nil || err.Error() != notShown+row.Problem):
					t.Errorf("got %v, want %s", err, row.Problem)
				case err != nil && nod.CodeOf(err) != nod.CodeInvalid:
					t.Errorf("code %s", nod.CodeOf(err))
				}
			})
		}
	}
}

// Whatever Check lets through can be offered, with the risk and the badges that
// follow from it.
func TestCheckedCanBeOffered(t *testing.T) {
	for file, rows := range readRows[checkRow](t, "check") {
		for _, row := range rows {
			act, text := action.Check(spec.Get(), row.Tool, []byte(row.Arguments))
			if tool, ok := spec.Get().Tool(act.Tool); text != "" || !ok || tool.Gateway {
				continue
			}
			if err := action.Recheck(spec.Get(), offered(act)); err != nil {
				t.Errorf("%s: %s: %v", file, row.Name, err)
			}
		}
	}
}

// offered is the offer of an action, as far as the recheck looks.
func offered(a nod.Action) wire.OfferBody {
	return wire.OfferBody{
		Tool: a.Tool, Action: a.Name, Fields: a.Fields, Summary: a.Summary, Verdict: nod.Ask, Rule: nod.RuleAlways,
		Risk: action.Risk(spec.Get(), a), Badges: action.Badges(spec.Get(), a),
	}
}

// A look-alike needs its warning too. JavaScript leaves this one to the
// gateway, so it is not in the rows.
func TestRecheckLookAlike(t *testing.T) {
	o := offered(nod.Action{
		Tool: spec.ToolPhoneAction, Name: spec.ActionOpenApp,
		Fields: nod.Fields{"app": "Pаypal"}, Summary: "open_app",
	})
	if err := action.Recheck(spec.Get(), o); err != nil {
		t.Error(err)
	}
	o.Badges = nil
	if err := action.Recheck(spec.Get(), o); err == nil || err.Error() != notShown+"it leaves out a warning: look_alike" {
		t.Errorf("got %v", err)
	}
}
