package conformance

import (
	"bytes"
	"encoding/json"
	"testing"
)

const inspector = "node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js"

// TestInspector has the protocol's own inspector list the tools and call one, in
// both eras, over HTTP and over pipes.
func TestInspector(t *testing.T) {
	t.Parallel()
	nodeProgram(t)
	h := newHouse(t)
	for _, era := range []string{"legacy", "modern"} {
		token := h.agent(t, "Inspector "+era, 0)
		http := []string{h.URL + "/mcp", "--transport", "http", "--header", "Authorization: Bearer " + token}
		nobody := []string{h.URL + "/mcp", "--transport", "http", "--header", "Authorization: Bearer nod_a_nobody"}
		pipes := []string{h.Program, "mcp", "-e", "NOD_TOKEN=" + token, "-e", "NOD_URL=" + h.URL, "-e", "XDG_CONFIG_HOME=" + h.Dir}
		for _, tt := range []struct {
			name   string
			target []string
			method []string
			want   string
			exit   int
		}{
			// --strict makes what some client could not read of a schema an error.
			{"lists", http, []string{"--method", "tools/list", "--strict"}, `"phone_action"`, 0},
			{"calls", http, []string{"--method", "tools/call", "--tool-name", "phone_action", "--tool-args-json", `{"action": "torch", "on": true}`}, "The phone did it.", 0},
			{"calls on pipes", pipes, []string{"--method", "tools/call", "--tool-name", "phone_action", "--tool-args-json", `{"action": "timer", "seconds": 60}`}, "The phone did it.", 0},
			// A token that is not known is said to be that, and nothing else is tried.
			{"is not known", nobody, []string{"--method", "tools/list"}, "", 3},
		} {
			t.Run(era+"/"+tt.name, func(t *testing.T) {
				t.Parallel()
				args := append([]string{inspector, "--cli"}, tt.target...)
				cmd := node(t, append(append(args, tt.method...), "--protocol-era", era, "--format", "json")...)
				cmd.Env = h.Env()
				var said, noise bytes.Buffer
				cmd.Stdout, cmd.Stderr = &said, &noise
				if err := cmd.Run(); cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != tt.exit {
					t.Fatalf("%v, want exit %d\n%s%s", err, tt.exit, said.Bytes(), noise.Bytes())
				}
				if tt.exit == 0 && !json.Valid(said.Bytes()) || !bytes.Contains(said.Bytes(), []byte(tt.want)) {
					t.Errorf("said %s\n%s\nwant JSON with %s", said.Bytes(), noise.Bytes(), tt.want)
				}
			})
		}
	}
}
