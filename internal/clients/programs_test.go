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
		name: "Codex", key: "codex", folder: "@openai/codex-linux-x64", file: "vendor/x86_64-unknown-linux-musl/bin/codex",
		set: setCodex, prefix: "mcp__nod/",
		lists: either(`\nnod +URL/mcp +NOD_TOKEN +enabled +Bearer token`, `\nnod +nod +mcp --url URL +NOD_TOKEN=\*+ +- +enabled`),
		// Two texts, and no flag for an error.
		told:          func(bool) wrap { return wrap{texts: []string{`Wall time: [0-9.]+ seconds\nOutput:`, `TEXT`}} },
		interrupt:     ending{why: nod.WhyCancelled},
		kill:          ending{why: nod.WhyGone, grace: grace, keeps: true},
		pipeInterrupt: ending{why: nod.WhyCancelled},
		pipeKill:      ending{why: nod.WhyGone, keeps: true},
		hasty: func(t *testing.T, a *attempt) {
			a.edit(t, ".codex/config.toml", "tool_timeout_sec = 600", "tool_timeout_sec = 4")
		},
		gaveUp: ending{why: nod.WhyCancelled},
	},
	{
		name: "Gemini CLI", key: "gemini", folder: "@google/gemini-cli", file: "bundle/gemini.js", node: true,
		set: setGemini, prefix: "mcp_nod_",
		lists:         either(`✓ nod: URL/mcp \(http\) - Connected\n`, `✓ nod: nod mcp --url URL \(stdio\) - Connected\n`),
		told:          toldGemini,
		interrupt:     ending{why: nod.WhyGone, grace: grace, keeps: true},
		kill:          ending{why: nod.WhyGone, grace: grace, keeps: true},
		pipeInterrupt: ending{why: nod.WhyGone, keeps: true},
		pipeKill:      ending{why: nod.WhyGone, keeps: true},
		hasty: func(t *testing.T, a *attempt) {
			a.edit(t, ".gemini/settings.json", `"timeout": 600000`, `"timeout": 4000`)
		},
		gaveUp: ending{why: nod.WhyCancelled},
	},
	{
		name: "OpenCode", key: "opencode", folder: "opencode-linux-x64", file: "bin/opencode",
		set: setOpenCode, prefix: "nod_",
		lists: either(`✓ nod connected\n.* URL/mcp\n`, `✓ nod connected\n.* nod mcp --url URL\n`),
		// The text and nothing else, an error's too.
		told:          func(bool) wrap { return wrap{texts: []string{`TEXT`}} },
		interrupt:     ending{why: nod.WhyGone, grace: grace, keeps: true},
		kill:          ending{why: nod.WhyGone, grace: grace, keeps: true},
		pipeInterrupt: ending{why: nod.WhyGone, keeps: true},
		pipeKill:      ending{why: nod.WhyGone, keeps: true},
	},
	{
		name: "Claude Code", key: "claude-code", folder: "@anthropic-ai/claude-code-linux-x64", file: "claude",
		set: setClaude, prefix: "mcp__nod__",
		lists: either(`\nnod: URL/mcp \(HTTP\) - ✔ Connected\n`, `\nnod: nod mcp --url URL - ✔ Connected\n`),
		told:  func(isError bool) wrap { return wrap{texts: []string{`TEXT`}, isError: isError} },
		// It speaks the revision without sessions, in which a stream that is
		// closed takes the call back.
		interrupt:     ending{why: nod.WhyGone, keeps: true},
		kill:          ending{why: nod.WhyGone, keeps: true},
		pipeInterrupt: ending{why: nod.WhyGone, keeps: true},
		pipeKill:      ending{why: nod.WhyGone, keeps: true},
		hasty: func(t *testing.T, a *attempt) {
			a.edit(t, ".claude.json", `"timeout": 600000`, `"timeout": 4000`)
		},
		gaveUp: ending{why: nod.WhyGone, keeps: true},
	},
}

// either is one pattern for HTTP and one for pipes.
func either(http, pipe string) func(bool) string {
	return func(stdio bool) string {
		if stdio {
			return pipe
		}
		return http
	}
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

func setCodex(t *testing.T, a *attempt) (args, env []string) {
	a.write(t, ".codex/config.toml", fmt.Sprintf(`model = "scripted"
model_provider = "scripted"
check_for_update_on_startup = false

[model_providers.scripted]
name = "scripted"
base_url = %q
env_key = "SCRIPTED_KEY"
wire_api = "responses"
`, a.model.URL+"/v1"))
	return []string{"exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", "go"}, []string{"SCRIPTED_KEY=x"}
}

func setGemini(t *testing.T, a *attempt) (args, env []string) {
	a.write(t, ".gemini/settings.json", document(object{
		"security": object{"auth": object{"selectedType": "gemini-api-key"}, "folderTrust": object{"enabled": false}},
		"privacy":  object{"usageStatisticsEnabled": false},
		"general":  object{"disableAutoUpdate": true, "disableUpdateNag": true},
	}))
	return []string{"-m", "gemini-2.5-flash", "-p", "go", "--approval-mode", "yolo"}, []string{
		"GEMINI_API_KEY=x", "GOOGLE_GEMINI_BASE_URL=" + a.model.URL,
		"GEMINI_CLI_NO_RELAUNCH=true", // else it is two processes, and killing one leaves the other
	}
}

func setOpenCode(t *testing.T, a *attempt) (args, env []string) {
	a.write(t, ".config/opencode/opencode.json", document(object{
		"$schema": "https://opencode.ai/config.json", "model": "scripted/scripted", "small_model": "scripted/scripted",
		"provider": object{"scripted": object{"npm": "@ai-sdk/openai-compatible", "name": "scripted",
			"options": object{"baseURL": a.model.URL + "/v1", "apiKey": "x"},
			"models":  object{"scripted": object{"name": "scripted"}}}},
		"autoupdate": false, "share": "disabled",
	}))
	return []string{"run", "go"}, []string{"OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_MODELS_FETCH=1", "OPENCODE_DISABLE_LSP_DOWNLOAD=1"}
}

func setClaude(_ *testing.T, a *attempt) (args, env []string) {
	return []string{"-p", "go", "--allowedTools", "mcp__nod"}, []string{
		"ANTHROPIC_BASE_URL=" + a.model.URL, "ANTHROPIC_API_KEY=sk-ant-scripted", "DISABLE_AUTOUPDATER=1",
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
		"MCP_CONNECTION_NONBLOCKING=0", "ENABLE_TOOL_SEARCH=false", // else the first turn has no tools of nod
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
