package client

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"nod.dev/nod"
)

// Tool is something an agent can name.
type Tool struct {
	Name        string          `json:"name"`
	Title       string          `json:"title"`
	Description string          `json:"description"`
	Kind        nod.Kind        `json:"kind"`
	Risk        nod.Risk        `json:"risk"`
	InputSchema json.RawMessage `json:"input_schema"`
}

// Tools lists what the agent may ask for.
func (c *Client) Tools(ctx context.Context) ([]Tool, error) {
	var list struct {
		Tools []Tool `json:"tools"`
	}
	err := c.send(ctx, http.MethodGet, "/v1/tools", nil, nil, &list)
	return list.Tools, err
}

// Phone is a paired device.
type Phone struct {
	ID   nod.PhoneID `json:"id"`
	Name string      `json:"name"`
	Host nod.Host    `json:"host"`
	// Connected is true while the phone proves that it is there.
	Connected bool `json:"connected"`
	// Reachable is true when an offer would be sent to it.
	Reachable bool `json:"reachable"`
	// Reach is how: link while it is connected or was a moment ago, push when it is
	// woken by the push service of its browser, no.
	Reach string `json:"reach,omitempty"`
	// Screen is true when it can show a card.
	Screen bool `json:"screen"`
	// Approved is false while a second phone waits for the first one's yes.
	Approved     bool             `json:"approved"`
	Capabilities []nod.Capability `json:"capabilities,omitempty"`
	SeenAt       time.Time        `json:"seen_at,omitzero"`
	PairedAt     time.Time        `json:"paired_at,omitzero"`
}

// Phones lists the phones of the agent's person.
func (c *Client) Phones(ctx context.Context) ([]Phone, error) {
	var list struct {
		Phones []Phone `json:"phones"`
	}
	err := c.send(ctx, http.MethodGet, "/v1/phones", nil, nil, &list)
	return list.Phones, err
}

// Agent is a program that asks, as the person named it.
type Agent struct {
	ID     nod.AgentID  `json:"id"`
	Name   string       `json:"name"`
	Person nod.PersonID `json:"person"`
	Mode   nod.Mode     `json:"mode"`
	// Access maps "app:act" and "app:read" to off or ask.
	Access map[string]nod.AccessState `json:"access,omitempty"`
	// Only is true when everything that Access does not name is off.
	Only bool `json:"only,omitempty"`
	// Phone is the one phone the agent is bound to, if it is.
	Phone       nod.PhoneID `json:"phone,omitempty"`
	WaitSeconds int         `json:"wait_seconds,omitempty"`
	// Paused is true until the agent is resumed on a phone.
	Paused bool `json:"paused,omitempty"`
	// PausedAll is true while the person has stopped every agent. Only the agent
	// itself is told: see [Client.Me].
	PausedAll  bool      `json:"paused_all,omitempty"`
	AddedAt    time.Time `json:"added_at"`
	LastUsedAt time.Time `json:"last_used_at,omitzero"`
}

// Me returns the agent that the token belongs to.
func (c *Client) Me(ctx context.Context) (Agent, error) {
	var a Agent
	err := c.send(ctx, http.MethodGet, "/v1/me", nil, nil, &a)
	return a, err
}
