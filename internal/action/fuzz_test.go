package action_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"nod.dev/nod"
	"nod.dev/nod/internal/action"
	"nod.dev/nod/internal/wire"
	"nod.dev/nod/spec"
)

// FuzzCheck sends any bytes as the arguments of phone_action. It never panics,
// answers with a text or an action and never both, and an action holds nothing
// that was not declared and checked.
func FuzzCheck(f *testing.F) {
	for _, rows := range readRows[checkRow](f, "check") {
		for _, row := range rows {
			if row.Tool == spec.ToolPhoneAction {
				f.Add([]byte(row.Arguments))
			}
		}
	}
	f.Fuzz(func(t *testing.T, arguments []byte) {
		act, text := action.Check(spec.Get(), spec.ToolPhoneAction, arguments)
		if (text == "") != (act.Name != "") {
			t.Fatalf("text %q and action %+v", text, act)
		}
		if text == "" {
			holds(t, act)
		} else if !utf8.ValidString(text) || strings.Contains(text, "{{") || strings.Contains(text, "no words") {
			t.Fatalf("text %q", text)
		}
	})
}

// FuzzTool does the same with any name and the other tools.
func FuzzTool(f *testing.F) {
	for _, rows := range readRows[checkRow](f, "check") {
		for _, row := range rows {
			if row.Tool != spec.ToolPhoneAction {
				f.Add(row.Tool, []byte(row.Arguments))
			}
		}
	}
	f.Fuzz(func(t *testing.T, tool string, arguments []byte) {
		act, text := action.Check(spec.Get(), tool, arguments)
		if (text == "") != (act.Name != "") {
			t.Fatalf("text %q and action %+v", text, act)
		}
		if _, known := spec.Get().Tool(tool); !known {
			if text == "" {
				t.Fatalf("there is no tool %q", tool)
			}
		} else if text == "" {
			holds(t, act)
		} else if !utf8.ValidString(text) || strings.Contains(text, "{{") || strings.Contains(text, "no words") {
			t.Fatalf("text %q", text)
		}
	})
}

// failer is a testing.T or a rapid.T.
type failer interface {
	Fatalf(format string, args ...any)
}

// reads is what an action may hold by the contract: its fields, and of which of
// them it needs one.
func reads(t failer, act nod.Action) (map[string]spec.Field, []spec.Group) {
	fields := map[string]spec.Field{}
	if act.Tool == spec.ToolPhoneAction {
		known, ok := spec.Get().Action(act.Name)
		if !ok {
			t.Fatalf("no such action: %+v", act)
		}
		for _, name := range known.Fields {
			fields[name] = spec.Get().Phone.Fields[name]
		}
		return fields, known.Required
	}
	tool, ok := spec.Get().Tool(act.Tool)
	if !ok || act.Tool != tool.Name || act.Name != tool.Name {
		t.Fatalf("no such tool: %+v", act)
	}
	for _, f := range tool.Fields {
		fields[f.Name] = f.Field
	}
	return fields, tool.Required
}

// holds checks what is true of every action that passed.
func holds(t failer, act nod.Action) {
	fields, required := reads(t, act)
	for name, v := range act.Fields {
		f, ok := fields[name]
		if !ok {
			t.Fatalf("%s has %s, which it does not read", act.Name, name)
		}
		declared(t, f, v)
	}
	for _, group := range required {
		if !slices.ContainsFunc(group, func(f string) bool { _, ok := act.Fields[f]; return ok }) {
			t.Fatalf("%s has none of %v", act.Name, group)
		}
	}
	if tool, _ := spec.Get().Tool(act.Tool); !tool.Gateway {
		if err := action.Recheck(spec.Get(), offered(act)); err != nil {
			t.Fatalf("it cannot be offered: %v", err)
		}
	}
	if _, err := wire.Canonical(act.Fields); err != nil {
		t.Fatalf("it cannot be written: %v", err)
	}
	again, text := action.Check(spec.Get(), act.Tool, asSent(t, act))
	if text != "" {
		t.Fatalf("its own form is refused: %s", text)
	}
	if diff := cmp.Diff(act, again); diff != "" {
		t.Fatalf("checked again it is another action:\n%s", diff)
	}
}

// declared checks that a value is what its field is, all the way down.
func declared(t failer, f spec.Field, v any) {
	switch v := v.(type) {
	case string:
		if v == "" || spec.Get().Phone.Trimmed(firstRune(v)) {
			t.Fatalf("%q is empty or not trimmed", v)
		}
	case bool, int64:
	case []any:
		for _, item := range v {
			declared(t, f, item)
		}
	case map[string]any:
		for key := range v {
			place := slices.Contains([]string{"lat", "lon", "query", "name"}, key)
			if f.Is != spec.FormValues && !place {
				t.Fatalf("%q in a place", key)
			}
		}
	default:
		t.Fatalf("a value of type %T", v)
	}
}

func firstRune(s string) rune {
	r, _ := utf8.DecodeRuneInString(s)
	return r
}

// asSent writes an action as an agent would have sent it: coordinates are numbers.
func asSent(t failer, act nod.Action) []byte {
	args := map[string]any{"summary": act.Summary}
	if act.Tool == spec.ToolPhoneAction {
		args["action"] = act.Name
	}
	fields, _ := reads(t, act)
	for name, v := range act.Fields {
		if f := fields[name]; f.Is == spec.FormPlace || f.Is == spec.FormPlaces {
			v = withNumbers(v)
		}
		args[name] = v
	}
	data, err := json.Marshal(args)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return data
}

func withNumbers(v any) any {
	switch v := v.(type) {
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = withNumbers(v[i])
		}
		return out
	case map[string]any:
		out := map[string]any{}
		for key, value := range v {
			if s, ok := value.(string); ok && (key == "lat" || key == "lon") {
				value = json.Number(s)
			}
			out[key] = value
		}
		return out
	}
	return v
}

// Arguments that are nearly right reach further than any bytes: every field is
// drawn, often good, sometimes not.
func TestNearlyRight(t *testing.T) {
	s := spec.Get()
	passed := 0
	rapid.Check(t, func(t *rapid.T) {
		a := rapid.SampledFrom(s.Phone.Actions).Draw(t, "action")
		args := map[string]any{"action": a.Name}
		for _, name := range s.Phone.CheckOrder {
			if a.Reads(name) || rapid.IntRange(0, 9).Draw(t, "extra") == 0 {
				args[name] = drawField(t, s, s.Phone.Fields[name], name)
			}
		}
		data, err := json.Marshal(args)
		if err != nil {
			t.Fatal(err)
		}
		act, text := action.Check(s, spec.ToolPhoneAction, data)
		if text == "" {
			passed++
			holds(t, act)
		}
	})
	if passed == 0 {
		t.Error("nothing passed, so nothing was tested")
	}
}

// The same of the tools.
func TestToolsNearlyRight(t *testing.T) {
	s := spec.Get()
	passed := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		tool := rapid.SampledFrom(s.Tools[1:]).Draw(t, "tool")
		args := map[string]any{}
		for _, f := range tool.Fields {
			need := slices.ContainsFunc(tool.Required, func(g spec.Group) bool { return slices.Contains(g, f.Name) })
			if need || rapid.Bool().Draw(t, "given") {
				args[f.Name] = drawField(t, s, f.Field, f.Name)
			}
		}
		data, err := json.Marshal(args)
		if err != nil {
			t.Fatal(err)
		}
		act, text := action.Check(s, tool.Name, data)
		if text == "" {
			passed[tool.Name]++
			holds(t, act)
		}
	})
	if len(passed) < len(s.Tools)/2 {
		t.Errorf("hardly anything passed: %v", passed)
	}
}

// drawField draws a value for a field: nine times of ten a good one.
func drawField(t *rapid.T, s *spec.Spec, f spec.Field, name string) any {
	if rapid.IntRange(0, 19).Draw(t, "odd") == 0 {
		return rapid.SampledFrom([]any{nil, "", " ", 5, true, []any{}, map[string]any{}, []any{" "}, map[string]any{"lat": 1}}).Draw(t, name)
	}
	text := rapid.SampledFrom([]string{"x", " x ", "a b", "Ünïcode", "😀", "می\u200cخواهم", "a\nb", "{{x}}", "0"})
	switch f.Is {
	case spec.FormTime:
		return rapid.StringMatching(` ?[0-2][0-9]:[0-5][0-9]`).Draw(t, name)
	case spec.FormDate:
		return rapid.StringMatching(`[0-9]{4}-[0-9]{2}-[0-9]{2}(T[0-9]{2}:[0-9]{2})?`).Draw(t, name)
	case spec.FormNumber:
		return rapid.StringMatching(`\+?[0-9 ()*#-]{3,12}`).Draw(t, name)
	case spec.FormURL:
		return rapid.StringMatching(`https?://[a-z0-9.-]{1,12}(:[0-9]{1,5})?(/[a-z?#@]{0,5})?`).Draw(t, name)
	case spec.FormInteger:
		return rapid.Int64Range(max(f.Min-1, 0), min(f.Max+1, 1<<53-1)).Draw(t, name)
	case spec.FormBoolean:
		return rapid.Bool().Draw(t, name)
	case spec.FormEnum:
		return rapid.SampledFrom(s.Phone.Words(f)).Draw(t, name)
	case spec.FormMoment:
		return rapid.StringMatching(`202[67]-0[1-3]-[0-3][0-9]([T ][0-2][0-9]:[0-5][0-9](:[0-5][0-9])?)?`).Draw(t, name)
	case spec.FormWeekdays:
		day := rapid.SampledFrom([]any{"mon", "Tuesday", " WED", 4, 5.0, 7, "sun", "Sunday"})
		return rapid.SliceOfN(day, 0, 9).Draw(t, name)
	case spec.FormDays:
		return rapid.SliceOfN(rapid.SampledFrom(s.Phone.Enums[f.Enum]), 0, 3).Draw(t, name)
	case spec.FormTexts:
		return rapid.SliceOfN(text, 0, 3).Draw(t, name)
	case spec.FormPlace:
		return drawPlace(t)
	case spec.FormPlaces:
		return []any{drawPlace(t), drawPlace(t)}
	case spec.FormValues:
		return rapid.MapOfN(text, text, 0, 3).Draw(t, name)
	}
	return text.Draw(t, name)
}

func drawPlace(t *rapid.T) any {
	place := map[string]any{}
	if rapid.Bool().Draw(t, "pair") {
		place["lat"] = rapid.Float64Range(-91, 91).Draw(t, "lat")
		place["lon"] = rapid.Float64Range(-181, 181).Draw(t, "lon")
	}
	if rapid.Bool().Draw(t, "query") {
		place["query"] = rapid.SampledFrom([]string{"SFO", " SFO ", "", "x"}).Draw(t, "query")
	}
	return place
}
