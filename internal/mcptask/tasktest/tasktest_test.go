package tasktest_test

import (
	"encoding/json"
	"log/slog"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"nod.dev/nod/internal/mcptask/tasktest"
)

// wire is a client that speaks in whole messages.
type wire struct {
	t    *testing.T
	conn mcp.Connection
	id   int
}

// connect is a client of a server with the tools, on a pipe.
func connect(t *testing.T) *wire {
	server := mcp.NewServer(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	tasktest.Install(server, slog.New(slog.DiscardHandler))
	here, there := mcp.NewInMemoryTransports()
	session, err := server.Connect(t.Context(), there, nil)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := here.Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = conn.Close()
		_ = session.Wait()
	})
	return &wire{t: t, conn: conn}
}

// answer is what a client sees of a result or an error.
type answer struct {
	Code          int64          `json:"code"`
	ResultType    string         `json:"resultType"`
	TaskID        string         `json:"taskId"`
	Status        string         `json:"status"`
	InputRequests map[string]any `json:"inputRequests"`
	Content       []struct{ Text string }
	Result        struct {
		Content []struct{ Text string }
		IsError bool `json:"isError"`
	}
	Error struct{ Code int64 }
}

func (w *wire) ask(method string, params map[string]any) (a answer) {
	w.t.Helper()
	w.id++
	params["_meta"] = map[string]any{
		mcp.MetaKeyProtocolVersion:    "2026-07-28",
		mcp.MetaKeyClientCapabilities: map[string]any{"extensions": map[string]any{"io.modelcontextprotocol/tasks": map[string]any{}}},
	}
	b, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": strconv.Itoa(w.id), "method": method, "params": params})
	if err != nil {
		w.t.Fatal(err)
	}
	m, err := jsonrpc.DecodeMessage(b)
	if err != nil {
		w.t.Fatal(err)
	}
	if err := w.conn.Write(w.t.Context(), m); err != nil {
		w.t.Fatal(err)
	}
	got, err := w.conn.Read(w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}
	r, ok := got.(*jsonrpc.Response)
	if !ok {
		w.t.Fatalf("%s: answered %T", method, got)
	}
	b = r.Result
	if r.Error != nil {
		if b, err = json.Marshal(r.Error); err != nil {
			w.t.Fatal(err)
		}
	}
	if err := json.Unmarshal(b, &a); err != nil {
		w.t.Fatalf("%s: answered %s: %v", method, b, err)
	}
	return a
}

func (w *wire) call(tool string, arguments map[string]any) answer {
	w.t.Helper()
	return w.ask("tools/call", map[string]any{"name": tool, "arguments": arguments})
}

func (w *wire) get(id string) answer {
	w.t.Helper()
	return w.ask("tasks/get", map[string]any{"taskId": id})
}

func TestEnds(t *testing.T) {
	for _, tt := range []struct {
		tool      string
		arguments map[string]any
		wait      time.Duration
		status    string
		text      string
		isError   bool
		code      int64
	}{
		{"slow_compute", map[string]any{"seconds": 60, "label": "it"}, time.Minute, "completed", "it took 60 s.", false, 0},
		{"slow_compute", map[string]any{"seconds": 0.5, "label": "it"}, time.Second, "completed", "it took 0.5 s.", false, 0},
		{"failing_job", nil, 2 * time.Second, "completed", "It did not work.", true, 0},
		{"protocol_error_job", nil, time.Second, "failed", "", false, -32603},
	} {
		synctest.Test(t, func(t *testing.T) {
			w := connect(t)
			made := w.call(tt.tool, tt.arguments)
			if made.ResultType != "task" || made.Status != "working" {
				t.Fatalf("%s answered %+v, want a working task", tt.tool, made)
			}
			if a := w.get(made.TaskID); a.Status != "working" || a.ResultType != "complete" {
				t.Errorf("%s: at once %+v, want working", tt.tool, a)
			}
			time.Sleep(tt.wait)
			synctest.Wait()
			a := w.get(made.TaskID)
			var text string
			if len(a.Result.Content) > 0 {
				text = a.Result.Content[0].Text
			}
			if a.Status != tt.status || text != tt.text || a.Result.IsError != tt.isError || a.Error.Code != tt.code {
				t.Errorf("%s ended %+v, want %+v", tt.tool, a, tt)
			}
			if ack := w.ask("tasks/cancel", map[string]any{"taskId": made.TaskID}); ack.ResultType != "complete" || ack.TaskID != "" {
				t.Errorf("%s: cancelled with %+v, want an empty acknowledgement", tt.tool, ack)
			}
			if again := w.get(made.TaskID); again.Status != tt.status {
				t.Errorf("%s: %s after a late cancel, want %s", tt.tool, again.Status, tt.status)
			}
		})
	}
}

func TestAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := connect(t)
		if a := w.call("greet", map[string]any{"name": "World"}); a.ResultType != "complete" || a.Content[0].Text != "Hello, World!" {
			t.Errorf("greet answered %+v", a)
		}
		if a := w.call("slow_compute", map[string]any{"seconds": 0, "label": "it"}); a.ResultType != "complete" || a.TaskID != "" {
			t.Errorf("slow_compute without seconds answered %+v, want its result", a)
		}
	})
}

func TestCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := connect(t)
		for _, made := range []answer{
			w.call("slow_compute", map[string]any{"seconds": 60, "label": "it"}),
			w.call("confirm_delete", map[string]any{"filename": "a"}),
		} {
			w.ask("tasks/cancel", map[string]any{"taskId": made.TaskID})
			time.Sleep(2 * time.Minute)
			w.ask("tasks/update", map[string]any{"taskId": made.TaskID, "inputResponses": map[string]any{"confirm": map[string]any{}}})
			if a := w.get(made.TaskID); a.Status != "cancelled" || a.InputRequests != nil {
				t.Errorf("after a cancel %+v, want cancelled for good", a)
			}
		}
	})
}

func TestInputs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := connect(t)
		made := w.call("multi_input", nil)
		if a := w.get(made.TaskID); a.Status != "input_required" || len(a.InputRequests) != 2 {
			t.Fatalf("begins as %+v, want two questions", a)
		}
		for _, step := range []struct {
			key  string
			left []string
		}{
			{"never", []string{"confirm", "name"}},
			{"name", []string{"confirm"}},
			{"name", []string{"confirm"}},
			{"confirm", nil},
		} {
			ack := w.ask("tasks/update", map[string]any{"taskId": made.TaskID, "inputResponses": map[string]any{step.key: map[string]any{"action": "accept"}}})
			if ack.ResultType != "complete" || ack.Status != "" {
				t.Errorf("%s: acknowledged by %+v", step.key, ack)
			}
			a := w.get(made.TaskID)
			if len(a.InputRequests) != len(step.left) {
				t.Errorf("%s: left are %v, want %v", step.key, a.InputRequests, step.left)
			}
			for _, k := range step.left {
				if a.InputRequests[k] == nil {
					t.Errorf("%s: %s is not asked any more", step.key, k)
				}
			}
		}
		if a := w.get(made.TaskID); a.Status != "completed" {
			t.Errorf("ended %+v, want completed", a)
		}
	})
}

func TestNameFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := connect(t)
		first := w.call("test_tool_with_task", map[string]any{})
		if first.ResultType != "input_required" || first.TaskID != "" || first.InputRequests["user_name"] == nil {
			t.Fatalf("begins as %+v, want a question and no task", first)
		}
		made := w.ask("tools/call", map[string]any{"name": "test_tool_with_task", "arguments": map[string]any{},
			"inputResponses": map[string]any{"user_name": map[string]any{"action": "accept", "content": map[string]any{"name": "Alice"}}}})
		if made.ResultType != "task" || made.InputRequests != nil {
			t.Fatalf("goes on as %+v, want a task", made)
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if a := w.get(made.TaskID); a.Status != "completed" || a.Result.Content[0].Text != "Hello, Alice!" {
			t.Errorf("ended %+v, want the name in it", a)
		}
	})
}
