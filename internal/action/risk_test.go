package action_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"nod.dev/nod"
	"nod.dev/nod/internal/action"
	"nod.dev/nod/spec"
)

// act is an action of phone_action with these fields.
func act(name string, fields nod.Fields) nod.Action {
	return nod.Action{Tool: spec.ToolPhoneAction, Name: name, Fields: fields, Summary: name}
}

func TestRisk(t *testing.T) {
	for _, row := range []struct {
		name string
		act  nod.Action
		want nod.Risk
	}{
		{"alarm", act("alarm", nil), nod.Low},
		{"timer", act("timer", nil), nod.Low},
		{"torch", act("torch", nil), nod.Low},
		{"media", act("media", nil), nod.Low},
		{"settings_panel", act("settings_panel", nil), nod.Low},
		{"search_nearby", act("search_nearby", nil), nod.Low},
		{"stop_navigation", act("stop_navigation", nil), nod.Low},
		{"navigate", act("navigate", nil), nod.Medium},
		{"add_stop", act("add_stop", nil), nod.Medium},
		{"open_app", act("open_app", nil), nod.Medium},
		{"open_url", act("open_url", nil), nod.Medium},
		{"calendar_event", act("calendar_event", nil), nod.Medium},
		{"sms_draft", act("sms_draft", nil), nod.Medium},
		{"email_draft", act("email_draft", nil), nod.Medium},
		{"dial", act("dial", nod.Fields{"number": "110"}), nod.Medium},
		{"dial with a star", act("dial", nod.Fields{"number": "*100#"}), nod.High},
		{"dial with a hash", act("dial", nod.Fields{"number": "0201234#"}), nod.High},
		{"automation_intent", act("automation_intent", nil), nod.High},
		{"an action nobody knows", act("send_money", nil), nod.High},
		{"a tool nobody knows", nod.Action{Tool: "send_money", Name: "send_money"}, nod.High},
		{"a tool that is one action", nod.Action{Tool: "call_cancel", Name: "call_cancel"}, nod.Low},
	} {
		if got := action.Risk(spec.Get(), row.act); got != row.want {
			t.Errorf("%s: %s, want %s", row.name, got, row.want)
		}
	}
}

func TestBadges(t *testing.T) {
	code, twin := []nod.Badge{nod.BadgeServiceCode}, []nod.Badge{nod.BadgeLookAlike}
	url := func(u string) nod.Action { return act("open_url", nod.Fields{"url": u}) }
	app := func(a string) nod.Action { return act("open_app", nod.Fields{"app": a}) }
	for _, row := range []struct {
		name string
		act  nod.Action
		want []nod.Badge
	}{
		{"a number", act("dial", nod.Fields{"number": "+351 910 000 001"}), nil},
		{"a code", act("dial", nod.Fields{"number": "**21*0201234#"}), code},
		{"a code in front of a number", act("dial", nod.Fields{"number": "#31#0201234"}), code},
		{"a star in a text is no code", act("sms_draft", nod.Fields{"to": []any{"*100#"}}), nil},

		{"a plain host", url("https://example.org/"), nil},
		{"German letters", url("https://xn--bcher-kva.example/"), nil},
		{"a Russian host", url("https://xn--e1afmkfd.xn--80akhbyknj4f/"), nil},
		{"a Japanese host with Latin in it", url("https://xn--n8jok5ay5dzabd5bym9f0cm5685rrjetr6pdxa/"), nil},
		{"Cyrillic that reads as apple", url("https://www.xn--80ak6aa92e.com/"), twin},
		{"Cyrillic among Latin: pаypal", url("https://xn--pypal-4ve.com/"), twin},
		{"xn-- that decodes to nothing", url("https://xn--99999999.example/"), twin},
		{"capitals do not hide it", url("https://XN--80AK6AA92E.com/"), twin},
		{"other scripts in the path are the path's", url("https://example.org/аpple"), nil},

		{"an app", app("Signal"), nil},
		{"an app in Russian", app("Сбербанк"), nil},
		{"two words, two scripts", app("Яндекс Maps"), nil},
		{"a Cyrillic a in Paypal", app("Pаypal"), twin},
		{"a Greek o in Google", app("Gοogle"), twin},
		{"Japanese with Latin", app("LINE電話アプリ"), nil},
		{"Korean with Chinese", app("한국漢字"), nil},
		{"Latin with Hangul and kana", app("aㅏひ"), twin},
		{"digits and signs belong to every script", app("Почта-24"), nil},
		{"accents belong to every script", app("Ca\u0301fe"), nil},

		{"a recipient", act("email_draft", nod.Fields{"to": []any{"ana@example.org"}}), nil},
		{"a recipient with a twin", act("email_draft", nod.Fields{"to": []any{"ana@exаmple.org"}}), twin},
		{"a copy with a twin", act("email_draft", nod.Fields{"cc": []any{"x@y.org", "ana@exаmple.org"}}), twin},
		{"a destination with a twin", act("navigate", nod.Fields{"destination": map[string]any{"query": "Pаris"}}), twin},
		{"a stop with a twin", act("navigate", nod.Fields{"destination": map[string]any{"query": "x"}, "stops": []any{map[string]any{"name": "Rοme"}}}), twin},
		{"a body names nobody", act("sms_draft", nod.Fields{"text": "Pаypal"}), nil},
		{"an automation with a twin", act("automation_intent", nod.Fields{"name": "Lіghts"}), twin},
		{"a summary names nobody", nod.Action{Tool: "phone_action", Name: "torch", Fields: nod.Fields{"on": true}, Summary: "Pаypal"}, nil},
		{"no fields", act("stop_navigation", nod.Fields{}), nil},
	} {
		t.Run(row.name, func(t *testing.T) {
			if diff := cmp.Diff(row.want, action.Badges(spec.Get(), row.act)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
