package spec

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
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

// readInputs lists the properties of an input_schema in the order in which they
// are written: it is the order in which they are checked.
func readInputs(raw json.RawMessage) ([]Input, error) {
	var top schema
	if err := json.Unmarshal(raw, &top); err != nil {
		return nil, fmt.Errorf("input_schema: %w", err)
	}
	names, err := objectKeys(top.Properties)
	if err != nil {
		return nil, fmt.Errorf("input_schema: properties: %w", err)
	}
	var properties map[string]schema
	if err := json.Unmarshal(top.Properties, &properties); err != nil {
		return nil, fmt.Errorf("input_schema: properties: %w", err)
	}
	inputs := make([]Input, 0, len(names))
	for _, name := range names {
		p := properties[name]
		inputs = append(inputs, Input{
			Name: name, Type: p.Type, Required: slices.Contains(top.Required, name),
			Min: p.Minimum, Max: p.Maximum, Enum: p.Enum,
		})
	}
	return inputs, nil
}

// objectKeys returns the keys of a JSON object as they are written, twice where
// one is.
func objectKeys(raw json.RawMessage) ([]string, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, errors.New("must be an object")
	}
	var keys []string
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return nil, err
		}
		keys = append(keys, t.(string))
		var skipped json.RawMessage
		if err := d.Decode(&skipped); err != nil {
			return nil, err
		}
	}
	return keys, nil
}
