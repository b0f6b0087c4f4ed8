//lint:file-ignore SA1019 the suite asks for sampling and roots, which 2026-07-28 deprecates

package conformance

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// asked is how many rounds a tool has asked already; it is what the sealed state
// says that a client carries.
type asked int

// addInputTools adds the tools that answer with a question, and are called again
// with the answer (SEP-2322).
func (f *fixtures) addInputTools() {
	name := form("What is your name?", `{"name": {"type": "string"}}`, "name")
	ok := form("Go on?", `{"ok": {"type": "boolean"}}`, "ok")
	for _, t := range []struct {
		name   string
		sealed bool // the client carries a state
		rounds []mcp.InputRequestMap
		say    func(mcp.InputResponseMap) string
	}{
		{"elicitation", false, []mcp.InputRequestMap{{"user_name": name}}, func(a mcp.InputResponseMap) string {
			return "Hello, " + field(a["user_name"], "name") + "!"
		}},
		{"sampling", false, []mcp.InputRequestMap{{"capital_question": sampling("What is the capital of France?")}}, func(a mcp.InputResponseMap) string {
			return fmt.Sprintf("The model answered by %T.", a["capital_question"])
		}},
		{"list_roots", false, []mcp.InputRequestMap{{"client_roots": &mcp.ListRootsParams{}}}, func(a mcp.InputResponseMap) string {
			return "The roots are " + roots(a["client_roots"]) + "."
		}},
		{"request_state", true, []mcp.InputRequestMap{{"confirm": ok}}, func(mcp.InputResponseMap) string { return "state-ok" }},
		{"tampered_state", true, []mcp.InputRequestMap{{"confirm": ok}}, func(mcp.InputResponseMap) string { return "The state is whole." }},
		{"multiple_inputs", true, []mcp.InputRequestMap{{
			"user_name": name, "greeting": sampling("Generate a greeting"), "client_roots": &mcp.ListRootsParams{},
		}}, func(a mcp.InputResponseMap) string {
			return "Hello, " + field(a["user_name"], "name") + " at " + roots(a["client_roots"]) + "!"
		}},
		{"multi_round", true, []mcp.InputRequestMap{
			{"step1": form("Step 1: What is your name?", `{"name": {"type": "string"}}`, "name")},
			{"step2": form("Step 2: What is your favorite color?", `{"color": {"type": "string"}}`, "color")},
		}, func(a mcp.InputResponseMap) string { return "You like " + field(a["step2"], "color") + "." }},
	} {
		f.tool("test_input_required_result_"+t.name, "Asks before it answers.", func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			if t.sealed {
				return f.rounds(req, t.rounds, t.say)
			}
			return f.ask(req, t.rounds[0], t.say)
		})
	}
	f.tool("test_input_required_result_capabilities", "Asks what the client can answer.", func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		questions := mcp.InputRequestMap{}
		if c := req.ClientCapabilities(); c != nil && c.Elicitation != nil {
			questions["user_name"] = name
		}
		if c := req.ClientCapabilities(); c != nil && c.Sampling != nil {
			questions["greeting"] = sampling("Generate a greeting")
		}
		return f.ask(req, questions, func(mcp.InputResponseMap) string { return "The client could answer." })
	})
	f.AddPrompt(&mcp.Prompt{Name: "test_input_required_result_prompt", Description: "Asks before it answers."},
		func(_ context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			const key = "user_context"
			if req.Params.InputResponses[key] == nil {
				return &mcp.GetPromptResult{InputRequests: mcp.InputRequestMap{
					key: form("What context should the prompt use?", `{"context": {"type": "string"}}`, "context"),
				}}, nil
			}
			said := "In this context: " + field(req.Params.InputResponses[key], "context")
			return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{{Role: "user", Content: text(said)}}}, nil
		})
}

// ask asks until everything is answered.
func (f *fixtures) ask(req *mcp.CallToolRequest, questions mcp.InputRequestMap, say func(mcp.InputResponseMap) string) (*mcp.CallToolResult, error) {
	for key := range questions {
		if req.Params.InputResponses[key] == nil {
			return &mcp.CallToolResult{InputRequests: questions}, nil
		}
	}
	return says(say(req.Params.InputResponses)), nil
}

// rounds asks one round after another, and has the client carry how far it came.
func (f *fixtures) rounds(req *mcp.CallToolRequest, all []mcp.InputRequestMap, say func(mcp.InputResponseMap) string) (*mcp.CallToolResult, error) {
	var n asked
	if state := req.Params.RequestState; state != "" {
		var err error
		if n, err = f.open(state, req.Params.Name); err != nil {
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: err.Error()}
		}
		for key := range all[n-1] {
			if req.Params.InputResponses[key] == nil {
				n-- // it is asked again
				break
			}
		}
	}
	if int(n) == len(all) {
		return says(say(req.Params.InputResponses)), nil
	}
	return &mcp.CallToolResult{InputRequests: all[n], RequestState: f.seal(n+1, req.Params.Name)}, nil
}

// seal makes a state that only this server can have made, for this tool.
func (f *fixtures) seal(n asked, tool string) string {
	said := fmt.Sprint(int(n))
	mac := hmac.New(sha256.New, f.key)
	mac.Write([]byte(tool + " " + said))
	return said + "." + base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// open reads a state that seal made.
func (f *fixtures) open(state, tool string) (asked, error) {
	said, _, _ := strings.Cut(state, ".")
	var n asked
	if _, err := fmt.Sscan(said, (*int)(&n)); err != nil || !hmac.Equal([]byte(state), []byte(f.seal(n, tool))) {
		return 0, fmt.Errorf("this state was not made here")
	}
	return n, nil
}

// field is what a user put into a form, empty where they did not.
func field(r mcp.InputResponse, name string) string {
	if e, is := r.(*mcp.ElicitResult); is {
		s, _ := e.Content[name].(string)
		return s
	}
	return ""
}

func roots(r mcp.InputResponse) string {
	var all []string
	if l, is := r.(*mcp.ListRootsResult); is {
		for _, root := range l.Roots {
			all = append(all, root.URI)
		}
	}
	return strings.Join(all, ", ")
}
