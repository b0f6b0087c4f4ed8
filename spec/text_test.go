package spec_test

import (
	"encoding/json"
	"io/fs"
	"regexp"
	"strings"
	"testing"

	"nod.dev/nod/spec"
)

// texts is texts.json as it is written.
type texts struct {
	Placeholders map[string]string            `json:"placeholders"`
	Agent        map[string]string            `json:"agent"`
	Person       map[string]map[string]string `json:"person"`
}

func manifest(t *testing.T) texts {
	t.Helper()
	data, err := fs.ReadFile(spec.Files(), "texts.json")
	if err != nil {
		t.Fatal(err)
	}
	var all texts
	if err := json.Unmarshal(data, &all); err != nil {
		t.Fatal(err)
	}
	return all
}

// agentTexts are the sentences for agents.
func agentTexts(t *testing.T) map[string]string {
	t.Helper()
	return manifest(t).Agent
}

// Design section 3: which endings may say that nothing happened. Those that may
// do, those that may not never do.
func TestWhatMaySayThatNothingHappened(t *testing.T) {
	nothing := regexp.MustCompile(`(?i)nothing (was|has been) (done|sent|read out)`)
	must := regexp.MustCompile(`^(declined(_reason)?|expired|unseen|unseen_.*|withdrawn_.*|denied_.*|no_phone|no_screen|not_reachable|cannot|failed_(not_started|nothing_read|not_.*|nobody.*|background|locked|no_.*|two_.*|more_.*)|bad|limit|bad_arguments|unknown_(tool|action|mode|phone))$`)
	mustNot := regexp.MustCompile(`^(done.*|opened|answered|failed_started|unknown|unknown_later_.*|still_working|progress_.*|says|too_late_to_cancel|left_.*)$`)
	for key, text := range agentTexts(t) {
		if must.MatchString(key) && !nothing.MatchString(text) {
			t.Errorf("%s must say that nothing was done: %q", key, text)
		}
		if mustNot.MatchString(key) && nothing.MatchString(text) {
			t.Errorf("%s must not say that nothing was done: %q", key, text)
		}
	}
	if text := agentTexts(t)["unknown"]; !strings.Contains(text, "may have happened") || !strings.Contains(text, "Do not repeat it without asking") {
		t.Errorf("unknown: %q", text)
	}
	if text := agentTexts(t)["declined"]; !strings.Contains(text, "Do not try it again unless they ask") {
		t.Errorf("declined: %q", text)
	}
}

// Clients show progress in one line.
func TestProgressIsShort(t *testing.T) {
	for key, text := range agentTexts(t) {
		if strings.HasPrefix(key, "progress_") && (len(text) > 100 || len(sentences(text)) != 1) {
			t.Errorf("%s is too long for a progress line: %q", key, text)
		}
	}
}

// The one text that seed 000 gives in full.
func TestSeedExample(t *testing.T) {
	got := spec.Get().Text(spec.TextMissing, map[string]string{"action": "add_stop", "fields": "stop and destination"})
	if want := "add_stop needs stop and destination."; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestText(t *testing.T) {
	s := spec.Get()
	for _, row := range []struct {
		name, key string
		values    map[string]string
		want      string
	}{
		{"no placeholder", spec.TextDone, nil, "The phone did it."},
		{"one", spec.TextSays, map[string]string{"message": "no map app"}, "The phone says: no map app"},
		{"a value that is not used", spec.TextDone, map[string]string{"message": "x"}, "The phone did it."},
		{"a value that looks like a placeholder is a value", spec.TextSays, map[string]string{"message": "{{what}} {{message}}"}, "The phone says: {{what}} {{message}}"},
		{"a value that is missing stays visible", spec.TextSays, nil, "The phone says: {{message}}"},
		{"a key there is not", "no_such_key", nil, "nod has no words for no_such_key."},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := s.Text(row.key, row.values); got != row.want {
				t.Errorf("got %q, want %q", got, row.want)
			}
		})
	}
}

func TestPersonText(t *testing.T) {
	s := spec.Get()
	for locale, want := range map[string]string{
		"en": "Confirm", "en-GB": "Confirm", "de": "Bestätigen", "de-AT": "Bestätigen", "DE": "Bestätigen", "pt-PT": "Confirm", "": "Confirm",
	} {
		if got := s.PersonText(locale, "card.confirm", nil); got != want {
			t.Errorf("%s: got %q, want %q", locale, got, want)
		}
	}
	if got := s.PersonText("de", "card.asks", map[string]string{"phone": "Pixel 9"}); got != "fragt Pixel 9" {
		t.Errorf("got %q", got)
	}
	if got := s.Locales(); len(got) < 2 {
		t.Errorf("locales: %v", got)
	}
}

// Everything an opened action still needs can be said.
func TestActionWords(t *testing.T) {
	s := spec.Get()
	for _, a := range s.Phone.Actions {
		text := s.Text(spec.TextOpened, s.ActionWords(a.Name))
		if strings.Contains(text, "{{") || strings.Contains(text, "no words") || strings.Contains(text, "  ") {
			t.Errorf("%s: %q", a.Name, text)
		}
	}
	if got := s.Text(spec.TextOpened, s.ActionWords(spec.ActionSMSDraft)); got != "The phone opened the messaging app with it. The message is not sent: the person sends it there." {
		t.Errorf("got %q", got)
	}
	for name, want := range map[string]string{spec.ActionSMSDraft: "look in the contacts", spec.ActionDial: "look in the contacts", spec.ActionTorch: "do this", spec.ToolLocation: "know where the phone is"} {
		if got := s.Text(spec.TextFailedNotAllowed, s.ActionWords(name)); !strings.Contains(got, " did not let nod "+want+". ") {
			t.Errorf("%s: %q", name, got)
		}
	}
	if words := s.ActionWords("nothing"); words["app"] != "" || words["left"] != "" {
		t.Errorf("an unknown action has words: %v", words)
	}
}
