package spec

import "encoding/json"

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
