package spec

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"regexp"
	"slices"
	"strings"

	"nod.dev/nod"
)

// The inclusive range of manifest versions that this program reads. Adding to a
// manifest leaves its version; changing a meaning raises it.
const (
	MinVersion = 1
	MaxVersion = 1
)

// Problem is something wrong with the contract.
type Problem struct {
	File  string // "tools.json"
	Where string // what in it: "phone_action", "denied_paused"; may be empty
	What  string // a sentence
}

// String writes the problem on one line.
func (p Problem) String() string {
	if p.Where == "" {
		return p.File + ": " + p.What
	}
	return p.File + ": " + p.Where + ": " + p.What
}

// Validate judges the manifests in files, which are named as [Files] names
// them. No problem means that every side can rely on what it derives from them:
// names are unique, references lead somewhere, versions are in range, nobody is
// without words, and what is written twice, for an agent and for the check,
// says the same. It is `nod protocol validate`.
func Validate(files fs.FS) []Problem {
	v := &validator{files: files}
	for _, name := range []string{"tools.json", "actions.json", "texts.json", "capabilities.json", "events.json"} {
		v.manifest(name)
	}
	v.schemas()
	s, err := load(files)
	if err != nil {
		v.add("spec", "", "%v", err)
		return v.problems
	}
	v.Spec = s
	v.tools()
	v.superseded()
	v.capabilities()
	v.actions()
	v.fields()
	v.classes()
	v.texts()
	v.neededTexts()
	v.events()
	return v.problems
}

// validator collects problems; every rule is a method.
type validator struct {
	*Spec
	files    fs.FS
	problems []Problem
}

func (v *validator) add(file, where, format string, args ...any) {
	v.problems = append(v.problems, Problem{file, where, fmt.Sprintf(format, args...)})
}

// manifest checks what is true of every file: JSON, no name twice, a version in range.
func (v *validator) manifest(name string) {
	data, err := fs.ReadFile(v.files, name)
	if err != nil {
		v.add(name, "", "it cannot be read: %v", err)
		return
	}
	if err := once(data); err != nil {
		v.add(name, "", "%v", err)
	}
	var head struct {
		Version json.Number `json:"version"`
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if err := d.Decode(&head); err != nil {
		v.add(name, "version", "it must be an integer: %v", err)
		return
	}
	if n, err := head.Version.Int64(); err != nil || n < MinVersion || n > MaxVersion {
		v.add(name, "version", "unsupported version %q (supported range: %d..%d)", head.Version, MinVersion, MaxVersion)
	}
}

// once reports the first name that an object has twice, anywhere in data.
func once(data []byte) error {
	d := json.NewDecoder(bytes.NewReader(data))
	if err := value(d, ""); err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("something follows the JSON")
	}
	return nil
}

// value reads one JSON value and looks for a name that comes twice.
func value(d *json.Decoder, path string) error {
	t, err := d.Token()
	if err != nil {
		return fmt.Errorf("it is not JSON: %w", err)
	}
	open, ok := t.(json.Delim)
	if !ok {
		return nil
	}
	seen := map[string]bool{}
	for d.More() {
		at := path + "[]"
		if open == '{' {
			key, err := d.Token()
			if err != nil {
				return fmt.Errorf("it is not JSON: %w", err)
			}
			name, _ := key.(string)
			at = strings.TrimPrefix(path+"."+name, ".")
			if seen[name] {
				return fmt.Errorf("it has the name %q twice", at)
			}
			seen[name] = true
		}
		if err := value(d, at); err != nil {
			return err
		}
	}
	_, err = d.Token()
	return err
}

// schemas checks the JSON Schemas as documents; what they say is tested where
// the things they describe are made.
func (v *validator) schemas() {
	names, _ := fs.Glob(v.files, "schemas/*.json")
	if len(names) == 0 {
		v.add("schemas", "", "there is none")
	}
	for _, name := range names {
		v.manifest(name)
		var doc struct {
			Schema     string                     `json:"$schema"`
			Title      string                     `json:"title"`
			Type       string                     `json:"type"`
			Required   []string                   `json:"required"`
			Properties map[string]json.RawMessage `json:"properties"`
		}
		if err := readManifest(v.files, name, &doc); err != nil {
			v.add(name, "", "%v", err)
			continue
		}
		if doc.Schema != "https://json-schema.org/draft/2020-12/schema" {
			v.add(name, "$schema", "it must be JSON Schema 2020-12")
		}
		if doc.Title == "" || doc.Type != "object" {
			v.add(name, "", "it must have a title and describe an object")
		}
		for _, r := range doc.Required {
			if doc.Properties[r] == nil {
				v.add(name, "required", "%q is not one of the properties", r)
			}
		}
	}
}

var (
	toolName     = regexp.MustCompile(`^[a-z][a-z0-9_]{0,29}$`)
	capabilityID = regexp.MustCompile(`^[a-z]+\.[a-z_]+$`)
	eventKind    = regexp.MustCompile(`^[a-z_]+(\.[a-z_]+)?$`)
)

func isRisk(r nod.Risk) bool {
	return slices.Contains([]nod.Risk{nod.Low, nod.Medium, nod.High}, r)
}

// twice returns the values that a list holds more than once.
func twice[T cmp.Ordered](list []T) []T {
	var repeated []T
	seen := map[T]int{}
	for _, v := range list {
		if seen[v]++; seen[v] == 2 {
			repeated = append(repeated, v)
		}
	}
	return repeated
}
