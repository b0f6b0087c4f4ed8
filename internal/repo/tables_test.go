package repo

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"nod.dev/nod"
	"nod.dev/nod/spec"
)

// tables are the parts of pages that follow from the contract and the code, by
// page and by the name that the page gives them.
func tables(t *testing.T) map[string]map[string]string {
	return map[string]map[string]string{
		"README.md":           {"outcomes": outcomeTable(t)},
		"docs/outcomes.md":    {"texts": outcomeTexts(t)},
		"docs/http.md":        {"routes": routeTable(t), "errors": errorTable(t)},
		"docs/conformance.md": {"programs": programTable(t)},
		"docs/tools.md":       {"tools": toolTable(), "arguments": argumentTable(t)},
		"docs/agents.md":      {"actions": actionTable(), "files": clientFiles(), "clients": clientConfigs(t)},
	}
}

// TestDocTables requires that each of them is fresh. Run it with -update after
// a change of the contract.
func TestDocTables(t *testing.T) {
	for page, parts := range tables(t) {
		path := "../../" + page
		text := string(read(t, path))
		fresh := text
		for name, want := range parts {
			block := regexp.MustCompile(`(?s)(<!-- table ` + name + `: [^>]*-->\n).*?(<!-- end -->)`)
			if !block.MatchString(text) {
				t.Errorf("%s has no table %q", page, name)
				continue
			}
			fresh = block.ReplaceAllStringFunc(fresh, func(old string) string {
				m := block.FindStringSubmatch(old)
				return m[1] + strings.TrimSpace(want) + "\n" + m[2]
			})
		}
		switch {
		case fresh == text:
		case *update:
			if err := os.WriteFile(path, []byte(fresh), 0o644); err != nil {
				t.Fatal(err)
			}
		default:
			t.Errorf("%s is not fresh; run go test ./internal/repo -run DocTables -update", page)
		}
	}
}

// meanings are the comments at the outcomes in outcome.go.
func meanings(t *testing.T) map[nod.Outcome]string {
	t.Helper()
	found := map[nod.Outcome]string{}
	for _, m := range regexp.MustCompile(`\t[A-Z][a-z]+ +Outcome = "([a-z]+)" +// (.+)`).FindAllStringSubmatch(string(read(t, "../../outcome.go")), -1) {
		found[nod.Outcome(m[1])] = m[2]
	}
	for _, o := range nod.Outcomes {
		if found[o] == "" {
			t.Fatalf("outcome.go does not say what %s means", o)
		}
	}
	return found
}

// exitCodes are the codes of "nod call", as cmd/nod has them.
func exitCodes(t *testing.T) map[string]string {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), "../../cmd/nod/exit.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	value, codes := map[string]string{}, map[string]string{}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ValueSpec:
			if len(n.Values) == 1 {
				if lit, ok := n.Values[0].(*ast.BasicLit); ok {
					value[n.Names[0].Name] = lit.Value
				}
			}
		case *ast.KeyValueExpr:
			sel, ok := n.Key.(*ast.SelectorExpr)
			id, named := n.Value.(*ast.Ident)
			if ok && named {
				codes[strings.ToLower(sel.Sel.Name)] = value[id.Name]
			}
		}
		return true
	})
	return codes
}

// outcomeTable is the short table: each outcome, and the main sentence.
func outcomeTable(t *testing.T) string {
	t.Helper()
	main := map[nod.Outcome]string{
		nod.Failed: "failed_not_started", nod.Withdrawn: "withdrawn_cancelled", nod.Denied: "denied_paused_all",
		nod.Refused: "missing", nod.Unavailable: "no_phone",
	}
	values := map[string]string{"app": "the map app", "left": spec.Get().Text("left_navigate", nil), "action": "add_stop", "fields": "stop and destination"}
	var b strings.Builder
	b.WriteString("| it ended | which means | the agent is told, for example |\n|---|---|---|\n")
	for _, o := range nod.Outcomes {
		if o == nod.Answered {
			continue // no tool ends so yet
		}
		key := string(o)
		if main[o] != "" {
			key = main[o]
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", o, meanings(t)[o], spec.Get().Text(key, values))
	}
	return b.String()
}

// refusals are the sentences for a call that is wrong; their keys do not begin
// with the outcome's name.
var refusals = []string{"unknown_action", "missing", "bad", "limit", "unknown_tool", "unknown_mode", "unknown_phone", "bad_arguments"}

// outcomeTexts is every sentence that tells how a call ended: a table for each
// outcome, a row for each why.
func outcomeTexts(t *testing.T) string {
	t.Helper()
	texts, codes, errors := agentTexts(t), exitCodes(t), mcpErrors(t)
	keys := slices.Sorted(maps.Keys(texts))
	var b strings.Builder
	for _, o := range nod.Outcomes {
		mark := "no error"
		if slices.Contains(errors, string(o)) {
			mark = "an error"
		}
		fmt.Fprintf(&b, "## %s\n\n%s. `nod call` exits with %s; over MCP it is %s.\n\n| why | the agent is told |\n|---|---|\n", o, capital(meanings(t)[o]), codes[string(o)], mark)
		for _, key := range keys {
			if outcomeOf(key) == o {
				fmt.Fprintf(&b, "| %s | %s |\n", whyOf(o, key), texts[key])
			}
		}
		b.WriteString("\n")
	}
	fmt.Fprintf(&b, "## Not ended yet\n\n`nod call` exits with %s; over MCP it is no error.\n\n| where it stands | the agent is told |\n|---|---|\n", waitingCode(t))
	fmt.Fprintf(&b, "| with the person | %s |\n| with the phone | %s |\n", texts["still_waiting"], texts["still_working"])
	fmt.Fprintf(&b, "\n`{{progress}}` is one of these:\n\n| state | the agent is told |\n|---|---|\n")
	for _, key := range keys {
		if state, ok := strings.CutPrefix(key, "progress_"); ok {
			fmt.Fprintf(&b, "| %s | %s |\n", strings.Replace("`"+state+"`", "`push_", "`offered`, push `", 1), texts[key])
		}
	}
	fmt.Fprintf(&b, "\n`{{left}}` is one of these:\n\n| action | the agent is told |\n|---|---|\n")
	for _, a := range spec.Get().Phone.Actions {
		fmt.Fprintf(&b, "| `%s` | %s |\n", a.Name, texts["left_"+a.Name])
	}
	for _, tool := range spec.Get().Tools {
		if left := texts["left_"+tool.Name]; left != "" {
			fmt.Fprintf(&b, "| `%s` | %s |\n", tool.Name, left)
		}
	}
	b.WriteString("\n`{{permission}}` is one of these:\n\n| the phone asks for | the agent is told |\n|---|---|\n")
	for _, permission := range append(slices.Clone(spec.Permissions), "other") {
		fmt.Fprintf(&b, "| %s | %s |\n", permission, texts["permission_"+string(permission)])
	}
	b.WriteString(besidesTable(t, texts))
	return b.String()
}

// besides are the sentences that tell of no one ending, and when they are told.
var besides = []struct{ key, when string }{
	{"says", "the phone adds words of its own: after any result"},
	{"data_label", "a tool read from the phone: before what it read"},
	{"data_begin", "the line before that; another `{{mark}}` each time"},
	{"data_end", "the line after it"},
	{"data_withheld", "what was read may not be handed over any more: the agent was stopped, or switched off for it"},
	{"photo", "each photo, beside the photo itself"},
	{"photo_not_here", "each photo, where the answer would be too large with it"},
	{"answered_before", "a result is told again, to the same call: after it"},
	{"open_calls", "`call_status` without a `call_id`"},
	{"open_call", "each of `{{calls}}`"},
	{"open_calls_none", "the same, with none"},
	{"no_such_call", "a `call_id` that is wrong, or another agent's"},
	{"too_late_to_cancel", "`call_cancel`, once it was decided or is over"},
	{"broken", "nod is at fault, or a header of the set-up is wrong"},
	{"no_gateway", "`nod mcp` finds no gateway"},
	{"lost", "`nod mcp` lost the gateway while a call waited"},
}

// besidesTable has all that an agent may be told and no other table has.
func besidesTable(t *testing.T, texts map[string]string) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("\n## Besides\n\n| when | the agent is told |\n|---|---|\n")
	told := map[string]bool{"still_waiting": true, "still_working": true}
	for _, row := range besides {
		told[row.key] = true
		fmt.Fprintf(&b, "| %s | %s |\n", row.when, strings.ReplaceAll(texts[row.key], "\n", " "))
	}
	parts := regexp.MustCompile(`^(instructions$|(app|form|instructions|left|limit|permission|progress|what)_)`) // of other sentences
	for key := range texts {
		if !told[key] && outcomeOf(key) == "" && !parts.MatchString(key) {
			t.Errorf("docs/outcomes.md does not have the text %q", key)
		}
	}
	return b.String()
}

// readWhys say what the sentences of reads are for: the same why has others
// where something was to be done.
var readWhys = map[string]string{
	"done_read":                    "a read",
	"done_data_gone":               "a read, asked for when it is not kept any more",
	"withdrawn_read":               "a read, confirmed already",
	"withdrawn_agent_removed_read": "`agent_removed`, a read that was confirmed already",
	"denied_paused_read":           "`paused`, a read that was confirmed already",
	"denied_access_off_read":       "`access_off`, a read that was confirmed already",
}

// whyOf says in the vocabulary's words what a sentence is for: the call's why,
// its rule, or how far a wake-up came.
func whyOf(o nod.Outcome, key string) string {
	rest := strings.TrimPrefix(strings.TrimPrefix(key, string(o)), "_")
	if read, ok := readWhys[key]; ok {
		return read
	}
	switch {
	case key == "failed_started" || key == "failed_not_started":
		return "`not_possible`, " + strings.ReplaceAll(rest, "_", " ")
	case key == "declined_reason":
		return "with the person's own words"
	case rest == "":
		return "-"
	case o == nod.Denied && strings.HasSuffix(rest, "_meanwhile"):
		return "`" + strings.TrimSuffix(rest, "_meanwhile") + "`, while it waited"
	case o == nod.Unseen:
		return "push `" + strings.TrimPrefix(rest, "push_") + "`"
	case rest == "later_failed_started":
		return "later `failed`, started"
	case o == nod.Unknown:
		return "later `" + strings.TrimPrefix(rest, "later_") + "`"
	}
	return "`" + rest + "`"
}

// mcpErrors are the outcomes that MCP's isError marks, as internal/server has them.
func mcpErrors(t *testing.T) []string {
	t.Helper()
	m := regexp.MustCompile(`(?s)func isError\(.*?case (.+?):`).FindSubmatch(read(t, "../server/mcpstatus.go"))
	if m == nil {
		t.Fatal("internal/server does not say which outcomes are errors")
	}
	return strings.Split(strings.ToLower(strings.ReplaceAll(string(m[1]), "nod.", "")), ", ")
}

// outcomeOf is the outcome that an agent text tells; empty for none.
func outcomeOf(key string) nod.Outcome {
	first, _, _ := strings.Cut(key, "_")
	switch {
	case slices.Contains(refusals, key):
		return nod.Refused
	case key == "no_phone" || key == "no_screen" || key == "not_reachable":
		return nod.Unavailable
	case key == "cannot":
		return nod.Failed
	case key == "answered_before":
		return ""
	case slices.Contains(nod.Outcomes, nod.Outcome(first)):
		return nod.Outcome(first)
	}
	return ""
}

func waitingCode(t *testing.T) string {
	t.Helper()
	m := regexp.MustCompile(`exitWaiting += (\d+)`).FindStringSubmatch(string(read(t, "../../cmd/nod/exit.go")))
	if m == nil {
		t.Fatal("cmd/nod/exit.go has no exitWaiting")
	}
	return m[1]
}

func agentTexts(t *testing.T) map[string]string {
	t.Helper()
	var manifest struct {
		Agent map[string]string `json:"agent"`
	}
	if err := json.Unmarshal(read(t, "../../spec/texts.json"), &manifest); err != nil {
		t.Fatal(err)
	}
	return manifest.Agent
}

// actionTable is what an agent can ask for.
func actionTable() string {
	s := spec.Get()
	var b strings.Builder
	b.WriteString("| action | on the card | needs | may have | app | risk |\n|---|---|---|---|---|---|\n")
	for _, a := range s.Phone.Actions {
		var needs, may []string
		for _, group := range a.Required {
			needs = append(needs, code(group, " or "))
		}
		for _, f := range a.Fields {
			if !slices.ContainsFunc(a.Required, func(group spec.Group) bool { return slices.Contains(group, f) }) {
				may = append(may, f)
			}
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s | %s |\n", a.Name, s.PersonText("en", a.Title, nil),
			strings.Join(needs, ", "), code(may, ", "), a.App, a.Risk)
	}
	return b.String()
}

func code(words []string, between string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = "`" + w + "`"
	}
	return strings.Join(quoted, between)
}

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// TestActionsAreWhole wants of every action what no other test asks for: a
// transcript of its own.
func TestActionsAreWhole(t *testing.T) {
	for _, a := range spec.Get().Phone.Actions {
		transcript := "../../spec/transcripts/action-" + a.Name + ".txtar"
		if _, err := os.Stat(transcript); err != nil {
			t.Errorf("%s has no transcript: %v", a.Name, err)
		}
	}
}
