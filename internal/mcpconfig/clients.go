package mcpconfig

// Names that something depends on.
const (
	codex     = "codex"
	goose     = "goose"
	librechat = "librechat"
)

// Time-outs of a call. nod answers before them with STILL WAITING; they only
// have to be longer than what nod waits in one call.
const (
	timeoutMillis  = 600_000
	timeoutSeconds = 600
)

// httpServerKeys and pipesServerKeys are the keys that most clients share.
var httpServerKeys, pipesServerKeys = []string{"url", "headers"}, []string{"command", "args", "env", "cwd"}

// envKey is what a program is given, in most.
var envKey = []string{"env"}

// dollar is the reference of most: ${NAME}.
func dollar(name string) string { return "${" + name + "}" }

// program are the keys of a client that starts programs, as most write them.
func program(s setup) object {
	o := object{{key: "command", value: s.Command}, {key: "args", value: s.arguments()}}
	if env := s.environment(); env != nil {
		o = append(o, field{key: "env", value: env})
	}
	return o
}

// byName is how a client that passes variables on by their names has a program
// get the token: under the key values the token itself, under names its variable.
func byName(s setup, values, names string) object {
	switch {
	case s.secret():
		return object{{key: values, value: s.environment()}}
	case s.Token.File == "":
		return object{{key: names, value: list{s.Token.Variable}}}
	}
	return nil
}

// ownVariable is what LibreChat asks each person for.
func ownVariable(s setup) object {
	if s.secret() || s.value == "" {
		return nil
	}
	return object{{key: "customUserVars", value: object{{key: s.Token.Variable, value: object{
		kept("title", "nod token"), kept("description", "nod agents add NAME prints it"),
	}}}}}
}

func kept(key string, value any) field { return field{key: key, value: value, keep: true} }

// clients are all that nod knows, each as its own pages describe it.
var clients = []Client{
	{
		// code.claude.com/docs/en/mcp: expands ${VAR} in command, args, env, url
		// and headers. Without a timeout it gives up a silent call after 60 s.
		Name: "claude-code", Title: "Claude Code", format: jsonFormat, path: []string{"mcpServers"},
		http: func(s setup) object {
			return object{{key: "type", value: "http"}, {key: "url", value: s.address()}, {key: "headers", value: s.bearer()}, kept("timeout", timeoutMillis)}
		},
		pipes: func(s setup) object {
			return append(append(object{{key: "type", value: "stdio"}}, program(s)...), kept("timeout", timeoutMillis))
		},
		variable: dollar, httpKeys: httpServerKeys, pipesKeys: pipesServerKeys, tokenKeys: envKey,
		personal:     place{all: "~/.claude.json", variable: "CLAUDE_CONFIG_DIR", file: ".claude.json"},
		project:      place{all: ".mcp.json"},
		asksForTrust: true,
	},
	{
		// developers.openai.com/codex/mcp: a url and a command in one table are an
		// error, and so is a token in the file.
		Name: codex, Title: "Codex", format: tomlFormat, path: []string{"mcp_servers"},
		http: func(s setup) object {
			o := object{{key: "url", value: s.address()}}
			if s.secret() {
				o = append(o, field{key: "http_headers", value: s.bearer()})
			} else {
				o = append(o, field{key: "bearer_token_env_var", value: s.Token.Variable})
			}
			return append(o, kept("tool_timeout_sec", timeoutSeconds))
		},
		pipes: func(s setup) object {
			o := object{{key: "command", value: s.Command}, {key: "args", value: s.arguments()}}
			o = append(o, byName(s, "env", "env_vars")...)
			return append(o, kept("tool_timeout_sec", timeoutSeconds))
		},
		variable:     dollar,
		httpKeys:     []string{"url", "bearer_token_env_var", "http_headers", "env_http_headers"},
		pipesKeys:    []string{"command", "args", "env", "env_vars", "cwd"},
		tokenKeys:    []string{"bearer_token_env_var", "http_headers", "env", "env_vars"},
		personal:     place{all: "~/.codex/config.toml", variable: "CODEX_HOME", file: "config.toml"},
		project:      place{all: ".codex/config.toml"},
		asksForTrust: true,
	},
	{
		// geminicli.com/docs/tools/mcp-server: every value of the file may name
		// variables; a child gets none of them that it is not given.
		Name: "gemini", Title: "Gemini CLI", format: jsonFormat, path: []string{"mcpServers"},
		http: func(s setup) object {
			return object{{key: "httpUrl", value: s.address()}, {key: "headers", value: s.bearer()}, kept("timeout", timeoutMillis)}
		},
		pipes:    func(s setup) object { return append(program(s), kept("timeout", timeoutMillis)) },
		variable: dollar, httpKeys: []string{"httpUrl", "url", "headers"}, pipesKeys: append([]string{"url"}, pipesServerKeys...), tokenKeys: envKey,
		personal:     place{all: "~/.gemini/settings.json", variable: "GEMINI_CLI_HOME", file: ".gemini/settings.json"},
		project:      place{all: ".gemini/settings.json"},
		asksForTrust: true,
	},
	{
		// opencode.ai/docs/mcp-servers (version 1): {env:NAME} and {file:PATH} in
		// every value; its timeout is for listing tools; a call waits as long as
		// progress comes. Without oauth: false a refusal starts a login.
		Name: "opencode", Title: "OpenCode", format: jsonFormat, path: []string{"mcp"},
		http: func(s setup) object {
			return object{{key: "type", value: "remote"}, {key: "url", value: s.address()}, kept("enabled", true), {key: "oauth", value: false}, {key: "headers", value: s.bearer()}}
		},
		pipes: func(s setup) object {
			o := object{{key: "type", value: "local"}, {key: "command", value: append([]string{s.Command}, s.arguments()...)}, kept("enabled", true)}
			if env := s.environment(); env != nil {
				o = append(o, field{key: "environment", value: env})
			}
			return o
		},
		variable:  func(name string) string { return "{env:" + name + "}" },
		fileValue: func(path string) string { return "{file:" + path + "}" },
		httpKeys:  []string{"url", "oauth", "headers"}, pipesKeys: []string{"command", "environment", "cwd"},
		tokenKeys: []string{"environment"},
		personal:  place{all: "~/.config/opencode/opencode.json", xdg: "opencode/opencode.json", orElse: ".jsonc"},
		project:   place{all: "opencode.json", orElse: ".jsonc"},
	},
	{
		// cursor.com/docs/context/mcp: ${env:NAME}; the transport follows from the
		// keys.
		Name: "cursor", Title: "Cursor", format: jsonFormat, path: []string{"mcpServers"},
		http: func(s setup) object {
			return object{{key: "url", value: s.address()}, {key: "headers", value: s.bearer()}}
		},
		pipes:    program,
		variable: func(name string) string { return "${env:" + name + "}" },
		httpKeys: httpServerKeys, pipesKeys: pipesServerKeys, tokenKeys: envKey,
		personal: place{all: "~/.cursor/mcp.json"}, project: place{all: ".cursor/mcp.json"},
	},
	{
		// code.visualstudio.com/docs/copilot/reference/mcp-configuration: an input
		// is asked for once and kept among the system's secrets.
		Name: "vscode", Title: "VS Code", format: jsonFormat, path: []string{"servers"},
		http: func(s setup) object {
			return object{{key: "type", value: "http"}, {key: "url", value: s.address()}, {key: "headers", value: s.bearer()}}
		},
		pipes:    func(s setup) object { return append(object{{key: "type", value: "stdio"}}, program(s)...) },
		variable: func(string) string { return "${input:nod-token}" },
		httpKeys: httpServerKeys, pipesKeys: append([]string{"envFile"}, pipesServerKeys...), tokenKeys: envKey,
		extra: &item{list: "inputs", key: "id", value: object{
			{key: "type", value: "promptString"}, {key: "id", value: "nod-token"},
			{key: "description", value: "The agent's token for nod"}, {key: "password", value: true},
		}},
		personal: place{
			linux: "~/.config/Code/User/mcp.json", darwin: "~/Library/Application Support/Code/User/mcp.json",
			windows: "%APPDATA%/Code/User/mcp.json", xdg: "Code/User/mcp.json",
		},
		project:      place{all: ".vscode/mcp.json"},
		asksForTrust: true,
	},
	{
		// support.claude.com, "local MCP servers": the file takes programs alone,
		// and has no variables.
		Name: "claude-desktop", Title: "Claude Desktop", format: jsonFormat, path: []string{"mcpServers"},
		pipes: program, httpKeys: httpServerKeys, pipesKeys: pipesServerKeys, tokenKeys: envKey,
		personal: place{
			linux: "~/.config/Claude/claude_desktop_config.json", darwin: "~/Library/Application Support/Claude/claude_desktop_config.json",
			windows: "%APPDATA%/Claude/claude_desktop_config.json", xdg: "Claude/claude_desktop_config.json",
		},
		notes: []string{"quit Claude Desktop and start it again: it reads the file only then"},
	},
	{
		// goose-docs: env_keys are looked up in the environment, then among goose's
		// own secrets, and may stand in headers (aaif-goose/goose#5439).
		Name: goose, Title: "goose", format: yamlFormat, path: []string{"extensions"},
		http: func(s setup) object {
			o := object{kept("enabled", true), {key: "type", value: "streamable_http"}, {key: "name", value: Name}, kept("description", "Ask a person's phone"), {key: "uri", value: s.address()}}
			if !s.secret() {
				o = append(o, field{key: "env_keys", value: list{s.Token.Variable}})
			}
			return append(o, field{key: "headers", value: s.bearer()}, kept("timeout", timeoutSeconds))
		},
		pipes: func(s setup) object {
			o := object{kept("enabled", true), {key: "type", value: "stdio"}, {key: "name", value: Name}, kept("description", "Ask a person's phone"), {key: "cmd", value: s.Command}, {key: "args", value: s.arguments()}}
			o = append(o, byName(s, "envs", "env_keys")...)
			return append(o, kept("timeout", timeoutSeconds))
		},
		variable: dollar, httpKeys: []string{"uri", "headers"}, pipesKeys: []string{"cmd", "args", "envs"},
		tokenKeys: []string{"env_keys", "envs"},
		personal:  place{all: "~/.config/goose/config.yaml", xdg: "goose/config.yaml", windows: "%APPDATA%/Block/goose/config/config.yaml"},
	},
	{
		// librechat.ai, "MCP Servers": {{NAME}} is what each person has put in for
		// themselves, so each asks on their own phone.
		Name: librechat, Title: "LibreChat", format: yamlFormat, path: []string{"mcpServers"},
		http: func(s setup) object {
			o := object{{key: "type", value: "streamable-http"}, {key: "url", value: s.address()}, {key: "headers", value: s.bearer()}}
			return append(append(o, ownVariable(s)...), kept("timeout", timeoutMillis), kept("serverInstructions", true))
		},
		pipes: func(s setup) object {
			o := append(object{{key: "type", value: "stdio"}}, program(s)...)
			return append(append(o, ownVariable(s)...), kept("timeout", timeoutMillis), kept("serverInstructions", true))
		},
		variable: func(name string) string { return "{{" + name + "}}" },
		httpKeys: httpServerKeys, pipesKeys: pipesServerKeys,
		tokenKeys: []string{"env", "customUserVars"},
		project:   place{all: "librechat.yaml"},
		notes:     []string{"an address of your own network has to be among mcpSettings.allowedDomains too, and localhost is not this machine where LibreChat runs in a container"},
	},
	{
		Name: "generic", Title: "any other client", format: jsonFormat, path: []string{"mcpServers"},
		http: func(s setup) object {
			return object{{key: "type", value: "http"}, {key: "url", value: s.address()}, {key: "headers", value: s.bearer()}}
		},
		pipes:    program,
		httpKeys: httpServerKeys, pipesKeys: pipesServerKeys, tokenKeys: envKey,
	},
}
