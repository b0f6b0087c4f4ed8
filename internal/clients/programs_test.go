//go:build clients && linux

package clients

import (
	"encoding/json"
	"fmt"
	"testing"

	"nod.dev/nod"
)

// programs are the clients, with what each puts between nod and its model.
var programs = []*program{
	{
		name: "Codex", folder: "@openai/codex-linux-x64", file: "vendor/x86_64-unknown-linux-musl/bin/codex",
		set: setCodex, prefix: "mcp__nod/",
		// Two texts, and no flag for an error.
		told:      func(bool) wrap { return wrap{texts: []string{`Wall time: [0-9.]+ seconds\nOutput:`, `TEXT`}} },
		interrupt: ending{why: nod.WhyCancelled},
		kill:      ending{why: nod.WhyGone, grace: grace, keeps: true},
	},
	{
		name: "Gemini CLI", folder: "@google/gemini-cli", file: "bundle/gemini.js", node: true,
		set: setGemini, prefix: "mcp_nod_",
		told:      toldGemini,
		interrupt: ending{why: nod.WhyGone, grace: grace, keeps: true},
		kill:      ending{why: nod.WhyGone, grace: grace, keeps: true},
	},
	{
		name: "OpenCode", folder: "opencode-linux-x64", file: "bin/opencode",
		set: setOpenCode, prefix: "nod_",
		// The text and nothing else, an error's too.
		told:      func(bool) wrap { return wrap{texts: []string{`TEXT`}} },
		interrupt: ending{why: nod.WhyGone, grace: grace, keeps: true},
		kill:      ending{why: nod.WhyGone, grace: grace, keeps: true},
	},
	{
		name: "Claude Code", folder: "@anthropic-ai/claude-code-linux-x64", file: "claude",
		set: setClaude, prefix: "mcp__nod__",
		told: func(isError bool) wrap { return wrap{texts: []string{`TEXT`}, isError: isError} },
		// It speaks the revision without sessions, in which a stream that is
		// closed takes the call back.
		interrupt: ending{why: nod.WhyGone, keeps: true},
		kill:      ending{why: nod.WhyGone, keeps: true},
	},
}

// toldGemini fences a result. One that is flagged as an error becomes a sentence
// with the call and all of the result in it as JSON, its _meta too.
func toldGemini(isError bool) wrap {
	if !isError {
		return wrap{texts: []string{`<untrusted_context>\nTEXT\n</untrusted_context>`}}
	}
	return wrap{isError: true, texts: []string{`MCP tool 'phone_action' reported tool error for function call: ` +
		`\{"name":"phone_action","args":\{[^{}]*\}\} with response: \[\{"functionResponse":\{"name":"phone_action","response":` +
		`\{"_meta":\{"dev\.nod/call":\{[^{}]*\}\},"content":\[\{"type":"text","text":"TEXT"\}\],"isError":true\}\}\}\]`}}
}

func setCodex(t *testing.T, r *attempt) (args, env []string) {
	server := fmt.Sprintf("url = %q\nbearer_token_env_var = \"NOD_TOKEN\"\n", r.house.url+"/mcp")
	if r.wait > 0 {
		server += fmt.Sprintf("http_headers = { Nod-Wait = \"%d\" }\n", r.wait)
	}
	if r.stdio {
		server = fmt.Sprintf("command = %q\nargs = [\"mcp\"]\nenv = { NOD_TOKEN = %q, NOD_URL = %q }\n", r.house.program, r.house.token, r.house.url)
	}
	r.write(t, ".codex/config.toml", fmt.Sprintf(`model = "scripted"
model_provider = "scripted"
check_for_update_on_startup = false

[model_providers.scripted]
name = "scripted"
base_url = %q
env_key = "SCRIPTED_KEY"
wire_api = "responses"

[mcp_servers.nod]
%stool_timeout_sec = 600
`, r.model.URL+"/v1", server))
	return []string{"exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", "go"}, []string{"SCRIPTED_KEY=x"}
}

func setGemini(t *testing.T, r *attempt) (args, env []string) {
	headers := map[string]string{"Authorization": "Bearer " + r.house.token}
	for k, v := range r.header() {
		headers[k] = v
	}
	server := object{"httpUrl": r.house.url + "/mcp", "headers": headers, "timeout": 600000}
	if r.stdio {
		server = object{"command": r.house.program, "args": []string{"mcp"}, "timeout": 600000,
			"env": map[string]string{"NOD_TOKEN": r.house.token, "NOD_URL": r.house.url}}
	}
	r.write(t, ".gemini/settings.json", document(object{
		"security":   object{"auth": object{"selectedType": "gemini-api-key"}, "folderTrust": object{"enabled": false}},
		"mcpServers": object{"nod": server},
		"privacy":    object{"usageStatisticsEnabled": false},
		"general":    object{"disableAutoUpdate": true, "disableUpdateNag": true},
	}))
	return []string{"-m", "gemini-2.5-flash", "-p", "go", "--approval-mode", "yolo"}, []string{
		"GEMINI_API_KEY=x", "GOOGLE_GEMINI_BASE_URL=" + r.model.URL, "GEMINI_CLI_NO_RELAUNCH=true",
	}
}

func setOpenCode(t *testing.T, r *attempt) (args, env []string) {
	headers := map[string]string{"Authorization": "Bearer {env:NOD_TOKEN}"}
	for k, v := range r.header() {
		headers[k] = v
	}
	server := object{"type": "remote", "url": r.house.url + "/mcp", "enabled": true, "oauth": false, "headers": headers}
	if r.stdio {
		server = object{"type": "local", "command": []string{r.house.program, "mcp"}, "enabled": true,
			"environment": map[string]string{"NOD_TOKEN": "{env:NOD_TOKEN}", "NOD_URL": r.house.url}}
	}
	r.write(t, "work/opencode.json", document(object{
		"$schema": "https://opencode.ai/config.json", "model": "scripted/scripted", "small_model": "scripted/scripted",
		"provider": object{"scripted": object{"npm": "@ai-sdk/openai-compatible", "name": "scripted",
			"options": object{"baseURL": r.model.URL + "/v1", "apiKey": "x"},
			"models":  object{"scripted": object{"name": "scripted"}}}},
		"mcp": object{"nod": server}, "autoupdate": false, "share": "disabled",
	}))
	return []string{"run", "go"}, []string{"OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_MODELS_FETCH=1", "OPENCODE_DISABLE_LSP_DOWNLOAD=1"}
}

func setClaude(t *testing.T, r *attempt) (args, env []string) {
	headers := map[string]string{"Authorization": "Bearer ${NOD_TOKEN}"}
	for k, v := range r.header() {
		headers[k] = v
	}
	server := object{"type": "http", "url": r.house.url + "/mcp", "headers": headers, "timeout": 600000}
	if r.stdio {
		server = object{"type": "stdio", "command": r.house.program, "args": []string{"mcp"}, "timeout": 600000,
			"env": map[string]string{"NOD_TOKEN": r.house.token, "NOD_URL": r.house.url}}
	}
	file := r.write(t, "mcp.json", document(object{"mcpServers": object{"nod": server}}))
	return []string{"-p", "go", "--mcp-config", file, "--strict-mcp-config", "--allowedTools", "mcp__nod"}, []string{
		"ANTHROPIC_BASE_URL=" + r.model.URL, "ANTHROPIC_API_KEY=sk-ant-scripted", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
		"MCP_CONNECTION_NONBLOCKING=0", "ENABLE_TOOL_SEARCH=false", "DISABLE_AUTOUPDATER=1",
	}
}

// document is a value as a file holds it.
func document(v any) string {
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		panic(err) // our own shapes only
	}
	return string(b)
}
