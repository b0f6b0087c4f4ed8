// Package tasktest is a ledger of tasks in memory, and tools that make them: what
// the tasks-* scenarios of the MCP conformance suite call.
package tasktest

import (
	"context"
	"crypto/rand"
	"maps"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"nod.dev/nod/internal/mcptask"
)

// How tasks are told to be kept and to be asked for.
const (
	kept = time.Hour
	poll = 100 * time.Millisecond
)

// ledger holds tasks for as long as the program runs.
type ledger struct {
	mu    sync.Mutex
	tasks map[string]*entry // by user and id; guarded by mu
}

// entry is a task and what goes on in it.
type entry struct {
	task    mcptask.Task
	timer   *time.Timer // ends it by itself; nil while it waits for its client
	answers map[string]any
	// answered ends a task that has all it asked for.
	answered func(answers map[string]any) ending
}

// ending changes a task into one that is over.
type ending func(*mcptask.Task)

func newLedger() *ledger { return &ledger{tasks: make(map[string]*entry)} }

func key(user, id string) string { return user + "/" + id }

// after begins a task that ends by itself.
func (l *ledger) after(user string, wait time.Duration, end ending) mcptask.Task {
	l.mu.Lock()
	defer l.mu.Unlock()
	e := l.begin(user, mcptask.Working)
	e.timer = time.AfterFunc(wait, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		e.end(end)
	})
	return e.task
}

// asking begins a task that ends once its client has answered what it asks.
func (l *ledger) asking(user string, inputs mcp.InputRequestMap, answered func(map[string]any) ending) mcptask.Task {
	l.mu.Lock()
	defer l.mu.Unlock()
	e := l.begin(user, mcptask.InputRequired)
	e.task.Inputs, e.answered = inputs, answered
	return e.task
}

func (l *ledger) begin(user string, status mcptask.Status) *entry {
	now := time.Now()
	e := &entry{
		task:    mcptask.Task{ID: rand.Text(), Status: status, Created: now, Updated: now, TTL: kept, Poll: poll},
		answers: make(map[string]any),
	}
	l.tasks[key(user, e.task.ID)] = e
	return e
}

// over reports whether the task has ended.
func (e *entry) over() bool {
	return e.task.Status != mcptask.Working && e.task.Status != mcptask.InputRequired
}

func (e *entry) end(end ending) {
	if e.over() {
		return
	}
	if e.timer != nil {
		e.timer.Stop()
	}
	end(&e.task)
	e.task.Inputs, e.task.Updated = nil, time.Now()
}

// find runs f on a task while nothing else does.
func (l *ledger) find(user, id string, f func(*entry)) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	e := l.tasks[key(user, id)]
	if e == nil {
		return mcptask.ErrUnknown
	}
	f(e)
	return nil
}

// Get implements [mcptask.Ledger].
func (l *ledger) Get(_ context.Context, user, id string) (t mcptask.Task, err error) {
	err = l.find(user, id, func(e *entry) {
		t = e.task
		t.Inputs = maps.Clone(t.Inputs)
	})
	return t, err
}

// Update implements [mcptask.Ledger].
func (l *ledger) Update(_ context.Context, user, id string, responses map[string]any) error {
	return l.find(user, id, func(e *entry) {
		for k, v := range responses {
			if _, asked := e.task.Inputs[k]; asked {
				delete(e.task.Inputs, k)
				e.answers[k], e.task.Updated = v, time.Now()
			}
		}
		if e.task.Status == mcptask.InputRequired && len(e.task.Inputs) == 0 {
			e.end(e.answered(e.answers))
		}
	})
}

// Cancel implements [mcptask.Ledger].
func (l *ledger) Cancel(_ context.Context, user, id string) error {
	return l.find(user, id, func(e *entry) {
		e.end(func(t *mcptask.Task) { t.Status = mcptask.Cancelled })
	})
}
