package spec_test

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"nod.dev/nod"
	"nod.dev/nod/internal/log"
	"nod.dev/nod/internal/wire"
	"nod.dev/nod/spec"
)

// constants returns the values of the string constants in the Go files that
// match pattern, for names that begin with prefix: one that is added there is
// missed here.
func constants(t *testing.T, pattern, prefix string) []string {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatalf("no files %s: %v", pattern, err)
	}
	var values []string
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			v, ok := n.(*ast.ValueSpec)
			if !ok || len(v.Values) != 1 {
				return true
			}
			if rest, ok := strings.CutPrefix(v.Names[0].Name, prefix); ok && rest != "" && ast.IsExported(rest) {
				values = append(values, literal(t, v.Values[0])...)
			}
			return true
		})
	}
	slices.Sort(values)
	return values
}

// literal is the value of a string literal; nothing else has one.
func literal(t *testing.T, e ast.Expr) []string {
	lit, ok := e.(*ast.BasicLit)
	if !ok || lit.Kind != token.STRING {
		return nil
	}
	value, err := strconv.Unquote(lit.Value)
	if err != nil {
		t.Fatal(err)
	}
	return []string{value}
}

const frames = "../internal/wire/frame.go"

// keys lists the JSON names of a struct's fields.
func keys(v any) []string {
	var names []string
	for f := range fields(reflect.TypeOf(v)) {
		names = append(names, f)
	}
	return names
}

func fields(t reflect.Type) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for i := range t.NumField() {
			name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
			if !yield(name) {
				return
			}
		}
	}
}

// bodies are what the signed frames carry.
var bodies = map[string]any{
	wire.KindHello: wire.HelloBody{}, wire.KindDecision: wire.DecisionBody{}, wire.KindResult: wire.ResultBody{},
	wire.KindWelcome: wire.WelcomeBody{}, wire.KindOffer: wire.OfferBody{}, wire.KindGo: wire.GoBody{},
	wire.KindDisarm: wire.CallBody{}, wire.KindWithdraw: wire.CallBody{}, wire.KindRevoked: wire.RevokedBody{},
}

func TestFramesAreThoseOfWire(t *testing.T) {
	events := spec.Get().Events
	envelope := keys(wire.Frame{})
	var kinds []string
	used := map[string]bool{"kind": true, "body": true, "sig": true}
	for _, f := range events.Frames {
		kinds = append(kinds, f.Kind)
		for _, field := range f.Fields {
			used[field] = true
			if !slices.Contains(envelope, field) {
				t.Errorf("%s: a frame has no field %q", f.Kind, field)
			}
		}
		body, signed := bodies[f.Kind]
		if signed != f.Signed {
			t.Errorf("%s: signed is %v", f.Kind, f.Signed)
		}
		if signed {
			if diff := cmp.Diff(keys(body), f.Body); diff != "" {
				t.Errorf("%s: body (-wire +events.json):\n%s", f.Kind, diff)
			}
		}
	}
	slices.Sort(kinds)
	if diff := cmp.Diff(constants(t, frames, "Kind"), kinds); diff != "" {
		t.Errorf("kinds (-wire +events.json):\n%s", diff)
	}
	for _, field := range envelope {
		if !used[field] {
			t.Errorf("no frame uses %q", field)
		}
	}
}

func TestRecordsAreThoseOfWire(t *testing.T) {
	var kinds []string
	for _, n := range spec.Get().Events.Records {
		kinds = append(kinds, n.Kind)
	}
	slices.Sort(kinds)
	if diff := cmp.Diff(constants(t, frames, "Record"), kinds); diff != "" {
		t.Errorf("records (-wire +events.json):\n%s", diff)
	}
}

// Whatever the state machine and the gateway write to the log is in the contract.
func TestLogKindsAreInTheContract(t *testing.T) {
	known := map[string]bool{}
	for _, n := range spec.Get().Events.Log {
		known[n.Kind] = true
	}
	written := append(constants(t, "../internal/call/*.go", "Log"), constants(t, "../internal/gateway/*.go", "log")...)
	if len(written) == 0 {
		t.Error("nothing writes to the log")
	}
	for _, kind := range written {
		if !known[kind] {
			t.Errorf("events.json does not have the log kind %q", kind)
		}
	}
}

func TestProtocolIsThatOfWire(t *testing.T) {
	if got := spec.Get().Protocol; got != wire.Protocol {
		t.Errorf("tools.json says %q, wire %q", got, wire.Protocol)
	}
	if wire.MinVersion != spec.MinVersion || wire.MaxVersion != spec.MaxVersion {
		t.Error("one version range is advertised, and wire has another one than the manifests")
	}
}

// The schemas describe what is really made.
func TestSchemasDescribeWhatIsMade(t *testing.T) {
	call, agent, phone := nod.NewCallID(), nod.NewAgentID(), nod.NewPhoneID()
	offer := wire.OfferBody{
		Call: call, Agent: agent, AgentName: "Laptop", Phone: phone, Screens: []nod.PhoneID{phone},
		Tool: spec.ToolPhoneAction, Action: spec.ActionTimer, Fields: nod.Fields{"seconds": int64(60)}, Summary: "timer",
		Verdict: nod.Ask, Rule: nod.RuleAlways, Risk: nod.Low, Badges: []nod.Badge{nod.BadgeRepeat}, TTLSeconds: 120, Nonce: "n",
		Repeat: &wire.Repeat{SecondsAgo: 90, Outcome: nod.Declined}, Taint: []string{"calendar"},
	}
	body, err := wire.Canonical(offer)
	if err != nil {
		t.Fatal(err)
	}
	entry := log.Entry{
		Person: nod.NewPersonID(), Seq: 7, At: 1, Kind: spec.LogCallEnded, Call: call, Agent: agent, Phone: phone,
		Facts: map[string]string{"outcome": "done"}, PayloadHash: []byte{1, 2, 3},
	}
	for name, made := range map[string][]byte{"card": body, "entry": entry.Leaf()} {
		data, err := spec.Files().Open("schemas/" + name + ".json")
		if err != nil {
			t.Fatal(err)
		}
		var raw json.RawMessage
		if err := json.NewDecoder(data).Decode(&raw); err != nil {
			t.Fatal(err)
		}
		if err := resolve(t, raw).Validate(parse(t, string(made))); err != nil {
			t.Errorf("%s: %v\n%s", name, err, made)
		}
		var doc struct {
			Properties map[string]any `json:"properties"`
		}
		if err := json.Unmarshal(raw, &doc); err != nil {
			t.Fatal(err)
		}
		var inSchema, inMade []string = slices.Sorted(maps.Keys(doc.Properties)), slices.Sorted(maps.Keys(parse(t, string(made)).(map[string]any)))
		if diff := cmp.Diff(inSchema, inMade); diff != "" {
			t.Errorf("%s: names (-schema +made):\n%s", name, diff)
		}
	}
}

// The grant schema names the same apps as the contract.
func TestGrantSchemaKnowsTheApps(t *testing.T) {
	file, err := spec.Files().Open("schemas/grant.json")
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Properties struct {
			App struct {
				Enum []string `json:"enum"`
			} `json:"app"`
		} `json:"properties"`
	}
	if err := json.NewDecoder(file).Decode(&doc); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(spec.Get().Apps, doc.Properties.App.Enum); diff != "" {
		t.Errorf("apps (-tools.json +grant.json):\n%s", diff)
	}
}
