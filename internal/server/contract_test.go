package server_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"nod.dev/nod/spec"
)

// operation is one method of one path of the document.
type operation struct {
	ID         string                 `json:"operationId"`
	Parameters []parameter            `json:"parameters"`
	Body       *content               `json:"requestBody"`
	Answers    map[string]described   `json:"responses"`
	Security   *[]map[string][]string `json:"security"`

	method, path string
}

type parameter struct {
	Ref  string `json:"$ref"`
	Name string `json:"name"`
	In   string `json:"in"`
}

type content struct {
	Content map[string]struct {
		Schema  json.RawMessage `json:"schema"`
		Example json.RawMessage `json:"example"`
	} `json:"content"`
}

type described struct {
	content
	Ref     string                     `json:"$ref"`
	Headers map[string]json.RawMessage `json:"headers"`
	Events  map[string]json.RawMessage `json:"x-events"`
}

// contract is spec/openapi.json, read to hold what is sent and answered against.
type contract struct {
	operations []*operation
	parameters map[string]parameter
	answers    map[string]described
	defs       json.RawMessage

	mu       sync.Mutex
	compiled map[string]*jsonschema.Resolved // by the schema's text; guarded by mu
	seen     map[string]bool                 // "getCall 200"; guarded by mu
}

var theContract = sync.OnceValues(func() (*contract, error) {
	text := bytes.ReplaceAll(spec.OpenAPI(), []byte("#/components/schemas/"), []byte("#/$defs/"))
	var doc struct {
		Paths      map[string]map[string]json.RawMessage `json:"paths"`
		Components struct {
			Parameters map[string]parameter `json:"parameters"`
			Responses  map[string]described `json:"responses"`
			Schemas    map[string]any       `json:"schemas"`
		} `json:"components"`
	}
	if err := json.Unmarshal(text, &doc); err != nil {
		return nil, err
	}
	// Readers ignore what they do not know; here nothing may be that is not told.
	for _, schema := range doc.Components.Schemas {
		strict(schema)
	}
	defs, err := json.Marshal(doc.Components.Schemas)
	if err != nil {
		return nil, err
	}
	c := &contract{parameters: doc.Components.Parameters, answers: doc.Components.Responses, defs: defs,
		compiled: map[string]*jsonschema.Resolved{}, seen: map[string]bool{}}
	for path, methods := range doc.Paths {
		var shared []parameter
		if raw, ok := methods["parameters"]; ok {
			if err := json.Unmarshal(raw, &shared); err != nil {
				return nil, err
			}
			delete(methods, "parameters")
		}
		for method, raw := range methods {
			op := &operation{method: strings.ToUpper(method), path: path}
			if err := json.Unmarshal(raw, op); err != nil {
				return nil, fmt.Errorf("%s %s: %w", method, path, err)
			}
			op.Parameters = append(op.Parameters, shared...)
			for i, p := range op.Parameters {
				if p.Ref != "" {
					op.Parameters[i] = c.parameters[lastPart(p.Ref)]
				}
			}
			c.operations = append(c.operations, op)
		}
	}
	slices.SortFunc(c.operations, func(a, b *operation) int { return strings.Compare(a.ID, b.ID) })
	return c, nil
})

// lastPart is the name in a reference.
func lastPart(ref string) string { return ref[strings.LastIndexByte(ref, '/')+1:] }

// strict lets a schema take only the properties that it names.
func strict(v any) {
	schema, ok := v.(map[string]any)
	if !ok {
		return
	}
	for _, inner := range schema {
		strict(inner)
	}
	properties, ok := schema["properties"].(map[string]any)
	if !ok {
		return
	}
	for _, p := range properties {
		strict(p)
	}
	if _, said := schema["additionalProperties"]; !said {
		schema["additionalProperties"] = false
	}
}

func openContract(t testing.TB) *contract {
	t.Helper()
	c, err := theContract()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// operation finds what a request is; nil for nothing that the document has.
func (c *contract) operation(method, at string) *operation {
	if method == http.MethodHead {
		method = http.MethodGet
	}
	for _, op := range c.operations {
		if ok, _ := path.Match(filled(op.path, "*"), at); ok && op.method == method {
			return op
		}
	}
	return nil
}

// filled is an operation's path with its parameters: a call, and the first of what
// it has several of.
func filled(path, id string) string {
	n := "0"
	if id == "*" {
		n = id
	}
	return strings.NewReplacer("{id}", id, "{n}", n).Replace(path)
}

// schema compiles a schema of the document.
func (c *contract) schema(raw json.RawMessage) (*jsonschema.Resolved, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if done := c.compiled[string(raw)]; done != nil {
		return done, nil
	}
	var whole map[string]json.RawMessage
	if err := json.Unmarshal(raw, &whole); err != nil {
		return nil, err
	}
	whole["$defs"] = c.defs
	text, err := json.Marshal(whole)
	if err != nil {
		return nil, err
	}
	var s jsonschema.Schema
	if err := json.Unmarshal(text, &s); err != nil {
		return nil, err
	}
	done, err := s.Resolve(nil)
	c.compiled[string(raw)] = done
	return done, err
}

// valid checks a JSON text against a schema of the document.
func (c *contract) valid(raw json.RawMessage, text []byte) error {
	s, err := c.schema(raw)
	if err != nil {
		return err
	}
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		return err
	}
	return s.Validate(v)
}

// check reports where an exchange is not as the document says.
func (c *contract) check(r *http.Request, sent []byte, resp *http.Response, body []byte) error {
	op := c.operation(r.Method, r.URL.Path)
	if op == nil || resp.StatusCode == http.StatusMethodNotAllowed || r.Method == http.MethodOptions {
		if resp.StatusCode < 400 {
			return nil
		}
		return c.valid(json.RawMessage(`{"$ref": "#/$defs/Problem"}`), body)
	}
	c.note(op, resp.StatusCode)
	answer, ok := op.Answers[strconv.Itoa(resp.StatusCode)]
	if !ok {
		return fmt.Errorf("%s does not tell of the answer %s", op.ID, resp.Status)
	}
	if answer.Ref != "" {
		answer = c.answers[lastPart(answer.Ref)]
	}
	for name := range answer.Headers {
		if resp.Header.Get(name) == "" {
			return fmt.Errorf("%s: the answer %s has no header %s", op.ID, resp.Status, name)
		}
	}
	refused := bytes.Contains(body, []byte(`"outcome":"refused"`)) // it was wrong, and told so in words
	if resp.StatusCode < 400 && !refused {
		if err := c.checkSent(op, r, sent); err != nil {
			return fmt.Errorf("%s: %w", op.ID, err)
		}
	}
	if r.Method == http.MethodHead || len(answer.Content) == 0 {
		return nil
	}
	media, ok := answer.Content[resp.Header.Get("Content-Type")]
	switch {
	case !ok:
		return fmt.Errorf("%s: the answer %s is %q", op.ID, resp.Status, resp.Header.Get("Content-Type"))
	case len(answer.Events) > 0 || strings.HasPrefix(resp.Header.Get("Content-Type"), "image/"):
		return nil
	}
	if err := c.valid(media.Schema, body); err != nil {
		return fmt.Errorf("%s: the answer %s: %w\n%s", op.ID, resp.Status, err, body)
	}
	return nil
}

func (c *contract) note(op *operation, status int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.seen[op.ID+" "+strconv.Itoa(status)] = true
}

// unseen lists the answers that the document tells of and that no test got. What
// nod does wrong by itself no test can ask for, but where a gateway that stops
// does.
func (c *contract) unseen() (list []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, op := range c.operations {
		for status := range op.Answers {
			own := status == "500" && op.method == http.MethodGet
			open := status == "429" && op.Security != nil // the limit of an address, which has tests of its own
			if line := op.ID + " " + status; !c.seen[line] && !own && !open {
				list = append(list, line)
			}
		}
	}
	slices.Sort(list)
	return list
}

// TestMain runs the tests. After all of them, each answer that the document tells
// of must have come.
func TestMain(m *testing.M) {
	code := m.Run()
	if all := flag.Lookup("test.run").Value.String() == "" && flag.Lookup("test.skip").Value.String() == "" && flag.Lookup("test.list").Value.String() == "" && !testing.Short(); all && code == 0 {
		if c, err := theContract(); err == nil && len(c.unseen()) > 0 {
			fmt.Println("spec/openapi.json tells of answers that no test got:", strings.Join(c.unseen(), ", "))
			code = 1
		}
	}
	os.Exit(code)
}

// checkSent wants what was taken to be what the document says may be sent.
func (c *contract) checkSent(op *operation, r *http.Request, sent []byte) error {
	for name := range r.URL.Query() {
		if !slices.ContainsFunc(op.Parameters, func(p parameter) bool { return p.In == "query" && p.Name == name }) {
			return fmt.Errorf("the parameter %s was taken", name)
		}
	}
	if op.Body == nil {
		return nil
	}
	return c.valid(op.Body.Content["application/json"].Schema, sent)
}

// checked is a transport that holds every exchange against the document.
type checked struct {
	t    testing.TB
	over http.RoundTripper // nil for the real network
}

// RoundTrip implements [http.RoundTripper].
func (c checked) RoundTrip(r *http.Request) (*http.Response, error) {
	var sent []byte
	if r.Body != nil {
		var err error
		if sent, err = io.ReadAll(r.Body); err != nil {
			return nil, err
		}
		r = r.Clone(r.Context())
		r.Body = io.NopCloser(bytes.NewReader(sent))
	}
	over := c.over
	if over == nil {
		over = http.DefaultTransport
	}
	resp, err := over.RoundTrip(r)
	if err != nil || !strings.HasPrefix(r.URL.Path, "/v1/") {
		return resp, err
	}
	if strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") { // watching checks each event
		openContract(c.t).note(openContract(c.t).operation(r.Method, r.URL.Path), resp.StatusCode)
		return resp, nil
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, err
	}
	if err := resp.Body.Close(); err != nil {
		return nil, err
	}
	resp.Body = io.NopCloser(bytes.NewReader(body))
	if err := openContract(c.t).check(r, sent, resp, body); err != nil {
		c.t.Errorf("%s %s is not as spec/openapi.json says: %v", r.Method, r.URL.Path, err)
	}
	return resp, nil
}
