package repo

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"nod.dev/nod"
	"nod.dev/nod/internal/policy"
	"nod.dev/nod/spec"
)

// toolTable is each tool that a phone carries out by itself: what it is, and
// what it needs of an agent that was just added.
func toolTable() string {
	var b strings.Builder
	b.WriteString("| tool | does | is | at first | the phone asks for | app | risk |\n|---|---|---|---|---|---|---|\n")
	for _, t := range spec.Get().Tools {
		if t.Capability == "" {
			continue
		}
		kind := string(t.Kind)
		if t.Private {
			kind = "private read"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s | %s | %s |\n", t.Name, t.Title, kind, atFirst(t), permissionWords(t.Permission), t.App, t.Risk)
	}
	return b.String()
}

// atFirst is what the policy says of a tool for an agent that was just added,
// and where that is no, what it says once the tool is switched on.
func atFirst(t spec.Tool) string {
	in := policy.Input{
		Access: nod.Access{}.State(t.App, t.Kind, t.Private), Mode: nod.AskBeforeAction,
		Kind: t.Kind, Risk: t.Risk, Private: t.Private, Egress: t.Egress, Confirm: t.Confirm,
	}
	before := ""
	if policy.Decide(in).Answer == nod.Deny {
		before, in.Access = "off; once on, ", nod.AccessAsk
	}
	switch v := policy.Decide(in); {
	case v.Answer == nod.Allow && t.Permission == spec.PermissionPicker:
		return before + "you pick"
	case v.Answer == nod.Allow:
		return before + "no card"
	}
	return before + "a card"
}

func permissionWords(p spec.Permission) string {
	switch p {
	case spec.PermissionNone:
		return ""
	case spec.PermissionPicker:
		return "nothing: you pick"
	case spec.PermissionClipboard:
		return "a tap, with nod in front"
	case spec.PermissionAlarm:
		return "alarms"
	}
	return string(p)
}

// argumentTable is what each of these tools can be given.
func argumentTable(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("| tool | argument | if left out | is |\n|---|---|---|---|\n")
	for _, tool := range spec.Get().Tools {
		if tool.Capability == "" {
			continue
		}
		var schema struct {
			Properties map[string]struct{ Description string }
		}
		if err := json.Unmarshal(tool.InputSchema, &schema); err != nil {
			t.Fatal(err)
		}
		for _, f := range tool.Fields {
			without := f.Default.String()
			for _, group := range tool.Required {
				if slices.Contains(group, f.Name) {
					without = map[bool]string{true: "needed", false: "one of these is needed"}[len(group) == 1]
				}
			}
			fmt.Fprintf(&b, "| `%s` | `%s` | %s | %s |\n", tool.Name, f.Name, without, schema.Properties[f.Name].Description)
		}
	}
	return b.String()
}
