// Package mcptask is the Tasks extension of MCP, io.modelcontextprotocol/tasks,
// over any ledger that knows how tasks stand.
//
// A client that declares the extension in a request may be answered with a task
// instead of a result: the call goes on without a connection, and the client
// asks how it stands, answers what it is asked meanwhile, or takes it back. The
// package speaks the protocol (modelcontextprotocol/ext-tasks,
// specification/2026-07-28/tasks.md) and keeps nothing itself.
//
// The extension's notifications/tasks are optional, and not sent: the MCP
// library can neither read which tasks a client subscribes to nor send what is
// not its own. What a subscription to them must be refused with, [Listen] says.
package mcptask

import (
	"context"
	"errors"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Extension names the extension where clients and servers declare it.
const Extension = "io.modelcontextprotocol/tasks"

// firstRevision is the first MCP revision that the extension belongs to. The
// tasks of 2025-11-25 were another thing, and are not served.
const firstRevision = "2026-07-28"

// The extension's methods.
const (
	methodGet    = "tasks/get"
	methodUpdate = "tasks/update"
	methodCancel = "tasks/cancel"
)

// Named reports whether a request of this method carries its params.taskId in
// the header Mcp-Name.
func Named(method string) bool {
	return method == methodGet || method == methodUpdate || method == methodCancel
}

// Status is where a task stands.
type Status string

// The statuses of the extension. The last three are final.
const (
	Working       Status = "working"
	InputRequired Status = "input_required" // it waits for what Inputs ask of the client
	Completed     Status = "completed"      // Result is what the plain call would have answered
	Failed        Status = "failed"         // Fault is the error that the plain call would have answered
	Cancelled     Status = "cancelled"
)

// Task is a call that goes on without its connection, as its ledger knows it.
type Task struct {
	// ID names the task among those of its user.
	ID     string
	Status Status
	// Message says in a sentence where it stands; empty for nothing to say.
	Message          string
	Created, Updated time.Time
	// TTL is how long after Created the task can be asked for; 0 for ever.
	TTL time.Duration
	// Poll is how often a client should ask; 0 for no advice.
	Poll time.Duration

	// Inputs are what a task that is InputRequired still asks, by keys that are
	// never used twice.
	Inputs mcp.InputRequestMap
	Result *mcp.CallToolResult // of a task that is Completed
	Fault  *jsonrpc.Error      // of a task that Failed
}

// Ledger knows the tasks. The user is the one that the request's token names,
// empty without authentication; another user's task does not exist. An unknown
// task is [ErrUnknown]. An error that is a [jsonrpc.Error] is answered as it is,
// any other as an internal one.
type Ledger interface {
	Get(ctx context.Context, user, id string) (Task, error)
	// Update delivers answers to what the task asks, by key. Keys that it does
	// not ask for, or no more, are ignored.
	Update(ctx context.Context, user, id string, responses map[string]any) error
	// Cancel asks for the task to end. It may end otherwise all the same, and
	// one that has ended stays as it is.
	Cancel(ctx context.Context, user, id string) error
}

// ErrUnknown is what a [Ledger] says of a task that it does not know.
var ErrUnknown = errors.New("there is no such task, or not any more")
