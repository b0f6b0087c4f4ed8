package conformance

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	// pixel is a picture of one pixel, and silence a sound of no length.
	pixel   = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
	silence = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA="
)

func bytesOf(text string) []byte {
	b, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		panic(err) // our own constant
	}
	return b
}

func text(s string) mcp.Content { return &mcp.TextContent{Text: s} }
func picture() mcp.Content      { return &mcp.ImageContent{Data: bytesOf(pixel), MIMEType: "image/png"} }
func embedded(uri, kind, s string) mcp.Content {
	return &mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: uri, MIMEType: kind, Text: s}}
}

// addContent adds the tools that answer at once, with one kind of content or
// several.
func (f *fixtures) addContent() {
	for _, c := range []struct {
		name    string
		content []mcp.Content
	}{
		{"test_simple_text", []mcp.Content{text("This is a simple text response for testing.")}},
		{"test_image_content", []mcp.Content{picture()}},
		{"test_audio_content", []mcp.Content{&mcp.AudioContent{Data: bytesOf(silence), MIMEType: "audio/wav"}}},
		{"test_embedded_resource", []mcp.Content{embedded("test://embedded-resource", "text/plain", "This is an embedded resource content.")}},
		{"test_multiple_content_types", []mcp.Content{
			text("Multiple content types test:"), picture(),
			embedded("test://mixed-content-resource", "application/json", `{"test":"data","value":123}`),
		}},
	} {
		f.tool(c.name, "Answers with "+strings.TrimPrefix(c.name, "test_")+".", func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{Content: c.content}, nil
		})
	}
	f.tool("test_error_handling", "Always fails.", func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		r := says("This tool intentionally returns an error for testing")
		r.IsError = true
		return r, nil
	})
	// http-header-validation calls whatever is listed first, without a word of
	// what it can do: that must not be a tool that needs more.
	f.tool("a_first_tool", "Answers whoever calls it.", func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return says("Called."), nil
	})
	f.addSchemas()
}

// addSchemas adds the tools whose schema is what matters.
func (f *fixtures) addSchemas() {
	echo := func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return says("Called with " + string(req.Params.Arguments)), nil
	}
	// SEP-1613 and SEP-2106: each of these words must come out of tools/list.
	f.AddTool(&mcp.Tool{Name: "json_schema_2020_12_tool", Description: "Has a schema with every word of 2020-12 that lists tend to lose.", InputSchema: json.RawMessage(`{
		"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object",
		"$defs": {"address": {"$anchor": "addressDef", "type": "object", "properties": {"street": {"type": "string"}, "city": {"type": "string"}}}},
		"properties": {
			"name": {"type": "string"}, "address": {"$ref": "#/$defs/address"},
			"contactMethod": {"type": "string", "enum": ["phone", "email"]}, "phone": {"type": "string"}, "email": {"type": "string"}
		},
		"allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
		"if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
		"then": {"required": ["phone"]}, "else": {"required": ["email"]},
		"additionalProperties": false
	}`)}, echo)
	// SEP-2243: an argument that a header repeats.
	f.AddTool(&mcp.Tool{Name: "test_header_argument", Description: "Has an argument that is in a header too.", InputSchema: json.RawMessage(`{
		"type": "object", "properties": {"region": {"type": "string", "description": "where", "x-mcp-header": "Region"}}
	}`)}, echo)
}

// addPrompts adds the prompts, and the completion of their arguments.
func (f *fixtures) addPrompts() {
	required := func(names ...string) (all []*mcp.PromptArgument) {
		for _, n := range names {
			all = append(all, &mcp.PromptArgument{Name: n, Description: n, Required: true})
		}
		return all
	}
	for _, p := range []struct {
		name      string
		arguments []*mcp.PromptArgument
		messages  func(map[string]string) []mcp.Content
	}{
		{"test_simple_prompt", nil, func(map[string]string) []mcp.Content {
			return []mcp.Content{text("This is a simple prompt for testing.")}
		}},
		{"test_prompt_with_arguments", required("arg1", "arg2"), func(a map[string]string) []mcp.Content {
			return []mcp.Content{text(fmt.Sprintf("Prompt with arguments: arg1='%s', arg2='%s'", a["arg1"], a["arg2"]))}
		}},
		{"test_prompt_with_embedded_resource", required("resourceUri"), func(a map[string]string) []mcp.Content {
			return []mcp.Content{
				embedded(a["resourceUri"], "text/plain", "Embedded resource content for testing."),
				text("Please process the embedded resource above."),
			}
		}},
		{"test_prompt_with_image", nil, func(map[string]string) []mcp.Content {
			return []mcp.Content{picture(), text("Please analyze the image above.")}
		}},
	} {
		f.AddPrompt(&mcp.Prompt{Name: p.name, Description: "A prompt of the suite.", Arguments: p.arguments},
			func(_ context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
				r := &mcp.GetPromptResult{}
				for _, c := range p.messages(req.Params.Arguments) {
					r.Messages = append(r.Messages, &mcp.PromptMessage{Role: "user", Content: c})
				}
				return r, nil
			})
	}
}

// complete offers what begins as the argument does so far.
func complete(_ context.Context, req *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
	r := &mcp.CompleteResult{Completion: mcp.CompletionResultDetails{Values: []string{}}}
	for _, v := range []string{"paris", "park", "party", "test one", "test two"} {
		if strings.HasPrefix(v, req.Params.Argument.Value) {
			r.Completion.Values = append(r.Completion.Values, v)
		}
	}
	r.Completion.Total = len(r.Completion.Values)
	return r, nil
}

// addResources adds what can be read.
func (f *fixtures) addResources() {
	for _, c := range []mcp.ResourceContents{
		{URI: "test://static-text", MIMEType: "text/plain", Text: "This is the content of the static text resource."},
		{URI: "test://static-binary", MIMEType: "image/png", Blob: bytesOf(pixel)},
		{URI: "test://watched-resource", MIMEType: "text/plain", Text: "This can be watched."},
	} {
		f.AddResource(&mcp.Resource{URI: c.URI, Name: strings.TrimPrefix(c.URI, "test://"), Description: "A resource of the suite.", MIMEType: c.MIMEType},
			func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
				return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{&c}}, nil
			})
	}
	f.AddResourceTemplate(&mcp.ResourceTemplate{URITemplate: "test://template/{id}/data", Name: "template", Description: "A family of resources.", MIMEType: "application/json"},
		func(_ context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			id := strings.TrimSuffix(strings.TrimPrefix(req.Params.URI, "test://template/"), "/data")
			b, err := json.Marshal(map[string]any{"id": id, "templateTest": true, "data": "Data for ID: " + id})
			if err != nil {
				return nil, err
			}
			return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: req.Params.URI, MIMEType: "application/json", Text: string(b)}}}, nil
		})
}
