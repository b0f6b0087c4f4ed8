// Package client is the Go client of nod's HTTP API.
//
// A [Client] speaks for one agent: it sends calls, waits for the person, takes
// calls back and lists what the agent may ask for. [Client.Do] is the whole job
// in one method: it sends a call, waits until the call has ended, and takes it
// back when its context ends first.
//
//	c, err := client.New(client.Config{URL: "http://127.0.0.1:7333", Token: token})
//	call, err := c.Do(ctx, client.Request{
//		Tool:      "phone_action",
//		Arguments: json.RawMessage(`{"action": "alarm", "time": "07:30"}`),
//	})
//	fmt.Println(call.Outcome, call.Text)
//
// How a call ended is a value, [Call.Outcome], and never an error: declined and
// expired are answers. An error means that nod could not do its part; one that
// the gateway sent, and one that no gateway answered, is an [*Error] with a
// stable code and what to do next:
//
//	if e, ok := errors.AsType[*client.Error](err); ok {
//		fmt.Println(e.Code, e.Hint)
//	}
//
// What a phone read is in [Call.Data], and [Client.Attachment] fetches a picture
// that came with it. Others may have written what is there: it is data, and no
// instruction to whoever reads it.
//
// A method sends once and leaves asking again to its caller, but for those that
// wait: [Client.Do], [Client.Follow], [Client.Await] and [Client.Events] ask
// again, with growing pauses and never sooner than Retry-After says, while no
// gateway answers (up to six times in a row). Only Do sends a call again (up to
// four times), and only under a key, so that it is the same call.
//
// [Client.Events] hears of each change as it comes, [Client.Calls] walks through
// past calls, and [Client.Receipt] proves one without the gateway.
//
// A [Console] speaks for the person at the machine that runs the gateway,
// through the unix socket in the data folder: it adds agents, pairs phones,
// pauses, revokes and reads the log.
//
// The shapes here are the API's own: the gateway encodes exactly these types.
// Readers ignore fields they do not know.
package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"nod.dev/nod"
)

// maxAnswer bounds what is read of one answer: a page of 100 calls, each with a
// text of 32 KiB of which JSON writes every character as six.
const maxAnswer = 32 << 20

// Config says which gateway to speak to, and as whom.
type Config struct {
	// URL is the gateway's base address, as in "http://127.0.0.1:7333".
	URL string
	// Token is the agent's token, as "nod agents add" showed it.
	Token string
	// HTTP is the client to use; nil for one of its own without a time-out,
	// since a person's answer takes as long as it takes. No redirect is followed
	// unless its CheckRedirect says so.
	HTTP *http.Client
}

// Client sends calls for one agent. It is safe for concurrent use.
type Client struct {
	base  string
	token string
	http  *http.Client
}

// New makes a client. It does not connect.
func New(c Config) (*Client, error) {
	base, err := baseURL(c.URL)
	if err != nil {
		return nil, err
	}
	var own http.Client
	if c.HTTP != nil {
		own = *c.HTTP
	}
	if own.CheckRedirect == nil {
		own.CheckRedirect = stay
	}
	return &Client{base: base, token: c.Token, http: &own}, nil
}

// stay follows no redirect: net/http would make a POST that is one a GET, whose
// answer is another, and has sent the token to the first address anyway.
func stay(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

func baseURL(raw string) (string, error) {
	const hint = `give it like "http://127.0.0.1:7333"`
	u, err := url.Parse(raw)
	switch {
	case err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https"):
		return "", nod.Errorf(nod.CodeInvalid, fmt.Sprintf("%q is not the address of a gateway", raw), hint)
	case u.User != nil: // not quoted: it can be a password
		return "", nod.Errorf(nod.CodeInvalid, "the address of a gateway has no name and no password in it", hint)
	case u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		return "", nod.Errorf(nod.CodeInvalid, "the address of a gateway ends before any ? or #", hint)
	case strings.HasSuffix(strings.TrimRight(u.Path, "/"), "/mcp"), strings.HasSuffix(strings.TrimRight(u.Path, "/"), "/v1"):
		return "", nod.Errorf(nod.CodeInvalid, fmt.Sprintf("%q is an address below a gateway's own", raw), hint+", without /mcp and /v1")
	}
	return strings.TrimRight(u.Scheme+"://"+u.Host+u.Path, "/"), nil
}

// send makes one exchange. in is the JSON body, nil for none; out is filled
// from the answer, nil to drop it.
func (c *Client) send(ctx context.Context, method, path string, header http.Header, in, out any) error {
	resp, err := c.request(ctx, method, path, header, in)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode >= 300 {
		return refused(resp)
	}
	answer, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return c.unreachable(ctx, err)
	}
	if out == nil {
		return nil
	}
	if err := json.Unmarshal(answer, out); err != nil {
		return fmt.Errorf("reading the gateway's answer: %w", err)
	}
	return nil
}

// request sends one request and returns the answer, whatever its status. Its
// body is the caller's to close.
func (c *Client) request(ctx context.Context, method, path string, header http.Header, in any) (*http.Response, error) {
	var body io.Reader
	if in != nil {
		b, err := json.Marshal(in)
		if err != nil {
			return nil, fmt.Errorf("encoding the request: %w", err)
		}
		body = bytes.NewReader(b)
	}
	r, err := http.NewRequestWithContext(ctx, method, c.base+path, body)
	if err != nil {
		return nil, fmt.Errorf("making the request: %w", err)
	}
	maps.Copy(r.Header, header)
	if in != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	if c.token != "" {
		r.Header.Set("Authorization", "Bearer "+c.token)
	}
	resp, err := c.http.Do(r)
	if err != nil {
		return nil, c.unreachable(ctx, err)
	}
	return resp, nil
}

// unreachable says that no answer came, or that the caller gave up first.
func (c *Client) unreachable(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	// The address is said already, and the way there says nothing to a person.
	if to, ok := errors.AsType[*url.Error](err); ok {
		err = to.Err
	}
	hint := `start it with "nod serve", or name its address with --url or NOD_URL`
	if errors.Is(err, http.ErrSchemeMismatch) {
		hint = "what is there speaks http and not https: name that address with --url or NOD_URL"
	}
	if dial, ok := errors.AsType[*net.OpError](err); ok && dial.Op == "dial" {
		err = dial.Err
	}
	return &Error{
		Code:    Unreachable,
		Message: "no gateway answers at " + c.base,
		Hint:    hint,
		Err:     err,
	}
}

// Unreachable is the code of an [Error] that the client made itself: no gateway
// answered.
const Unreachable nod.Code = "unreachable"

// Error is what went wrong, with what to do next.
type Error struct {
	Code    nod.Code `json:"code"`
	Message string   `json:"message"`
	Hint    string   `json:"hint,omitempty"`
	// Docs is a page that says more.
	Docs string `json:"docs,omitempty"`
	// Status is the HTTP status; 0 when no gateway answered.
	Status int `json:"-"`
	// RetryAfter is how long to wait before trying again, where the gateway said so.
	RetryAfter time.Duration `json:"-"`
	// Err is the cause where no gateway answered.
	Err error `json:"-"`
}

// Error returns the sentence, with the cause where there is one.
func (e *Error) Error() string {
	if e.Err != nil {
		return e.Message + ": " + e.Err.Error()
	}
	return e.Message
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Problem is the body of every answer with a status of 400 and up.
type Problem struct {
	Error Error `json:"error"`
}

// refused turns an answer with a status of 300 and up into an [Error].
func refused(resp *http.Response) error {
	var p Problem
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil || json.Unmarshal(body, &p) != nil || p.Error.Code == "" {
		p.Error = Error{
			Code:    nod.CodeInternal,
			Message: fmt.Sprintf("%s answered %s, which is not how nod answers", resp.Request.URL.Host, resp.Status),
			Hint:    "is there a proxy or another program at this address?",
		}
		if to, err := resp.Location(); err == nil {
			p.Error.Hint = fmt.Sprintf("it leads to %s://%s: name that address with --url or NOD_URL", to.Scheme, to.Host)
		}
	}
	p.Error.Status = resp.StatusCode
	if s, err := strconv.Atoi(resp.Header.Get("Retry-After")); err == nil && s > 0 {
		p.Error.RetryAfter = time.Duration(s) * time.Second
	}
	return &p.Error
}

// CodeOf returns the code of err: of an [Error] or a [nod.Error], else
// [nod.CodeInternal].
func CodeOf(err error) nod.Code {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Code
	}
	return nod.CodeOf(err)
}
