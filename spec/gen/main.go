// Command gen writes what is derived from the manifests of package spec: the
// constants of names_gen.go and the browser's copy, web/app/spec.js. It is run
// by `go generate ./spec`, uses the standard library only, and writes the same
// bytes for the same manifests.
package main

import (
	"encoding/json"
	"fmt"
	"log"
	"os"
	"path/filepath"
)

// The folders, from the folder of package spec, where go generate runs it.
const (
	manifests = "."
	goFile    = "names_gen.go"
	jsFile    = "../web/app/spec.js"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("spec/gen: ")
	m, err := read(manifests)
	if err != nil {
		log.Fatal(err)
	}
	source, err := goSource(m)
	if err != nil {
		log.Fatal(err)
	}
	script, err := jsSource(m)
	if err != nil {
		log.Fatal(err)
	}
	for name, data := range map[string][]byte{goFile: source, jsFile: script} {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			log.Fatal(err)
		}
		if err := os.WriteFile(name, data, 0o644); err != nil {
			log.Fatal(err)
		}
	}
}

// object is a JSON object as it is: the generator copies most of what it reads.
type object = map[string]any

// manifest holds what the generator derives from.
type manifest struct {
	tools, actions, texts, capabilities, events object
}

func read(dir string) (*manifest, error) {
	var m manifest
	for name, into := range map[string]*object{
		"tools.json":        &m.tools,
		"actions.json":      &m.actions,
		"texts.json":        &m.texts,
		"capabilities.json": &m.capabilities,
		"events.json":       &m.events,
	} {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return nil, err
		}
		if err := json.Unmarshal(data, into); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return &m, nil
}

// column returns one string of each object in a list.
func column(list any, key string) []string {
	items, _ := list.([]any)
	values := make([]string, 0, len(items))
	for _, item := range items {
		o, _ := item.(object)
		s, _ := o[key].(string)
		values = append(values, s)
	}
	return values
}
