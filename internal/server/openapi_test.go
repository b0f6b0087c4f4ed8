package server_test

import (
	"encoding/json"
	"maps"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"nod.dev/nod/client"
	"nod.dev/nod/internal/server"
	"nod.dev/nod/spec"
)

// The document and the router have the same routes, and read the same
// parameters.
func TestDocumentHasTheRoutes(t *testing.T) {
	c := openContract(t)
	var documented, routed []string
	line := func(method, path string, query []string) string {
		slices.Sort(query)
		return method + " " + path + " " + strings.Join(query, ",")
	}
	for _, op := range c.operations {
		var query []string
		for _, p := range op.Parameters {
			if p.In == "query" {
				query = append(query, p.Name)
			}
		}
		documented = append(documented, line(op.method, op.path, query))
	}
	for _, r := range server.APIRoutes() {
		routed = append(routed, line(r.Method, r.Path, slices.Clone(r.Query)))
	}
	slices.Sort(documented)
	slices.Sort(routed)
	if !slices.Equal(documented, routed) {
		t.Errorf("spec/openapi.json has\n%s\nthe router has\n%s", strings.Join(documented, "\n"), strings.Join(routed, "\n"))
	}
}

// Every reference leads somewhere, nothing is there that none leads to, and
// every example is what its schema says.
func TestDocumentIsWhole(t *testing.T) {
	c := openContract(t)
	var doc struct {
		Components map[string]map[string]json.RawMessage `json:"components"`
	}
	if err := json.Unmarshal(spec.OpenAPI(), &doc); err != nil {
		t.Fatal(err)
	}
	used := map[string]bool{}
	for _, m := range regexp.MustCompile(`"#/components/(\w+)/(\w+)"`).FindAllStringSubmatch(string(spec.OpenAPI()), -1) {
		used[m[1]+"/"+m[2]] = true
		if doc.Components[m[1]][m[2]] == nil {
			t.Errorf("%s/%s is referred to and not there", m[1], m[2])
		}
	}
	for kind, list := range doc.Components {
		for name := range list {
			if kind != "securitySchemes" && !used[kind+"/"+name] {
				t.Errorf("nothing refers to %s/%s", kind, name)
			}
		}
	}
	for name := range doc.Components["schemas"] {
		if _, err := c.schema(json.RawMessage(`{"$ref": "#/$defs/` + name + `"}`)); err != nil {
			t.Errorf("the schema %s: %v", name, err)
		}
	}
	ids := map[string]bool{}
	for _, op := range c.operations {
		if op.ID == "" || ids[op.ID] {
			t.Errorf("%s %s has no operationId of its own", op.method, op.path)
		}
		ids[op.ID] = true
		if op.Body != nil {
			media := op.Body.Content["application/json"]
			if err := c.valid(media.Schema, media.Example); err != nil {
				t.Errorf("the example of %s: %v", op.ID, err)
			}
		}
	}
}

// The schemas have the fields of the Go types that are encoded, all of them and
// no other.
func TestDocumentHasTheFields(t *testing.T) {
	for name, v := range map[string]any{
		"CallRequest": client.Request{}, "Call": client.Call{}, "Calls": client.Calls{}, "Verdict": client.Verdict{},
		"Tool": client.Tool{}, "Phone": client.Phone{}, "Agent": client.Agent{}, "Stopped": client.Stopped{},
		"LogPage": client.LogPage{}, "Entry": client.Entry{}, "Receipt": client.Receipt{}, "ReceiptEntry": client.ReceiptEntry{},
		"ReceiptKeys": client.ReceiptKeys{}, "Signed": client.Signed{}, "Snapshot": client.Snapshot{},
		"Problem": client.Problem{}, "Error": client.Error{},
	} {
		var fields, required []string
		for f := range reflect.TypeOf(v).Fields() {
			tag, more, _ := strings.Cut(f.Tag.Get("json"), ",")
			if tag == "-" {
				continue
			}
			fields = append(fields, tag)
			if more == "" && name != "CallRequest" {
				required = append(required, tag)
			}
		}
		schema := schemaOf(t, name)
		if got := slices.Sorted(maps.Keys(schema.Properties)); !slices.Equal(got, slices.Sorted(slices.Values(fields))) {
			t.Errorf("the schema %s has %v, the type has %v", name, got, fields)
		}
		for _, f := range required {
			if !slices.Contains(schema.Required, f) && f != "docs" {
				t.Errorf("the schema %s does not require %s, which is always there", name, f)
			}
		}
	}
}

type plainSchema struct {
	Properties map[string]plainSchema
	Required   []string
	Enum       []string
}

func schemaOf(t *testing.T, name string) plainSchema {
	t.Helper()
	var doc struct {
		Components struct{ Schemas map[string]json.RawMessage }
	}
	if err := json.Unmarshal(spec.OpenAPI(), &doc); err != nil {
		t.Fatal(err)
	}
	var s plainSchema
	if err := json.Unmarshal(doc.Components.Schemas[name], &s); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return s
}

// The lists of words are those of the vocabulary.
func TestDocumentHasTheWords(t *testing.T) {
	var source strings.Builder
	for _, name := range []string{"outcome.go", "verdict.go", "ledger.go", "error.go"} {
		b, err := os.ReadFile("../../" + name)
		if err != nil {
			t.Fatal(err)
		}
		source.Write(b)
	}
	for schema, kind := range map[string]string{
		"State": "State", "Outcome": "Outcome", "Why": "Why", "Push": "Push", "Rule": "Rule", "Mode": "Mode",
		"Phone.host": "Host", "Capability.state": "CapabilityState", "Verdict.answer": "Answer", "Error.code": "Code",
	} {
		var words []string
		for _, m := range regexp.MustCompile(`\b`+kind+` += "(\w+)"`).FindAllStringSubmatch(source.String(), -1) {
			words = append(words, m[1])
		}
		name, field, _ := strings.Cut(schema, ".")
		s := schemaOf(t, name)
		if field != "" {
			s = s.Properties[field]
		}
		slices.Sort(words)
		slices.Sort(s.Enum)
		if len(words) == 0 || !slices.Equal(words, s.Enum) {
			t.Errorf("%s lists %v, the vocabulary has %v", schema, s.Enum, words)
		}
	}
}

// Each answer with an error holds the code whose status it is.
func TestDocumentHasTheCodes(t *testing.T) {
	c := openContract(t)
	codes := server.Codes()
	for _, op := range c.operations {
		for status, answer := range op.Answers {
			if answer.Ref == "" {
				continue
			}
			for code, of := range codes {
				err := c.valid(c.answers[lastPart(answer.Ref)].Content["application/json"].Schema,
					[]byte(`{"error": {"code": "`+code+`", "message": "no", "docs": "/errors#`+code+`"}}`))
				if (err == nil) != (strconv.Itoa(of) == status) {
					t.Errorf("%s %s and the code %s of status %d: %v", op.ID, status, code, of, err)
				}
			}
		}
	}
}
