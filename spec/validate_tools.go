package spec

import (
	"encoding/json"
	"maps"
	"slices"

	"nod.dev/nod"
)

// tools checks every tool by itself, and that no name leads to two of them.
func (v *validator) tools() {
	var names []string
	for _, t := range v.Tools {
		names = append(append(names, t.Name), t.Aliases...)
		v.tool(t)
		v.inputSchema(t)
	}
	for _, name := range twice(names) {
		v.add("tools.json", name, "two tools have this name or alias")
	}
	if _, ok := v.Tool(ToolPhoneAction); !ok {
		v.add("tools.json", ToolPhoneAction, "it is missing")
	}
	if v.Protocol == "" {
		v.add("tools.json", "protocol", "it is missing")
	}
	for _, app := range twice(v.Apps) {
		v.add("tools.json", "apps", "%q is there twice", app)
	}
}

func (v *validator) tool(t Tool) {
	wrong := func(format string, args ...any) { v.add("tools.json", t.Name, format, args...) }
	for _, name := range append([]string{t.Name}, t.Aliases...) {
		if !toolName.MatchString(name) {
			wrong("%q is no name: small letters, digits and _, at most 30, so that every client can show it", name)
		}
	}
	if t.Title == "" || t.Description == "" {
		wrong("it needs a title and a description")
	}
	if t.Kind != nod.Read && t.Kind != nod.Act {
		wrong("kind %q is neither read nor act", t.Kind)
	}
	if !isRisk(t.Risk) {
		wrong("risk %q is none of low, medium, high", t.Risk)
	}
	if !slices.Contains([]nod.Confirm{nod.ConfirmPolicy, nod.ConfirmAlways, nod.ConfirmNever}, t.Confirm) {
		wrong("confirm %q is none of policy, always, never", t.Confirm)
	}
	if t.Confirm == nod.ConfirmNever && (t.Risk != nod.Low || t.Private && t.Permission != PermissionPicker) {
		wrong("only what is harmless and not private may go unasked, or what the person picks in the system's own picker")
	}
	if t.Confirm == nod.ConfirmAlways && t.Name != ToolPhoneAction {
		wrong("only phone_action always asks; other tools follow the person's rules")
	}
	if t.Private && t.Kind != nod.Read {
		wrong("private says that its result is private data: only a read has one")
	}
	if t.WaitsSeconds < 0 {
		wrong("waits must not be negative")
	}
	if t.Permission != PermissionNone && !slices.Contains(Permissions, t.Permission) {
		wrong("permission %q is none of the permissions", t.Permission)
	}
	if t.Blobs < 0 || t.Blobs > 0 && t.Kind != nod.Read {
		wrong("blobs are what a read brings back")
	}
	v.toolPlace(t)
	v.toolFields(t)
}

// toolPlace checks what a tool acts on: an app through a capability of the same
// risk, unless it is the gateway's own or has it per action.
func (v *validator) toolPlace(t Tool) {
	wrong := func(format string, args ...any) { v.add("tools.json", t.Name, format, args...) }
	if t.Gateway || t.Name == ToolPhoneAction {
		if t.App != "" || t.Capability != "" {
			wrong("it has no app and no capability of its own")
		}
		return
	}
	if !slices.Contains(v.Apps, t.App) {
		wrong("app %q is not one of the apps", t.App)
	}
	v.capabilityOf("tools.json", t.Name, t.Capability, t.Risk)
}

// capabilityOf checks that a capability exists and agrees about the risk.
func (v *validator) capabilityOf(file, name, id string, risk nod.Risk) {
	i := slices.IndexFunc(v.Capabilities, func(c Capability) bool { return c.ID == id })
	if i < 0 {
		v.add(file, name, "there is no capability %q", id)
	} else if c := v.Capabilities[i]; c.Risk != risk {
		v.add(file, name, "its risk is %s, and that of its capability %s is %s", risk, id, c.Risk)
	}
}

// superseded follows seed 003's rule: only a deprecated tool names another one,
// that one exists and is not itself, and following the names comes to an end at
// a tool that is not deprecated.
func (v *validator) superseded() {
	for _, t := range v.Tools {
		if t.SupersededBy == "" {
			continue
		}
		if !t.Deprecated {
			v.add("tools.json", t.Name, "superseded_by is only for a deprecated tool")
		}
		seen := map[string]bool{t.Name: true}
		for at := t; at.SupersededBy != ""; {
			next, ok := v.Tool(at.SupersededBy)
			if !ok {
				v.add("tools.json", at.Name, "superseded_by names %q, which does not exist", at.SupersededBy)
				break
			}
			if seen[next.Name] {
				v.add("tools.json", t.Name, "superseded_by leads in a circle, through %s", next.Name)
				break
			}
			seen[next.Name] = true
			if at = next; at.Deprecated && at.SupersededBy == "" {
				v.add("tools.json", t.Name, "superseded_by ends at %s, which is deprecated itself", at.Name)
			}
		}
	}
}

// forbiddenWords are the parts of JSON Schema that some client cannot read, or
// that would promise what the check does not do.
var forbiddenWords = []string{
	"$ref", "$defs", "oneOf", "anyOf", "allOf", "not", "if", "then", "else",
	"additionalProperties", "patternProperties", "unevaluatedProperties", "dependentRequired", "dependentSchemas",
}

// inputSchema checks that a schema is one flat object in which everything is
// described, and that it says what the check does.
func (v *validator) inputSchema(t Tool) {
	v.schemaNode(t.Name, "input_schema", t.InputSchema, true)
	if t.Name == ToolPhoneAction {
		v.phoneSchema(t)
		return
	}
	v.toolSchema(t)
}

// schemaNode checks one schema and those inside it.
func (v *validator) schemaNode(tool, path string, raw json.RawMessage, top bool) {
	var node schema
	var words map[string]json.RawMessage
	if err := json.Unmarshal(raw, &words); err != nil {
		v.add("tools.json", tool, "%s must be an object", path)
		return
	}
	if err := json.Unmarshal(raw, &node); err != nil {
		v.add("tools.json", tool, "%s cannot be read: %v", path, err)
		return
	}
	for _, word := range forbiddenWords {
		if words[word] != nil {
			v.add("tools.json", tool, "%s uses %s", path, word)
		}
	}
	if !slices.Contains([]string{"object", "array", "string", "integer", "number", "boolean"}, node.Type) {
		v.add("tools.json", tool, "%s has the type %q", path, node.Type)
	}
	if top && node.Type != "object" {
		v.add("tools.json", tool, "%s must be of type object", path)
	}
	if node.Minimum != nil && node.Maximum != nil && *node.Minimum > *node.Maximum {
		v.add("tools.json", tool, "%s has a minimum above its maximum", path)
	}
	for _, word := range twice(node.Enum) {
		v.add("tools.json", tool, "%s has %q twice in its enum", path, word)
	}
	properties := map[string]json.RawMessage{}
	if node.Properties != nil {
		if err := json.Unmarshal(node.Properties, &properties); err != nil {
			v.add("tools.json", tool, "%s has properties that are no object", path)
		}
	}
	for _, name := range node.Required {
		if properties[name] == nil {
			v.add("tools.json", tool, "%s requires %q, which is not one of its properties", path, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		var p schema
		if err := json.Unmarshal(properties[name], &p); err == nil && p.Description == "" {
			v.add("tools.json", tool, "%s.%s is not described", path, name)
		}
		v.schemaNode(tool, path+"."+name, properties[name], false)
	}
	if node.Items != nil {
		v.schemaNode(tool, path+"[]", node.Items, false)
	} else if node.Type == "array" {
		v.add("tools.json", tool, "%s does not say what its items are", path)
	}
}
