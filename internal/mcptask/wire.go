package mcptask

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Values of resultType.
const (
	typeTask     = "task"
	typeComplete = "complete"
)

// result is an answer of the extension: a task, flat among the other fields, or
// nothing but the acknowledgement.
type result struct {
	mcp.ResultBase
	ResultType string `json:"resultType"`
	*state
	*ending
}

// state is what is always told of a task.
type state struct {
	TaskID         string `json:"taskId"`
	Status         Status `json:"status"`
	StatusMessage  string `json:"statusMessage,omitempty"`
	CreatedAt      string `json:"createdAt"`
	LastUpdatedAt  string `json:"lastUpdatedAt"`
	TTLMs          *int64 `json:"ttlMs"` // null for ever
	PollIntervalMs int64  `json:"pollIntervalMs,omitempty"`
}

// ending is what only tasks/get tells.
type ending struct {
	InputRequests mcp.InputRequestMap `json:"inputRequests,omitempty"`
	Result        json.RawMessage     `json:"result,omitempty"`
	Error         *jsonrpc.Error      `json:"error,omitempty"`
}

// acknowledged is the answer to what is only noted.
func acknowledged() *result { return &result{ResultType: typeComplete} }

// created is the answer to a tool call that became t.
func created(t Task) *result { return &result{ResultType: typeTask, state: stateOf(t)} }

// detailed is the answer to tasks/get. It fails for a task that is not what its
// status says: a client could do nothing with it.
func detailed(t Task) (*result, error) {
	end := &ending{}
	missing := false
	switch t.Status {
	case Working, Cancelled:
	case InputRequired:
		end.InputRequests, missing = t.Inputs, len(t.Inputs) == 0
	case Completed:
		if missing = t.Result == nil; !missing {
			b, err := plain(t.Result)
			if err != nil {
				return nil, err
			}
			end.Result = b
		}
	case Failed:
		end.Error, missing = t.Fault, t.Fault == nil
	default:
		return nil, fmt.Errorf("task %s has the status %q", t.ID, t.Status)
	}
	if missing {
		return nil, fmt.Errorf("task %s is %s and lacks what belongs to it", t.ID, t.Status)
	}
	return &result{ResultType: typeComplete, state: stateOf(t), ending: end}, nil
}

func stateOf(t Task) *state {
	s := &state{
		TaskID: t.ID, Status: t.Status, StatusMessage: t.Message,
		CreatedAt: stamp(t.Created), LastUpdatedAt: stamp(t.Updated), PollIntervalMs: t.Poll.Milliseconds(),
	}
	if t.TTL > 0 {
		ms := t.TTL.Milliseconds()
		s.TTLMs = &ms
	}
	return s
}

// stamp is an instant as the extension writes it: ISO 8601, UTC.
func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z07:00") }

// plain is a tool's result as a plain call answers it. The library writes the
// resultType, which the revision requires, only into what it sends itself.
func plain(r *mcp.CallToolResult) (json.RawMessage, error) {
	b, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	var has struct {
		ResultType string `json:"resultType"`
	}
	if err := json.Unmarshal(b, &has); err != nil || has.ResultType != "" {
		return b, err
	}
	head := []byte(`{"resultType":"` + typeComplete + `"`)
	if rest := bytes.TrimPrefix(b, []byte("{")); len(rest) > 1 {
		return append(append(head, ','), rest...), nil
	}
	return append(head, '}'), nil
}
