//lint:file-ignore SA1019 the suite asks for sampling, roots and logging, which 2026-07-28 deprecates

package conformance

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// addSessionTools adds the tools that say or ask something while they run.
func (f *fixtures) addSessionTools() {
	f.tool("test_tool_with_logging", "Logs while it runs.", f.waiting(logs))
	f.tool("test_tool_with_progress", "Tells its progress.", f.waiting(progresses))
	f.tool("test_sampling", "Asks the client's model.", f.waiting(samples), "prompt")
	f.tool("test_elicitation", "Asks the client's user.", f.waiting(func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return elicits(ctx, req, argument(req, "message"), `{
			"username": {"type": "string", "description": "User's response"},
			"email": {"type": "string", "description": "User's email address"}
		}`, "username", "email")
	}), "message")
	f.tool("test_elicitation_sep1034_defaults", "Asks with an answer for each question.", f.waiting(func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return elicits(ctx, req, "Is this right?", `{
			"name": {"type": "string", "default": "John Doe"},
			"age": {"type": "integer", "default": 30},
			"score": {"type": "number", "default": 95.5},
			"status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
			"verified": {"type": "boolean", "default": true}
		}`)
	}))
	f.tool("test_elicitation_sep1330_enums", "Asks in each way there is to choose.", f.waiting(func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return elicits(ctx, req, "Which?", `{
			"untitledSingle": {"type": "string", "enum": ["option1", "option2", "option3"]},
			"titledSingle": {"type": "string", "oneOf": [{"const": "value1", "title": "First Option"}, {"const": "value2", "title": "Second Option"}]},
			"legacyEnum": {"type": "string", "enum": ["opt1", "opt2", "opt3"], "enumNames": ["Option One", "Option Two", "Option Three"]},
			"untitledMulti": {"type": "array", "items": {"type": "string", "enum": ["option1", "option2", "option3"]}},
			"titledMulti": {"type": "array", "items": {"anyOf": [{"const": "value1", "title": "First Choice"}, {"const": "value2", "title": "Second Choice"}]}}
		}`)
	}))
}

func logs(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	for i, line := range []string{"Tool execution started", "Tool processing data", "Tool execution completed"} {
		if i > 0 {
			if err := pause(ctx); err != nil {
				return nil, err
			}
		}
		if err := req.Session.Log(ctx, &mcp.LoggingMessageParams{Level: "info", Data: line}); err != nil {
			return nil, err
		}
	}
	return says("It logged."), nil
}

func progresses(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	token := req.Params.GetProgressToken()
	for _, done := range []float64{0, 50, 100} {
		if done > 0 {
			if err := pause(ctx); err != nil {
				return nil, err
			}
		}
		if token == nil {
			continue
		}
		if err := req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: token, Progress: done, Total: 100}); err != nil {
			return nil, err
		}
	}
	return says("It is done."), nil
}

func samples(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	r, err := req.Session.CreateMessage(ctx, sampling(argument(req, "prompt")))
	if err != nil {
		return nil, err
	}
	said, ok := r.Content.(*mcp.TextContent)
	if !ok {
		return nil, fmt.Errorf("the model answered with %T", r.Content)
	}
	return says("LLM response: " + said.Text), nil
}

func sampling(prompt string) *mcp.CreateMessageParams {
	return &mcp.CreateMessageParams{MaxTokens: 100, Messages: []*mcp.SamplingMessage{{Role: "user", Content: text(prompt)}}}
}

func elicits(ctx context.Context, req *mcp.CallToolRequest, message, properties string, required ...string) (*mcp.CallToolResult, error) {
	r, err := req.Session.Elicit(ctx, form(message, properties, required...))
	if err != nil {
		return nil, err
	}
	content, err := json.Marshal(r.Content)
	if err != nil {
		return nil, err
	}
	return says(fmt.Sprintf("User response: action=%s, content=%s", r.Action, content)), nil
}

// form asks for an object with these properties.
func form(message, properties string, required ...string) *mcp.ElicitParams {
	schema := map[string]any{"type": "object", "properties": json.RawMessage(properties)}
	if len(required) > 0 {
		schema["required"] = required
	}
	return &mcp.ElicitParams{Message: message, RequestedSchema: schema}
}

// addStatelessTools adds the tools by which the suite looks at a server without
// sessions (SEP-2575).
func (f *fixtures) addStatelessTools() {
	f.tool("test_missing_capability", "Needs a client that can sample.", func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		if c := req.ClientCapabilities(); c == nil || c.Sampling == nil {
			return nil, missing(&mcp.ClientCapabilities{Sampling: &mcp.SamplingCapabilities{}})
		}
		return says("The client can sample."), nil
	})
	f.tool("test_streaming_elicitation", "Asks on a stream that has begun.", f.waiting(func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		if err := pause(ctx); err != nil {
			return nil, err
		}
		return f.ask(req, mcp.InputRequestMap{"ok": form("Go on?", `{"ok": {"type": "boolean"}}`, "ok")}, func(answers mcp.InputResponseMap) string {
			return "Gone on."
		})
	}))
	f.tool("test_logging_tool", "Logs, to whoever wants to hear it.", f.waiting(logs))
	f.tool("test_trigger_tool_change", "Changes the list of tools.", func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		const name = "test_passing"
		f.tool(name, "Comes and goes.", func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) { return says("Here."), nil })
		f.RemoveTools(name)
		return says("The list of tools has changed."), nil
	})
	f.tool("test_trigger_prompt_change", "Changes the list of prompts.", func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		const name = "test_passing"
		f.AddPrompt(&mcp.Prompt{Name: name, Description: "Comes and goes."}, func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			return &mcp.GetPromptResult{}, nil
		})
		f.RemovePrompts(name)
		return says("The list of prompts has changed."), nil
	})
}

// missing is the error for a client that did not say it can do what is needed.
func missing(c *mcp.ClientCapabilities) error {
	data, err := json.Marshal(mcp.MissingRequiredClientCapabilityData{RequiredCapabilities: c})
	if err != nil {
		return err
	}
	return &jsonrpc.Error{Code: mcp.CodeMissingRequiredClientCapabilities, Message: "the client did not declare what this tool needs", Data: data}
}
