package repo

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"nod.dev/nod/internal/action"
	"nod.dev/nod/internal/wire"
	"nod.dev/nod/spec"
)

var update = flag.Bool("update", false, "write the examples of spec/protocol.md anew")

const protocolPage = "../../spec/protocol.md"

// example finds one example: its name in a comment, then a fenced block.
var example = regexp.MustCompile("(?s)<!-- example ([a-z0-9.]+) -->\n```[a-z]*\n(.*?)\n```\n")

// TestProtocolExamples requires that every example in spec/protocol.md is, to the
// byte, what this program makes. Run it with -update after a change.
func TestProtocolExamples(t *testing.T) {
	page := read(t, protocolPage)
	made := examples(t)
	if *update {
		page = example.ReplaceAllFunc(page, func(block []byte) []byte {
			m := example.FindSubmatchIndex(block)
			text, ok := made[string(block[m[2]:m[3]])]
			if !ok {
				return block
			}
			return slices.Concat(block[:m[4]], []byte(text), block[m[5]:])
		})
		if err := os.WriteFile(protocolPage, page, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	shown := map[string]bool{}
	for _, m := range example.FindAllSubmatch(page, -1) {
		name, text := string(m[1]), string(m[2])
		shown[name] = true
		want, ok := made[name]
		if !ok {
			t.Errorf("example %q of spec/protocol.md is made by nobody", name)
		} else if text != want {
			t.Errorf("example %q is not what nod makes; run go test ./internal/repo -run Protocol -update\n got: %s\nwant: %s", name, text, want)
		}
	}
	for name := range made {
		if !shown[name] {
			t.Errorf("example %q is not shown in spec/protocol.md", name)
		}
	}
}

// TestProtocolFrames reads each frame of the page as a stranger would: parsed
// strictly, and signed by the key that the page says. No kind may be missing.
func TestProtocolFrames(t *testing.T) {
	c := newCast(t)
	shown := map[string]bool{}
	for _, m := range example.FindAllSubmatch(read(t, protocolPage), -1) {
		name, text := string(m[1]), m[2]
		if !strings.HasPrefix(name, "frame.") {
			continue
		}
		f, err := wire.ParseFrame(text)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		shown[f.Kind] = true
		if f.Sig != "" && !slices.ContainsFunc(c.keys(), func(k wire.PublicKey) bool { return f.Signed().Verify(k) == nil }) {
			t.Errorf("%s: its signature is of none of the page's keys", name)
		}
		again, err := wire.EncodeFrame(f)
		if err != nil || !bytes.Equal(again, text) {
			t.Errorf("%s: it holds something that nod does not know: %s (%v)", name, again, err)
		}
	}
	for _, e := range events(t) {
		if !shown[e.Kind] {
			t.Errorf("spec/protocol.md shows no frame of kind %q", e.Kind)
		}
	}
}

// TestProtocolOffer requires that the page's offer is one a phone would accept.
func TestProtocolOffer(t *testing.T) {
	if err := action.Recheck(spec.Get(), newCast(t).offer()); err != nil {
		t.Error(err)
	}
}

// event is a frame as spec/events.json describes it.
type event struct {
	Kind      string   `json:"kind"`
	Direction string   `json:"direction"`
	Signed    bool     `json:"signed"`
	Fields    []string `json:"fields"`
}

func events(t *testing.T) []event {
	t.Helper()
	var list struct {
		Frames []event `json:"frames"`
	}
	if err := json.Unmarshal(read(t, "../../spec/events.json"), &list); err != nil {
		t.Fatal(err)
	}
	if len(list.Frames) == 0 {
		t.Fatal("spec/events.json names no frame")
	}
	return list.Frames
}

// TestProtocolIndex requires that the page's last table says what spec/events.json says.
func TestProtocolIndex(t *testing.T) {
	page := string(read(t, protocolPage))
	from := map[string]string{"to_gateway": "phone", "to_phone": "gateway", "both": "both"}
	for _, e := range events(t) {
		signed, keys := "no", "-"
		if e.Signed {
			signed = "yes"
		}
		if len(e.Fields) > 0 {
			keys = "`" + strings.Join(e.Fields, "`, `") + "`"
		}
		row := fmt.Sprintf("| `%s` | %s | %s | %s |\n", e.Kind, from[e.Direction], signed, keys)
		if !strings.Contains(page, row) {
			t.Errorf("the table of all frames lacks the row %s", row)
		}
	}
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
