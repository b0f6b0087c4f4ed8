package stdio_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	"nod.dev/nod/nodtest"
)

// An id can be written in more than one way, and the gateway's is not the
// client's: each request is answered once all the same.
func TestIDsWrittenOtherwise(t *testing.T) {
	n := nodtest.New(t, nodtest.Options{NoPhone: true})
	p := start(t, n)
	out := bufio.NewScanner(p.out)
	ids := []string{`"<&>"`, `1.0`, `1e1`, `"\u00e9"`, `"a\/b"`, `-0`, `"last"`}
	go func() {
		for i, id := range ids {
			line := `{"jsonrpc":"2.0","id":` + id + `,"method":"ping"}`
			if i == 0 {
				line = `{"jsonrpc":"2.0","id":` + id + `,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`
			}
			_, _ = io.WriteString(p.in, line+"\n")
		}
	}()
	value := func(id string) string {
		var v any
		if err := json.Unmarshal([]byte(id), &v); err != nil {
			t.Fatal(err)
		}
		return strings.TrimPrefix(fmt.Sprint(v), "-")
	}
	answers := map[string]int{}
	for range ids {
		var answer struct {
			ID    any
			Error any
		}
		if !out.Scan() || json.Unmarshal(out.Bytes(), &answer) != nil || answer.Error != nil {
			t.Fatalf("answered %s", out.Text())
		}
		answers[fmt.Sprint(answer.ID)]++
	}
	_ = p.in.Close()
	for _, id := range ids {
		if answers[value(id)] != 1 {
			t.Errorf("%s was answered %d times: %v", id, answers[value(id)], answers)
		}
	}
	for out.Scan() {
		t.Errorf("answered once more: %s", out.Text())
	}
}
