package clients

import (
	"encoding/json"
	"net/http"
)

// messages is Anthropic's Messages interface.
type messages struct{}

func (messages) hear(body []byte) (heard, error) {
	var q struct {
		Stream   bool
		Tools    []struct{ Name string }
		Messages []struct{ Content json.RawMessage }
	}
	if err := json.Unmarshal(body, &q); err != nil {
		return heard{}, err
	}
	h := heard{stream: q.Stream}
	for _, t := range q.Tools {
		h.offered = append(h.offered, tool{name: t.Name})
	}
	for _, m := range q.Messages {
		var blocks []struct {
			Type      string
			ToolUseID string `json:"tool_use_id"`
			Content   json.RawMessage
			IsError   bool `json:"is_error"`
		}
		_ = json.Unmarshal(m.Content, &blocks) // a text alone has no results
		for _, b := range blocks {
			if b.Type == "tool_result" {
				r := Result{Call: b.ToolUseID, Error: b.IsError}
				parts(b.Content, &r, "text")
				h.results = append(h.results, r)
			}
		}
	}
	return h, nil
}

func (messages) say(w http.ResponseWriter, m move, stream bool) {
	block, begun, reason := object{"type": "text", "text": m.text}, object{"type": "text", "text": ""}, "end_turn"
	delta := object{"type": "text_delta", "text": m.text}
	if m.call() {
		block = object{"type": "tool_use", "id": m.id, "name": m.tool.name, "input": m.arguments}
		begun = object{"type": "tool_use", "id": m.id, "name": m.tool.name, "input": object{}}
		delta = object{"type": "input_json_delta", "partial_json": string(m.arguments)}
		reason = "tool_use"
	}
	usage := object{"input_tokens": 1, "output_tokens": 1}
	whole := func(content []any, reason any) object {
		return object{"id": "msg_1", "type": "message", "role": "assistant", "model": "scripted",
			"content": content, "stop_reason": reason, "stop_sequence": nil, "usage": usage}
	}
	if !stream {
		reply(w, whole([]any{block}, reason))
		return
	}
	events(w,
		object{"type": "message_start", "message": whole([]any{}, nil)},
		object{"type": "content_block_start", "index": 0, "content_block": begun},
		object{"type": "content_block_delta", "index": 0, "delta": delta},
		object{"type": "content_block_stop", "index": 0},
		object{"type": "message_delta", "delta": object{"stop_reason": reason, "stop_sequence": nil}, "usage": usage},
		object{"type": "message_stop"})
}
