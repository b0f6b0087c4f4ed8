package clients

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
)

// gemini serves the methods of Google's interface, whose path is MODEL:METHOD.
func (m *Player) gemini(w http.ResponseWriter, r *http.Request) {
	_, method, _ := strings.Cut(r.PathValue("method"), ":")
	switch method {
	case "generateContent", "streamGenerateContent":
		m.speak(contents{stream: method == "streamGenerateContent"})(w, r)
	case "countTokens":
		reply(w, object{"totalTokens": 1})
	default:
		http.NotFound(w, r)
	}
}

// contents is Google's Gemini interface. Whether it streams is in the path.
type contents struct{ stream bool }

func (c contents) hear(body []byte) (heard, error) {
	var q struct {
		Tools []struct {
			FunctionDeclarations []struct{ Name string }
		}
		Contents []struct {
			Parts []struct {
				FunctionResponse *struct {
					ID       string
					Response map[string]json.RawMessage
					Parts    []json.RawMessage
				}
			}
		}
	}
	if err := json.Unmarshal(body, &q); err != nil {
		return heard{}, err
	}
	h := heard{stream: c.stream}
	for _, t := range q.Tools {
		for _, f := range t.FunctionDeclarations {
			h.offered = append(h.offered, tool{name: f.Name})
		}
	}
	for _, turn := range q.Contents {
		for _, p := range turn.Parts {
			if f := p.FunctionResponse; f != nil {
				r := Result{Call: f.ID}
				for _, key := range slices.Sorted(maps.Keys(f.Response)) {
					switch key {
					case "error":
						r.Error = true
						fallthrough
					case "output":
						parts(f.Response[key], &r)
					default:
						r.Other = append(r.Other, key)
					}
				}
				for range f.Parts {
					r.Other = append(r.Other, "part")
				}
				h.results = append(h.results, r)
			}
		}
	}
	return h, nil
}

func (contents) say(w http.ResponseWriter, m move, stream bool) {
	part := object{"text": m.text}
	if m.call() {
		part = object{"functionCall": object{"id": m.id, "name": m.tool.name, "args": m.arguments}}
	}
	answer := object{
		"candidates": []any{object{"index": 0, "finishReason": "STOP",
			"content": object{"role": "model", "parts": []any{part}}}},
		"usageMetadata": object{"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2},
		"modelVersion":  "scripted",
	}
	if stream {
		events(w, answer)
	} else {
		reply(w, answer)
	}
}
