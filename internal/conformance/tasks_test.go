package conformance

import (
	"slices"
	"strings"
	"testing"

	"nod.dev/nod/internal/mcptask"
	"nod.dev/nod/spec"
)

// taskJob is what a client of the Tasks extension was told: what tasks.mjs prints.
type taskJob struct {
	Name, Failed, Left                                     string
	Extensions                                             []string
	Confirmed, Declined, Slow, Cancelled, Resumed, Refused endedTask
}

// taskRun is one client that does the main job by tasks: what tasks.mjs reads.
type taskRun struct {
	Name    string `json:"name"`
	URL     string `json:"url"`
	Program string `json:"program"` // nod, where the client speaks on pipes
	Home    string `json:"home"`
	Token   string `json:"token"`
	Shown   string `json:"shown"` // how a message says that the card is on the screen
}

// endedTask is how a call ended, to the library of the extension.
type endedTask struct {
	Kind     string // task, or immediate
	Status   string
	Text     string   // of the result
	Last     string   // the last message
	Messages []string // of the one that is taken back, all until its card was up
}

// TestTaskClient has the official library of the Tasks extension do the main
// job, over HTTP and over pipes.
func TestTaskClient(t *testing.T) {
	t.Parallel()
	cmd := node(t, "tasks.mjs")
	h := newHouse(t)
	runs := []taskRun{
		{Name: "HTTP", URL: h.URL, Home: h.Dir},
		{Name: "pipes", URL: h.URL, Home: h.Dir, Program: h.Program},
	}
	for i := range runs {
		runs[i].Shown = say(spec.TextProgressShown)
		runs[i].Token = h.agent(t, "Tasks over "+runs[i].Name, 0)
	}
	all, noise := answers(t, cmd, runs, func(got taskJob) string { return got.Name })
	for _, r := range runs {
		t.Run(r.Name, func(t *testing.T) {
			got, ok := all[r.Name]
			if !ok || got.Failed != "" {
				t.Fatalf("it did not come to its end: %s\n%s", got.Failed, noise)
			}
			got.judge(t)
		})
	}
}

// say is a text for an agent, as it reads in this house.
func say(key string) string {
	return spec.Get().Text(key, map[string]string{"reason": "not now", "phone": "Pixel"})
}

func (j taskJob) judge(t *testing.T) {
	t.Helper()
	if !slices.Equal(j.Extensions, []string{mcptask.Extension}) {
		t.Errorf("the server's extensions are %q", j.Extensions)
	}
	for _, tt := range []struct {
		what         string
		got          endedTask
		kind, status string
		text, last   string // how they begin
	}{
		{"confirmed", j.Confirmed, "task", "completed", say(spec.TextDone), ""},
		{"declined", j.Declined, "task", "completed", say(spec.TextDeclinedReason), ""},
		{"confirmed late", j.Slow, "task", "completed", say(spec.TextDone), ""},
		{"cancelled", j.Cancelled, "task", "cancelled", "", say(spec.TextWithdrawnCancelled)},
		{"resumed by another", j.Resumed, "task", "completed", say(spec.TextDone), ""},
		{"refused", j.Refused, "immediate", "completed", "add_stop needs stop and destination.", ""},
	} {
		if tt.got.Kind != tt.kind || tt.got.Status != tt.status || !strings.HasPrefix(tt.got.Text, tt.text) || !strings.HasPrefix(tt.got.Last, tt.last) {
			t.Errorf("%s: told %+v, want %s %s, %q, %q", tt.what, tt.got, tt.kind, tt.status, tt.text, tt.last)
		}
	}
	if shown := say(spec.TextProgressShown); !slices.Contains(j.Cancelled.Messages, shown) {
		t.Errorf("while the card was up it was told %q, and not %q", j.Cancelled.Messages, shown)
	}
	if want := say(spec.TextOpenCallsNone); j.Left != want {
		t.Errorf("at the end call_status said %q, want %q", j.Left, want)
	}
}
