package tasktest

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"nod.dev/nod/internal/mcptask"
)

// Install adds the extension to a server, over a ledger of its own, and the
// tools that make tasks. It comes after every other receiving middleware.
func Install(server *mcp.Server, logger *slog.Logger) {
	t := &tools{newLedger()}
	for _, tool := range []struct {
		name, about, schema string
		handler             mcp.ToolHandler
	}{
		{"greet", "Greets at once.", `{"name":{"type":"string","description":"whom"}}`, t.greet},
		{"slow_compute", "Takes its time.", `{"seconds":{"type":"number","description":"how long"},"label":{"type":"string","description":"a name for it"}}`, t.slowCompute},
		{"failing_job", "Ends with the tool's own error.", `{}`, t.failingJob},
		{"protocol_error_job", "Ends with an error of the protocol.", `{}`, t.protocolErrorJob},
		{"confirm_delete", "Asks one thing of its client.", `{"filename":{"type":"string","description":"what to delete"}}`, t.confirmDelete},
		{"multi_input", "Asks two things of its client.", `{}`, t.multiInput},
		{"test_tool_with_task", "Asks for a name first, and becomes a task then.", `{}`, t.nameFirst},
	} {
		server.AddTool(&mcp.Tool{
			Name: tool.name, Description: tool.about,
			InputSchema: json.RawMessage(`{"type":"object","properties":` + tool.schema + `}`),
		}, tool.handler)
	}
	mcptask.Install(server, t.ledger, logger)
}

type tools struct{ ledger *ledger }

func (t *tools) greet(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	var a struct{ Name string }
	if err := json.Unmarshal(req.Params.Arguments, &a); err != nil {
		return nil, err
	}
	return says("Hello, " + a.Name + "!"), nil
}

// slowCompute answers plainly what takes no time, and any client without tasks.
func (t *tools) slowCompute(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	var a struct {
		Seconds float64
		Label   string
	}
	if err := json.Unmarshal(req.Params.Arguments, &a); err != nil {
		return nil, err
	}
	wait, r := time.Duration(a.Seconds*float64(time.Second)), says(fmt.Sprintf("%s took %v s.", a.Label, a.Seconds))
	if wait > 0 && mcptask.Declared(req) {
		return mcptask.Answer(ctx, t.ledger.after(user(req), wait, completed(r)))
	}
	select {
	case <-time.After(wait):
		return r, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (t *tools) failingJob(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	r := says("It did not work.")
	r.IsError = true
	return t.onlyTask(ctx, req, time.Second, completed(r))
}

func (t *tools) protocolErrorJob(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	return t.onlyTask(ctx, req, poll, func(task *mcptask.Task) {
		task.Status = mcptask.Failed
		task.Message = "It went wrong."
		task.Fault = &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "it went wrong"}
	})
}

// onlyTask answers with a task or, to a client without them, not at all.
func (t *tools) onlyTask(ctx context.Context, req *mcp.CallToolRequest, wait time.Duration, end ending) (*mcp.CallToolResult, error) {
	if !mcptask.Declared(req) {
		return nil, mcptask.Missing()
	}
	return mcptask.Answer(ctx, t.ledger.after(user(req), wait, end))
}

func (t *tools) confirmDelete(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	return t.asks(ctx, req, mcp.InputRequestMap{"confirm": question("Delete it?", "confirm", "boolean")})
}

func (t *tools) multiInput(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	return t.asks(ctx, req, mcp.InputRequestMap{
		"name": question("Who?", "name", "string"), "confirm": question("Really?", "confirm", "boolean"),
	})
}

func (t *tools) asks(ctx context.Context, req *mcp.CallToolRequest, inputs mcp.InputRequestMap) (*mcp.CallToolResult, error) {
	if !mcptask.Declared(req) {
		return nil, mcptask.Missing()
	}
	return mcptask.Answer(ctx, t.ledger.asking(user(req), inputs, func(answers map[string]any) ending {
		b, err := json.Marshal(answers)
		if err != nil {
			b = []byte(err.Error())
		}
		return completed(says("Answered: " + string(b)))
	}))
}

// nameFirst asks by the retries of the protocol itself before there is a task.
func (t *tools) nameFirst(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	const key = "user_name"
	answer, ok := req.Params.InputResponses[key].(*mcp.ElicitResult)
	if !ok {
		return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{key: question("What is your name?", "name", "string")}}, nil
	}
	return t.onlyTask(ctx, req, poll, completed(says(fmt.Sprintf("Hello, %v!", answer.Content["name"]))))
}

// question is a form with one field.
func question(text, field, kind string) *mcp.ElicitParams {
	return &mcp.ElicitParams{Mode: "form", Message: text, RequestedSchema: json.RawMessage(
		`{"type":"object","properties":{"` + field + `":{"type":"` + kind + `"}},"required":["` + field + `"]}`)}
}

func completed(r *mcp.CallToolResult) ending {
	return func(t *mcptask.Task) { t.Status, t.Result = mcptask.Completed, r }
}

func says(text string) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}
}

// user is whom the request's token belongs to, empty without one.
func user(req *mcp.CallToolRequest) string {
	if extra := req.GetExtra(); extra != nil && extra.TokenInfo != nil {
		return extra.TokenInfo.UserID
	}
	return ""
}
