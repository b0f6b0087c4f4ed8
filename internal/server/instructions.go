package server

import (
	"slices"
	"strings"

	"nod.dev/nod"
	"nod.dev/nod/spec"
)

// instructions is what an agent is told of the phone before it asks for anything:
// the section "This phone" (seed 001). Its rules are those of the tools that this
// agent has, and no others.
func (s *Server) instructions(agent nod.Agent) string {
	tools := s.gateway.Tools(agent)
	has := func(is func(spec.Tool) bool) bool { return slices.ContainsFunc(tools, is) }
	named := func(names ...string) func(spec.Tool) bool {
		return func(t spec.Tool) bool { return slices.Contains(names, t.Name) }
	}
	var rules, names []string
	for _, rule := range []struct {
		key string
		is  func(spec.Tool) bool
	}{
		{spec.TextInstructionsPermission, func(t spec.Tool) bool { return t.Permission != spec.PermissionNone }},
		{spec.TextInstructionsScreen, named(spec.ToolClipboardRead, spec.ToolPhotoPick)},
		{spec.TextInstructionsTimes, named(spec.ToolPhoneNow)},
		{spec.TextInstructionsSeveral, named(spec.ToolContactsSearch, spec.ToolCalendarList)},
	} {
		if has(rule.is) {
			rules = append(rules, s.spec.Text(rule.key, nil))
		}
	}
	for _, t := range tools {
		names = append(names, t.Name)
	}
	parts := []string{s.spec.Text(spec.TextInstructions, nil)}
	if len(rules) > 0 {
		parts = append(parts, strings.Join(rules, " "))
	}
	parts = append(parts, s.spec.Text(spec.TextInstructionsTools, map[string]string{"list": strings.Join(names, ", ")}))
	return strings.Join(parts, "\n\n")
}
