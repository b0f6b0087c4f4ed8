package spec

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// Input is one argument of a tool, as its input_schema declares it. The schemas
// are flat, so this is all there is to know.
type Input struct {
	Name     string
	Type     string // string, integer, number, boolean, array or object
	Required bool
	Min, Max *int64
	Enum     []string
}

// schema is the part of JSON Schema that an input_schema may use.
type schema struct {
	Type        string          `json:"type"`
	Description string          `json:"description"`
	Properties  json.RawMessage `json:"properties"`
	Required    []string        `json:"required"`
	Enum        []string        `json:"enum"`
	Items       json.RawMessage `json:"items"`
	Minimum     *int64          `json:"minimum"`
	Maximum     *int64          `json:"maximum"`
}

// readInputs lists the properties of an input_schema by name, which is the
// order in which they are checked.
func readInputs(raw json.RawMessage) ([]Input, error) {
	var top schema
	if err := json.Unmarshal(raw, &top); err != nil {
		return nil, fmt.Errorf("input_schema: %w", err)
	}
	var properties map[string]schema
	if err := json.Unmarshal(top.Properties, &properties); err != nil {
		return nil, fmt.Errorf("input_schema: properties: %w", err)
	}
	inputs := make([]Input, 0, len(properties))
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		p := properties[name]
		inputs = append(inputs, Input{
			Name: name, Type: p.Type, Required: slices.Contains(top.Required, name),
			Min: p.Minimum, Max: p.Maximum, Enum: p.Enum,
		})
	}
	return inputs, nil
}
