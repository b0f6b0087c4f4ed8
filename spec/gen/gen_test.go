package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// What is generated is what is committed, and it comes out the same each time.
func TestGeneratedFilesAreCurrent(t *testing.T) {
	m, err := read("..")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range []struct {
		name string
		make func(*manifest) ([]byte, error)
	}{{goFile, goSource}, {jsFile, jsSource}} {
		first, err := f.make(m)
		if err != nil {
			t.Fatal(err)
		}
		second, err := f.make(m)
		if err != nil || !bytes.Equal(first, second) {
			t.Errorf("%s: two runs differ (%v)", f.name, err)
		}
		committed, err := os.ReadFile(filepath.Join("..", f.name))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(first, committed) {
			t.Errorf("%s is not what the manifests say; run: go generate ./spec", f.name)
		}
	}
}

func TestCamel(t *testing.T) {
	for name, want := range map[string]string{
		"phone_action": "PhoneAction", "call.set_back": "CallSetBack", "open_url": "OpenURL", "sms_draft": "SMSDraft", "what_cc": "WhatCC", "call_id": "CallID",
	} {
		if got := camel(name); got != want {
			t.Errorf("camel(%q) = %q, want %q", name, got, want)
		}
	}
}

// Two names that would be one constant are an error, not a constant that wins.
func TestNamesThatCollide(t *testing.T) {
	m := &manifest{tools: object{"tools": []any{object{"name": "a_b"}, object{"name": "a.b"}}}}
	if _, err := goSource(m); err == nil {
		t.Error("no error")
	}
}

func TestSpansThatAreNone(t *testing.T) {
	for _, bad := range []string{"", "x", "0041-", "-0041"} {
		if _, err := spans([]any{bad}); err == nil {
			t.Errorf("%q: no error", bad)
		}
	}
}
