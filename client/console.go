package client

import (
	"context"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"nod.dev/nod"
)

// Console speaks for the person at the machine that runs the gateway. It can
// add what may ask, and narrow: only a phone lets anything happen unasked.
type Console struct {
	socket string
	client *Client // of [consoleBase], with no token: the socket decides who speaks
}

// consoleBase is the address in a console request: the socket decides where it
// goes, and the name is only for the Host header.
const consoleBase = "http://console"

// NewConsole makes a console that connects to the gateway's unix socket.
func NewConsole(socket string) *Console {
	var d net.Dialer
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) { return d.DialContext(ctx, "unix", socket) }
	return &Console{socket: socket, client: &Client{base: consoleBase, http: &http.Client{Transport: &http.Transport{DialContext: dial}}}}
}

func (c *Console) send(ctx context.Context, method, path string, in, out any) error {
	err := c.client.send(ctx, method, "/console"+path, nil, in, out)
	if e, ok := err.(*Error); ok && e.Code == Unreachable {
		e.Message = "no gateway runs on " + c.socket
		e.Hint = `start it with "nod serve", or name its folder with --data or NOD_DATA`
	}
	return err
}

// Person is somebody who decides.
type Person struct {
	ID   nod.PersonID `json:"id"`
	Name string       `json:"name"`
	// Paused is true while the person has stopped every agent.
	Paused bool `json:"paused,omitempty"`
	// WaitSeconds is how long a card waits for an answer.
	WaitSeconds int       `json:"wait_seconds"`
	AddedAt     time.Time `json:"added_at"`
}

// Status is what the gateway says of itself.
type Status struct {
	Version string `json:"version"`
	// URL is the address that phones know the gateway by.
	URL       string    `json:"url"`
	Data      string    `json:"data"`
	StartedAt time.Time `json:"started_at"`
	// Key is the gateway's public key, base64url, by which phones know it.
	Key string `json:"key"`
	// PushOff says why no phone can be woken; empty when they can.
	PushOff string `json:"push_off,omitempty"`
	// PushServices are the hosts of the push services that phones use.
	PushServices []string `json:"push_services"`
}

// Status asks the gateway about itself.
func (c *Console) Status(ctx context.Context) (Status, error) {
	var s Status
	err := c.send(ctx, http.MethodGet, "/status", nil, &s)
	return s, err
}

// People lists everybody who decides.
func (c *Console) People(ctx context.Context) ([]Person, error) {
	var list struct {
		People []Person `json:"people"`
	}
	err := c.send(ctx, http.MethodGet, "/people", nil, &list)
	return list.People, err
}

// AgentRequest is what an agent is added with.
type AgentRequest struct {
	Name string `json:"name"`
	// Person owns the agent, by id or name; empty for the only one.
	Person string `json:"person,omitempty"`
	// Apps limits what it may ask for, as in "calendar:read", "maps:act"; none
	// for the default: acts may be asked for, private reads not.
	Apps []string `json:"apps,omitempty"`
	// Phone binds it to one phone, by id or name.
	Phone string `json:"phone,omitempty"`
	// WaitSeconds bounds how long its calls wait inline over MCP.
	WaitSeconds int `json:"wait_seconds,omitempty"`
}

// NewAgent is an agent with the token that is shown this once.
type NewAgent struct {
	Agent Agent  `json:"agent"`
	Token string `json:"token"`
}

// Agents lists the agents of a person, by id or name; empty for the only one.
func (c *Console) Agents(ctx context.Context, person string) ([]Agent, error) {
	var list struct {
		Agents []Agent `json:"agents"`
	}
	err := c.send(ctx, http.MethodGet, "/agents"+of(person), nil, &list)
	return list.Agents, err
}

// AddAgent adds an agent that can ask.
func (c *Console) AddAgent(ctx context.Context, q AgentRequest) (NewAgent, error) {
	var a NewAgent
	err := c.send(ctx, http.MethodPost, "/agents", q, &a)
	return a, err
}

// RotateAgent gives an agent a new token; the old one is dead.
func (c *Console) RotateAgent(ctx context.Context, person, agent string) (NewAgent, error) {
	var a NewAgent
	err := c.send(ctx, http.MethodPost, "/agents/"+url.PathEscape(agent)+"/rotate"+of(person), struct{}{}, &a)
	return a, err
}

// RenameAgent changes how cards name an agent.
func (c *Console) RenameAgent(ctx context.Context, person, agent, name string) (Agent, error) {
	var a Agent
	err := c.send(ctx, http.MethodPost, "/agents/"+url.PathEscape(agent)+"/rename"+of(person), map[string]string{"name": name}, &a)
	return a, err
}

// SwitchOff takes from an agent some of what it may ask for, each like
// "maps:act"; what of it waits has ended when it returns.
func (c *Console) SwitchOff(ctx context.Context, person, agent string, apps []string) (Stopped, error) {
	var s Stopped
	err := c.send(ctx, http.MethodPost, "/agents/"+url.PathEscape(agent)+"/off"+of(person), map[string][]string{"apps": apps}, &s)
	return s, err
}

// SetAgentWait sets how long one answer to an agent may take over MCP, in
// seconds; 0 for what its client is known to bear.
func (c *Console) SetAgentWait(ctx context.Context, person, agent string, seconds int) (Agent, error) {
	var a Agent
	err := c.send(ctx, http.MethodPost, "/agents/"+url.PathEscape(agent)+"/wait"+of(person), map[string]int{"seconds": seconds}, &a)
	return a, err
}

// Stopped is the answer to what stops agents or phones.
type Stopped struct {
	// InFlight counts the actions that were let go before and may still be
	// carried out.
	InFlight int `json:"in_flight"`
}

// PauseAgent stops an agent until it is resumed on a phone.
func (c *Console) PauseAgent(ctx context.Context, person, agent string) (Stopped, error) {
	return c.stop(ctx, "/agents/"+url.PathEscape(agent)+"/pause"+of(person), nil)
}

// RevokeAgent removes an agent for good. With wait it returns once what was
// let go before has ended.
func (c *Console) RevokeAgent(ctx context.Context, person, agent string, wait bool) (Stopped, error) {
	return c.stop(ctx, "/agents/"+url.PathEscape(agent)+"/revoke"+of(person), map[string]bool{"wait": wait})
}

// PauseAll stops every agent of a person until they are resumed on a phone.
func (c *Console) PauseAll(ctx context.Context, person string) (Stopped, error) {
	return c.stop(ctx, "/pause"+of(person), nil)
}

// Resume is the answer to a wish that agents go on. It is the person's to say, on
// a phone.
type Resume struct {
	// Asked names the phones that show the question now; none was there if empty.
	Asked []string `json:"asked"`
	// Page is where a phone says yes.
	Page string `json:"page"`
}

// Resume asks on the person's phones to let agents go on.
func (c *Console) Resume(ctx context.Context, person string) (Resume, error) {
	var r Resume
	err := c.send(ctx, http.MethodPost, "/resume"+of(person), struct{}{}, &r)
	return r, err
}

// AddPerson adds somebody who decides.
func (c *Console) AddPerson(ctx context.Context, name string) (Person, error) {
	var p Person
	err := c.send(ctx, http.MethodPost, "/people", map[string]string{"name": name}, &p)
	return p, err
}

// SetWait sets how long a person's cards wait: 120 to 1200 seconds.
func (c *Console) SetWait(ctx context.Context, person string, wait time.Duration) error {
	return c.send(ctx, http.MethodPost, "/wait"+of(person), map[string]int{"seconds": int(wait / time.Second)}, nil)
}

func (c *Console) stop(ctx context.Context, path string, in any) (Stopped, error) {
	if in == nil {
		in = struct{}{}
	}
	var s Stopped
	err := c.send(ctx, http.MethodPost, path, in, &s)
	return s, err
}

// Phones lists the phones of a person.
func (c *Console) Phones(ctx context.Context, person string) ([]Phone, error) {
	var list struct {
		Phones []Phone `json:"phones"`
	}
	err := c.send(ctx, http.MethodGet, "/phones"+of(person), nil, &list)
	return list.Phones, err
}

// RenamePhone changes what a phone is called.
func (c *Console) RenamePhone(ctx context.Context, person, phone, name string) (Phone, error) {
	var p Phone
	err := c.send(ctx, http.MethodPost, "/phones/"+url.PathEscape(phone)+"/rename"+of(person), map[string]string{"name": name}, &p)
	return p, err
}

// PushTest is how far a test of a phone's notifications came, in milliseconds
// from its start. What has not happened is 0.
type PushTest struct {
	AcceptedMS int64 `json:"accepted_ms"` // the push service took it
	ReceivedMS int64 `json:"received_ms"` // the phone's browser got it
	ShownMS    int64 `json:"shown_ms"`    // it is on the screen
	// Problem says what went wrong; empty when nothing did.
	Problem string `json:"problem,omitempty"`
}

// TestPush sends a phone a notification that asks for nothing, and waits up to
// twenty seconds for the phone to show it.
func (c *Console) TestPush(ctx context.Context, person, phone string) (PushTest, error) {
	var t PushTest
	err := c.send(ctx, http.MethodPost, "/phones/"+url.PathEscape(phone)+"/push-test"+of(person), nil, &t)
	return t, err
}

// RevokePhone removes a phone for good.
func (c *Console) RevokePhone(ctx context.Context, person, phone string) (Stopped, error) {
	return c.stop(ctx, "/phones/"+url.PathEscape(phone)+"/revoke"+of(person), nil)
}

// Pairing is an invitation for one phone.
type Pairing struct {
	ID string `json:"id"`
	// Link is to be opened on the phone. Whoever opens it first is the phone.
	Link      string    `json:"link"`
	ExpiresAt time.Time `json:"expires_at"`
}

// PairingState says where an invitation stands.
type PairingState struct {
	// State is open, waiting, approved, rejected or expired.
	State string `json:"state"`
	// Phone is the one that used it.
	Phone *Phone `json:"phone,omitempty"`
}

// Pair makes an invitation. One that recovers needs no yes on another phone: it
// pauses every agent and tells the other phones.
func (c *Console) Pair(ctx context.Context, person string, recover bool) (Pairing, error) {
	var p Pairing
	err := c.send(ctx, http.MethodPost, "/pairings"+of(person), map[string]bool{"recover": recover}, &p)
	return p, err
}

// Pairing asks where an invitation stands, and waits up to wait for a change
// from the state that the caller knows.
func (c *Console) Pairing(ctx context.Context, id, known string, wait time.Duration) (PairingState, error) {
	q := url.Values{"known": {known}, "wait": {strconv.Itoa(int(wait / time.Second))}}
	var s PairingState
	err := c.send(ctx, http.MethodGet, "/pairings/"+url.PathEscape(id)+"?"+q.Encode(), nil, &s)
	return s, err
}

// Backup writes a copy of the ledger to a file that does not exist yet.
func (c *Console) Backup(ctx context.Context, path string) error {
	return c.send(ctx, http.MethodPost, "/backup", map[string]string{"path": path}, nil)
}

// of is the query that names a person.
func of(person string) string {
	if person == "" {
		return ""
	}
	return "?" + url.Values{"person": {person}}.Encode()
}
