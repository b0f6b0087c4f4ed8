package conformance

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// late is a tool that is in no list until its agent's list changes.
const late = "test_late"

// addLate adds it, and the tool that makes it appear: the library is not told,
// since a list is its agent's and not the server's.
func (f *fixtures) addLate() {
	var shown atomic.Bool
	f.tool(late, "Is listed later.", func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) { return says("Called."), nil })
	f.tool("test_show_late", "Has a tool listed that was not.", func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		shown.Store(true)
		f.door.Changed(fixtureUser)
		return says("It is listed now."), nil
	})
	f.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			result, err := next(ctx, method, req)
			if list, is := result.(*mcp.ListToolsResult); is && err == nil && !shown.Load() {
				list.Tools = slices.DeleteFunc(slices.Clone(list.Tools), func(t *mcp.Tool) bool { return t.Name == late })
			}
			return result, err
		}
	})
}

// TestListChanged has the TypeScript clients hear that their list is another:
// by the stream of a session, and by a subscription where there are none.
func TestListChanged(t *testing.T) {
	t.Parallel()
	nodeProgram(t)
	doors := map[string]string{}
	for _, name := range []string{"v1", "v2 legacy", "v2 pinned"} {
		doors[name] = startFixtures(t)
	}
	in, err := json.Marshal(doors)
	must(t, err)
	cmd := node(t, "lists.mjs", string(in))
	var out, noise bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &noise
	if err := cmd.Run(); err != nil {
		t.Errorf("%v: %v\n%s", cmd.Args, err, noise.Bytes())
	}
	for line := range bytes.Lines(out.Bytes()) {
		var got struct {
			Name, Failed          string
			Before, After, Listed []string
		}
		if err := json.Unmarshal(line, &got); err != nil {
			t.Fatalf("it printed %q: %v", line, err)
		}
		delete(doors, got.Name)
		if got.Failed != "" || slices.Contains(got.Before, late) || !slices.Contains(got.After, late) || !slices.Contains(got.Listed, late) {
			t.Errorf("%s: %s: before %q, heard %q, asked %q", got.Name, got.Failed, got.Before, got.After, got.Listed)
		}
	}
	for name := range doors {
		t.Errorf("%s did not come to its end\n%s", name, noise.Bytes())
	}
}
