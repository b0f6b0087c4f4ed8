//go:build clients && linux

package clients

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"
)

// output is what a program said, for whoever looks for why it failed.
type output struct {
	mu   sync.Mutex
	text strings.Builder // guarded by mu
}

// Write implements [io.Writer].
func (o *output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(b)
}

// String returns all of it.
func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// busy holds a token for each client that may start or work at one time. What
// only waits needs none.
var busy = make(chan struct{}, 2)

// row is a line of the table that NOD_CLIENTS_TABLE names.
type row struct {
	t     *testing.T
	what  string
	began time.Time
	idle  func() // gives the token back
	said  string
}

// table is written by many runs.
var table sync.Mutex

// begin waits until the client may start. The row is written when the test ends.
func begin(t *testing.T, p *program, stdio bool, name string) *row {
	t.Helper()
	door := "HTTP"
	if stdio {
		door = "pipe"
	}
	what := fmt.Sprintf("%-12s %-8s %-5s %-25s", p.name, p.version(t), door, name) // or the test is skipped
	busy <- struct{}{}
	r := &row{t: t, what: what, began: time.Now()}
	r.idle = sync.OnceFunc(func() { <-busy })
	t.Cleanup(func() {
		r.idle()
		r.write()
	})
	return r
}

// say notes how it ended.
func (r *row) say(how string) { r.said = how }

func (r *row) write() {
	word := "ok"
	if r.t.Failed() {
		word = "FAILED"
	}
	line := fmt.Sprintf("%s %-6s %4.0f s  %s", r.what, word, time.Since(r.began).Seconds(), r.said)
	r.t.Log(line)
	path := os.Getenv("NOD_CLIENTS_TABLE")
	if path == "" {
		return
	}
	table.Lock()
	defer table.Unlock()
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err == nil {
		_, err = fmt.Fprintln(f, line)
		_ = f.Close()
	}
	if err != nil {
		r.t.Errorf("the table: %v", err)
	}
}
