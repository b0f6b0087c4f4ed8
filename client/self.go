package client

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
)

// SwitchOff gives up some of what the agent itself may ask for, each like
// "maps:act" or "calendar:read". What of it waits is denied; the answer counts
// what may still be carried out.
func (c *Client) SwitchOff(ctx context.Context, apps ...string) (Stopped, error) {
	var s Stopped
	err := c.send(ctx, http.MethodPost, "/v1/me/off", nil, map[string][]string{"apps": apps}, &s)
	return s, err
}

// Pause stops the agent itself until the person resumes it on a phone. What
// waits is denied; the answer counts what may still be carried out.
func (c *Client) Pause(ctx context.Context) (Stopped, error) {
	var s Stopped
	err := c.send(ctx, http.MethodPost, "/v1/me/pause", nil, struct{}{}, &s)
	return s, err
}

// Revoke removes the agent itself for good, and with it its token. What waits is
// withdrawn; the answer counts what may still be carried out.
func (c *Client) Revoke(ctx context.Context) (Stopped, error) {
	var s Stopped
	err := c.send(ctx, http.MethodPost, "/v1/me/revoke", nil, struct{}{}, &s)
	return s, err
}

// Log reads the part of the person's log that is about this agent and its calls,
// oldest first. From 0 is the newest part; Person and Wait are for [Console.Log].
func (c *Client) Log(ctx context.Context, q LogQuery) (LogPage, error) {
	v := url.Values{}
	if q.From > 0 {
		v.Set("from", strconv.FormatInt(q.From, 10))
	}
	if q.Limit > 0 {
		v.Set("limit", strconv.Itoa(q.Limit))
	}
	var p LogPage
	err := c.send(ctx, http.MethodGet, withQuery("/v1/log", v), nil, nil, &p)
	return p, err
}
