package clients

import (
	"encoding/json"
	"net/http"
)

// responses is OpenAI's Responses interface.
type responses struct{}

func (responses) hear(body []byte) (heard, error) {
	type declared struct {
		Type, Name string
		Tools      []struct{ Type, Name string }
	}
	var q struct {
		Stream bool
		Tools  []declared
		Input  json.RawMessage
	}
	if err := json.Unmarshal(body, &q); err != nil {
		return heard{}, err
	}
	h := heard{stream: q.Stream}
	for _, t := range q.Tools {
		switch t.Type {
		case "function":
			h.offered = append(h.offered, tool{name: t.Name})
		case "namespace":
			for _, inner := range t.Tools {
				h.offered = append(h.offered, tool{namespace: t.Name, name: inner.Name})
			}
		}
	}
	var items []struct {
		Type   string
		CallID string `json:"call_id"`
		Output json.RawMessage
	}
	_ = json.Unmarshal(q.Input, &items) // a text alone has no results
	for _, item := range items {
		if item.Type == "function_call_output" {
			r := Result{Call: item.CallID}
			parts(item.Output, &r, "input_text", "output_text", "text")
			h.results = append(h.results, r)
		}
	}
	return h, nil
}

func (responses) say(w http.ResponseWriter, m move, stream bool) {
	item := object{"type": "message", "id": "msg_1", "role": "assistant", "status": "completed",
		"content": []any{object{"type": "output_text", "text": m.text, "annotations": []any{}}}}
	if m.call() {
		item = object{"type": "function_call", "id": "fc_" + m.id, "call_id": m.id, "status": "completed",
			"name": m.tool.name, "arguments": string(m.arguments)}
		if m.tool.namespace != "" {
			item["namespace"] = m.tool.namespace
		}
	}
	response := object{"id": "resp_1", "object": "response", "model": "scripted", "status": "completed",
		"output": []any{item}, "usage": object{"input_tokens": 1, "input_tokens_details": nil,
			"output_tokens": 1, "output_tokens_details": nil, "total_tokens": 2}}
	if !stream {
		reply(w, response)
		return
	}
	events(w,
		object{"type": "response.created", "response": object{"id": "resp_1"}},
		object{"type": "response.output_item.added", "output_index": 0, "item": item},
		object{"type": "response.output_item.done", "output_index": 0, "item": item},
		object{"type": "response.completed", "response": response})
}

// completions is OpenAI's Chat Completions interface, which many others offer too.
type completions struct{}

func (completions) hear(body []byte) (heard, error) {
	var q struct {
		Stream bool
		Tools  []struct {
			Function struct{ Name string }
		}
		Messages []struct {
			Role       string
			ToolCallID string `json:"tool_call_id"`
			Content    json.RawMessage
		}
	}
	if err := json.Unmarshal(body, &q); err != nil {
		return heard{}, err
	}
	h := heard{stream: q.Stream}
	for _, t := range q.Tools {
		h.offered = append(h.offered, tool{name: t.Function.Name})
	}
	for _, m := range q.Messages {
		if m.Role == "tool" {
			r := Result{Call: m.ToolCallID}
			parts(m.Content, &r, "text")
			h.results = append(h.results, r)
		}
	}
	return h, nil
}

func (completions) say(w http.ResponseWriter, m move, stream bool) {
	message, reason := object{"role": "assistant", "content": m.text}, "stop"
	if m.call() {
		reason = "tool_calls"
		message = object{"role": "assistant", "content": nil, "tool_calls": []any{object{
			"index": 0, "id": m.id, "type": "function",
			"function": object{"name": m.tool.name, "arguments": string(m.arguments)}}}}
	}
	usage := object{"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
	whole := func(kind string, choice object) object {
		choice["index"] = 0
		return object{"id": "chatcmpl-1", "object": kind, "created": 1, "model": "scripted", "choices": []any{choice}, "usage": usage}
	}
	if !stream {
		reply(w, whole("chat.completion", object{"message": message, "finish_reason": reason}))
		return
	}
	const chunk = "chat.completion.chunk"
	events(w,
		whole(chunk, object{"delta": message, "finish_reason": nil}),
		whole(chunk, object{"delta": object{}, "finish_reason": reason}),
		"[DONE]")
}
