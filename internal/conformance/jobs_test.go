package conformance

import (
	"bytes"
	"encoding/json"
	"maps"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"nod.dev/nod"
	"nod.dev/nod/client"
	"nod.dev/nod/spec"
)

// run is one client that does the main job: what jobs.mjs and jobs.py read.
type run struct {
	Name    string `json:"name"`
	Client  string `json:"client"` // v1 or v2 of a library
	Mode    string `json:"mode"`   // legacy, auto or a revision
	URL     string `json:"url"`
	Program string `json:"program"` // nod, where the client speaks on pipes
	Home    string `json:"home"`
	Patient string `json:"patient"` // token of an agent that waits as long as the card
	Hasty   string `json:"hasty"`   // token of one that waits a second in one answer

	Shown string `json:"shown"` // how progress says that the card is on the screen

	version string // the revision that it must come to speak
	blind   bool   // it does not ask what the server is, and so has no instructions
}

// told is what it was told.
type told struct {
	Name         string
	Failed       string
	Version      string
	Instructions string
	Tools        []string
	Confirmed    said
	Declined     said
	Refused      said
	Unknown      said
	Slow         said
	Progress     []string
	Waiting      said
	Waited       said
	Cancelled    string
	Left         string
}

// said is a tool's answer.
type said struct {
	Text       string
	Error      bool
	Structured bool
}

// TestTypeScript has both TypeScript clients do the main job.
func TestTypeScript(t *testing.T) {
	t.Parallel()
	const legacy, modern = "2025-11-25", "2026-07-28"
	jobs(t, node(t, "jobs.mjs"), []run{
		{Name: "v1", Client: "v1", Mode: "legacy", version: legacy},
		{Name: "v2 legacy", Client: "v2", Mode: "legacy", version: legacy},
		{Name: "v2 auto", Client: "v2", Mode: "auto", version: modern},
		{Name: "v2 pinned", Client: "v2", Mode: modern, version: modern},
	})
}

// TestPython has the Python client do it.
func TestPython(t *testing.T) {
	t.Parallel()
	const legacy, modern = "2025-11-25", "2026-07-28"
	python := program(t, "NOD_PYTHON", "the Python client (it takes Python 3.10 with pip)")
	jobs(t, exec.CommandContext(t.Context(), python, "jobs.py"), []run{
		{Name: "legacy", Mode: "legacy", version: legacy},
		{Name: "auto", Mode: "auto", version: modern},
		{Name: "pinned", Mode: modern, version: modern, blind: true},
	})
}

// answers has a program do its runs, and returns what it tells of each, by name,
// and what it says besides.
func answers[J any](t *testing.T, cmd *exec.Cmd, runs any, name func(J) string) (all map[string]J, noise string) {
	t.Helper()
	in, err := json.Marshal(runs)
	must(t, err)
	var out, besides bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(in), &out, &besides
	if err := cmd.Run(); err != nil {
		t.Errorf("%v: %v", cmd.Args, err)
	}
	all = map[string]J{}
	for line := range bytes.Lines(out.Bytes()) {
		var got J
		if err := json.Unmarshal(line, &got); err != nil {
			t.Fatalf("it printed %q: %v", line, err)
		}
		all[name(got)] = got
	}
	return all, besides.String()
}

// jobs has a program do all runs at once, over HTTP and over pipes.
func jobs(t *testing.T, cmd *exec.Cmd, clients []run) {
	t.Helper()
	h := newHouse(t)
	shown := spec.Get().Text(spec.TextProgressShown, map[string]string{"phone": "Pixel"})
	var runs []run
	for _, r := range clients {
		r.URL, r.Home, r.Shown = h.URL, h.Dir, shown
		for door, program := range map[string]string{"HTTP": "", "pipes": h.Program} {
			r := r
			r.Name, r.Program = r.Name+" "+door, program
			r.Patient = h.agent(t, r.Name, 0)
			r.Hasty = h.agent(t, r.Name+" hasty", 1)
			runs = append(runs, r)
		}
	}
	all, noise := answers(t, cmd, runs, func(got told) string { return got.Name })
	for _, r := range runs {
		t.Run(r.Name, func(t *testing.T) {
			got, ok := all[r.Name]
			if !ok || got.Failed != "" {
				t.Fatalf("it did not come to its end: %s\n%s", got.Failed, noise)
			}
			r.judge(t, got)
			h.judgeLedger(t, r, got)
		})
	}
}

// unread names the tools of an agent that was just added: all but those that read
// what is the person's.
func unread() (names []string) {
	for _, t := range spec.Get().Tools {
		if !t.Private {
			names = append(names, t.Name)
		}
	}
	slices.Sort(names)
	return names
}

// judge holds what a client was told against what nod says.
func (r run) judge(t *testing.T, got told) {
	t.Helper()
	if got.Version != r.version {
		t.Errorf("it speaks %q, want %s", got.Version, r.version)
	}
	if want := spec.Get().Text(spec.TextInstructions, nil); !strings.HasPrefix(got.Instructions, want) && !r.blind {
		t.Errorf("the instructions are %q", got.Instructions)
	}
	if want := unread(); !slices.Equal(slices.Sorted(slices.Values(got.Tools)), want) {
		t.Errorf("the tools are %q, want %q", got.Tools, want)
	}
	say := func(key string) string {
		return spec.Get().Text(key, map[string]string{"reason": "not now", "tool": "order_pizza"})
	}
	for _, tt := range []struct {
		what   string
		got    said
		prefix string
		error  bool
	}{
		{"confirmed", got.Confirmed, say(spec.TextDone), false},
		{"declined", got.Declined, say(spec.TextDeclinedReason), false},
		{"refused", got.Refused, "add_stop needs stop and destination.", true},
		{"a tool that does not exist", got.Unknown, say(spec.TextUnknownTool), true},
		{"confirmed after a while", got.Slow, say(spec.TextDone), false},
		{"waiting", got.Waiting, "STILL WAITING (call_id call_", false},
		{"waited for", got.Waited, say(spec.TextDone), false},
	} {
		if !strings.HasPrefix(tt.got.Text, tt.prefix) || tt.got.Error != tt.error || tt.got.Structured {
			t.Errorf("%s: told %+v, want %q, plain text, an error: %v", tt.what, tt.got, tt.prefix, tt.error)
		}
	}
	if !slices.Contains(got.Progress, r.Shown) {
		t.Errorf("the progress was %q, want %q in it", got.Progress, r.Shown)
	}
	if got.Cancelled != "thrown" || got.Left != say(spec.TextOpenCallsNone) {
		t.Errorf("after a cancel: %q, and open is %q", got.Cancelled, got.Left)
	}
}

// judgeLedger holds what the client did and was told against what the gateway
// wrote down: each ending, and its text to the letter.
func (h *house) judgeLedger(t *testing.T, r run, told told) {
	t.Helper()
	ended, texts := map[nod.Outcome]int{}, map[string]bool{}
	for _, token := range []string{r.Patient, r.Hasty} {
		c, err := client.New(client.Config{URL: h.URL, Token: token})
		must(t, err)
		for call, err := range c.Calls(t.Context(), client.CallQuery{}) {
			must(t, err)
			ended[call.Outcome]++
			texts[call.Text] = true
		}
	}
	if want := (map[nod.Outcome]int{nod.Done: 3, nod.Declined: 1, nod.Refused: 2, nod.Withdrawn: 1}); !maps.Equal(ended, want) {
		t.Errorf("the ledger has %v, want %v", ended, want)
	}
	for _, s := range []said{told.Confirmed, told.Declined, told.Refused, told.Unknown, told.Slow, told.Waited} {
		if !texts[s.Text] {
			t.Errorf("told %q, which is no text in the ledger: %q", s.Text, slices.Sorted(maps.Keys(texts)))
		}
	}
}
