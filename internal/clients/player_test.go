package clients

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const waiting = "STILL WAITING (call_id call_ABCDEFGHIJKLMNOPQRSTUVWXYZ). It is on the phone."

// talk is what a client sends in one interface: with the tools offered, then
// with one result, then with two. FIRST stands for the first result's text.
type talk struct {
	name, path string
	stream     bool
	turns      [3]string
	tools      []string
	// called finds the call in an answer: its name and arguments.
	called string
}

var talks = []talk{
	{
		name: "responses", path: "/v1/responses", stream: true,
		turns: [3]string{
			`{"stream": true, "tools": TOOLS, "input": [{"type": "message", "role": "user", "content": []}]}`,
			`{"stream": true, "tools": TOOLS, "input": [{"type": "function_call", "call_id": "call_1"}, {"type": "function_call_output", "call_id": "call_1", "output": FIRST}]}`,
			`{"stream": true, "tools": TOOLS, "input": [{"type": "function_call_output", "call_id": "call_1", "output": FIRST}, {"type": "function_call_output", "call_id": "call_2", "output": [{"type": "input_text", "text": "done"}]}]}`,
		},
		tools:  []string{"shell", "mcp__nod/phone_action", "mcp__nod/call_status"},
		called: `"namespace":"mcp__nod"`,
	},
	{
		name: "completions", path: "/v1/chat/completions", stream: true,
		turns: [3]string{
			`{"stream": true, "tools": TOOLS, "messages": [{"role": "user", "content": "go"}]}`,
			`{"stream": true, "tools": TOOLS, "messages": [{"role": "tool", "tool_call_id": "call_1", "content": FIRST}]}`,
			`{"stream": true, "tools": TOOLS, "messages": [{"role": "tool", "tool_call_id": "call_1", "content": FIRST}, {"role": "tool", "tool_call_id": "call_2", "content": [{"type": "text", "text": "done"}]}]}`,
		},
		tools: []string{"bash", "nod_phone_action", "nod_call_status"},
	},
	{
		name: "messages", path: "/v1/messages", stream: true,
		turns: [3]string{
			`{"stream": true, "tools": TOOLS, "messages": [{"role": "user", "content": "go"}]}`,
			`{"stream": true, "tools": TOOLS, "messages": [{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "call_1", "content": FIRST}]}]}`,
			`{"stream": true, "tools": TOOLS, "messages": [{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "call_1", "content": FIRST}]}, {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "call_2", "content": [{"type": "text", "text": "done"}]}]}]}`,
		},
		tools: []string{"Bash", "mcp__nod__phone_action", "mcp__nod__call_status"},
	},
	{
		name: "gemini", path: "/v1beta/models/scripted:streamGenerateContent", stream: true,
		turns: [3]string{
			`{"tools": TOOLS, "contents": [{"role": "user", "parts": [{"text": "go"}]}]}`,
			`{"tools": TOOLS, "contents": [{"parts": [{"functionResponse": {"id": "call_1", "response": {"output": FIRST}}}]}]}`,
			`{"tools": TOOLS, "contents": [{"parts": [{"functionResponse": {"id": "call_1", "response": {"output": FIRST}}}, {"functionResponse": {"id": "call_2", "response": {"output": "done"}}}]}]}`,
		},
		tools: []string{"run_shell_command", "mcp_nod_phone_action", "mcp_nod_call_status"},
	},
}

// declare writes tools as a talk's interface declares them.
func (k talk) declare() string {
	var list []string
	var inner []string
	for _, name := range k.tools {
		switch namespace, bare, _ := strings.Cut(name, "/"); {
		case k.name == "completions":
			list = append(list, `{"type": "function", "function": {"name": "`+name+`"}}`)
		case bare != "":
			inner = append(inner, `{"type": "function", "name": "`+bare+`"}`)
			if len(inner) == 2 {
				list = append(list, `{"type": "namespace", "name": "`+namespace+`", "tools": [`+strings.Join(inner, ",")+`]}`)
			}
		default:
			list = append(list, `{"type": "function", "name": "`+name+`"}`)
		}
	}
	if k.name == "gemini" {
		return `[{"functionDeclarations": [` + strings.Join(list, ",") + `]}]`
	}
	return "[" + strings.Join(list, ",") + "]"
}

// TestPlayer plays the same talk in each interface, as a stream and whole: a
// call, a second one with the id that the first result named, and the end.
func TestPlayer(t *testing.T) {
	for _, k := range talks {
		for _, stream := range []bool{true, false} {
			t.Run(k.name, func(t *testing.T) { k.play(t, stream) })
		}
	}
}

func (k talk) play(t *testing.T, stream bool) {
	m := start(t, Script{
		{Tool: "phone_action", Arguments: `{"action": "torch", "on": true}`},
		{Tool: "call_status", Arguments: `{"call_id": "{{call_id}}"}`, If: "STILL WAITING"},
	})
	want := []string{
		`{"action": "torch", "on": true}`,
		`{"call_id": "call_ABCDEFGHIJKLMNOPQRSTUVWXYZ"}`,
		Last,
	}
	for i, body := range k.turns {
		first, _ := json.Marshal(waiting)
		body = strings.NewReplacer("TOOLS", k.declare(), "FIRST", string(first)).Replace(body)
		path := k.path
		if !stream {
			body = strings.Replace(body, `"stream": true`, `"stream": false`, 1)
			path = strings.Replace(path, "streamGenerate", "generate", 1)
		}
		status, answer := ask(t, m, path, body)
		if status != http.StatusOK {
			t.Fatalf("turn %d: status %d: %s", i+1, status, answer)
		}
		if stream != strings.HasPrefix(answer, "event: ") && stream != strings.HasPrefix(answer, "data: ") {
			t.Errorf("turn %d: a stream is %v, and the answer is %q", i+1, stream, answer)
		}
		if got := said(t, answer); !slices.Contains(got, canonical(want[i])) {
			t.Errorf("turn %d: the model said %q, want %q among it", i+1, got, want[i])
		}
		if i < 2 && !strings.Contains(answer, k.called) {
			t.Errorf("turn %d: no %s in %s", i+1, k.called, answer)
		}
	}
	told := []Result{{Call: "call_1", Texts: []string{waiting}}, {Call: "call_2", Texts: []string{"done"}}}
	if diff := cmp.Diff(told, m.Told()); diff != "" {
		t.Errorf("what the model was told (-want +got):\n%s", diff)
	}
	turns := m.Turns()
	if len(turns) != 3 || !slices.Equal(turns[0].Tools, k.tools) {
		t.Errorf("turns = %+v, want 3 that offer %q", turns, k.tools)
	}
}

// said collects every text in an answer, as a stream or whole.
func said(t *testing.T, answer string) (list []string) {
	t.Helper()
	documents := []string{answer}
	if strings.HasPrefix(answer, "event: ") || strings.HasPrefix(answer, "data: ") {
		documents = nil
		for lines := bufio.NewScanner(strings.NewReader(answer)); lines.Scan(); {
			if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok && data != "[DONE]" {
				documents = append(documents, data)
			}
		}
	}
	for _, d := range documents {
		var v any
		if err := json.Unmarshal([]byte(d), &v); err != nil {
			t.Fatalf("the answer is no JSON: %v: %s", err, d)
		}
		walk(v, &list)
	}
	return list
}

// walk collects the texts of a value, and its objects as JSON.
func walk(v any, list *[]string) {
	switch v := v.(type) {
	case string:
		*list = append(*list, canonical(v))
	case []any:
		for _, e := range v {
			walk(e, list)
		}
	case map[string]any:
		b, _ := json.Marshal(v)
		*list = append(*list, string(b))
		for _, e := range v {
			walk(e, list)
		}
	}
}

// canonical is an object without its spaces; any other text is itself.
func canonical(text string) string {
	var v map[string]any
	if json.Unmarshal([]byte(text), &v) != nil {
		return text
	}
	b, _ := json.Marshal(v)
	return string(b)
}

// TestTold has what a client tells the model kept as it was told: flags, parts
// that are no text, and what stands beside the text.
func TestTold(t *testing.T) {
	for _, row := range []struct {
		name, path, body string
		want             Result
	}{
		{"an error of Anthropic's", "/v1/messages",
			`{"tools": [{"name": "x"}], "messages": [{"content": [{"type": "tool_result", "tool_use_id": "call_1", "is_error": true, "content": [{"type": "text", "text": "no"}, {"type": "image"}]}]}]}`,
			Result{Call: "call_1", Texts: []string{"no"}, Error: true, Other: []string{"image"}}},
		{"an error of Gemini's", "/v1beta/models/m:generateContent",
			`{"tools": [{"functionDeclarations": [{"name": "x"}]}], "contents": [{"parts": [{"functionResponse": {"id": "a", "response": {"error": "no", "more": 1}, "parts": [{}]}}]}]}`,
			Result{Call: "a", Texts: []string{"no"}, Error: true, Other: []string{"more", "part"}}},
		{"an object for a text", "/v1/responses",
			`{"tools": [{"type": "function", "name": "x"}], "input": [{"type": "function_call_output", "call_id": "call_1", "output": {"a": 1}}]}`,
			Result{Call: "call_1", Other: []string{`not a text: {"a": 1}`}}},
		{"two texts", "/v1/chat/completions",
			`{"tools": [{"function": {"name": "x"}}], "messages": [{"role": "tool", "tool_call_id": "call_1", "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}]}`,
			Result{Call: "call_1", Texts: []string{"a", "b"}}},
	} {
		t.Run(row.name, func(t *testing.T) {
			m := start(t, nil)
			if status, answer := ask(t, m, row.path, row.body); status != http.StatusOK || !strings.Contains(answer, Last) {
				t.Fatalf("status %d: %s", status, answer)
			}
			if diff := cmp.Diff([]Result{row.want}, m.Told()); diff != "" {
				t.Errorf("told (-want +got):\n%s", diff)
			}
		})
	}
}

// TestPlayerStops has the model say no more than its script: not to a talk
// without tools, not without the tool, and not after another answer.
func TestPlayerStops(t *testing.T) {
	m := start(t, Script{{Tool: "phone_action", Arguments: "{}"}, {Tool: "phone_action", Arguments: "{}", If: "STILL"}})
	offered := `"tools": [{"name": "nod_phone_action"}]`
	result := `{"content": [{"type": "tool_result", "tool_use_id": "call_1", "content": "done"}]}`
	for _, row := range []struct{ name, body, want string }{
		{"no tools", `{"messages": []}`, `"text":"A talk with a phone"`},
		{"another tool", `{"tools": [{"name": "phone_actions"}], "messages": []}`, Last},
		{"another answer", `{` + offered + `, "messages": [` + result + `]}`, Last},
		{"the script's end", `{` + offered + `, "messages": [` + result + `,` + result + `]}`, Last},
	} {
		t.Run(row.name, func(t *testing.T) {
			if _, answer := ask(t, m, "/v1/messages", row.body); !strings.Contains(answer, row.want) || strings.Contains(answer, "tool_use\"") {
				t.Errorf("the model said %s, want %s", answer, row.want)
			}
		})
	}
	if got := len(m.Turns()); got != 3 {
		t.Errorf("%d turns are kept, want 3: the one without tools is none", got)
	}
}

// TestPlayerRefuses has what the model cannot answer be known afterwards.
func TestPlayerRefuses(t *testing.T) {
	m := start(t, nil)
	for path, want := range map[string]int{
		"/v1/embeddings": http.StatusNotFound, "/v1/messages": http.StatusBadRequest,
		"/v1/messages/count_tokens": http.StatusOK, "/v1beta/models/m:countTokens": http.StatusOK, "/v1beta/models/m:embed": http.StatusNotFound,
	} {
		if status, _ := ask(t, m, path, "no JSON"); status != want {
			t.Errorf("POST %s = %d, want %d", path, status, want)
		}
	}
	if got, want := m.Strange(), []string{"POST /v1/embeddings"}; !slices.Equal(got, want) {
		t.Errorf("strange = %q, want %q", got, want)
	}
}

func start(t *testing.T, script Script) *Player {
	t.Helper()
	m, err := NewPlayer(script)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Close)
	return m
}

func ask(t *testing.T, m *Player, path, body string) (int, string) {
	t.Helper()
	resp, err := http.Post(m.URL+path, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(b)
}
