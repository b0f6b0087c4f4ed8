package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRun(t *testing.T) {
	rows := []struct {
		name  string
		in    string
		shown string
		count string
		ok    bool
	}{
		{"all pass", `
{"Action":"start","Package":"p"}
{"Action":"run","Package":"p","Test":"A"}
{"Action":"output","Package":"p","Test":"A","Output":"quiet\n"}
{"Action":"pass","Package":"p","Test":"A/sub"}
{"Action":"pass","Package":"p","Test":"A"}
{"Action":"pass","Package":"p"}`, "2 tests passed, 0 failed, 0 skipped\n", "2 0 0\n", true},
		{"one fails", `
{"Action":"output","Package":"p","Test":"A","Output":"said A\n"}
{"Action":"output","Package":"p","Test":"B","Output":"said B\n"}
{"Action":"pass","Package":"p","Test":"A"}
{"Action":"fail","Package":"p","Test":"B"}
{"Action":"output","Package":"p","Output":"FAIL\n"}
{"Action":"fail","Package":"p"}`, "--- p B\nsaid B\n1 tests passed, 1 failed, 0 skipped\n", "1 1 0\n", false},
		{"does not build", `
{"ImportPath":"p","Action":"build-output","Output":"p.go:1: broken\n"}
{"ImportPath":"p","Action":"build-fail"}
{"Action":"output","Package":"p","Output":"FAIL p [build failed]\n"}
{"Action":"fail","Package":"p","FailedBuild":"p"}`, "p.go:1: broken\n--- p\nFAIL p [build failed]\n0 tests passed, 1 failed, 0 skipped\n", "0 1 0\n", false},
		{"crashes in a test", `
{"Action":"run","Package":"p","Test":"A"}
{"Action":"output","Package":"p","Test":"A","Output":"panic: no\n"}
{"Action":"output","Package":"p","Output":"exit status 2\n"}
{"Action":"fail","Package":"p"}`, "--- p\nexit status 2\n--- p A\npanic: no\n0 tests passed, 1 failed, 0 skipped\n", "0 1 0\n", false},
		{"skips", `
{"Action":"output","Package":"p","Test":"A","Output":"=== RUN A\n"}
{"Action":"output","Package":"p","Test":"A","Output":"    a_test.go:1: no Postgres here\n"}
{"Action":"output","Package":"p","Test":"A","Output":"--- SKIP: A\n"}
{"Action":"skip","Package":"p","Test":"A"}
{"Action":"skip","Package":"no tests"}`, "skipped p A: a_test.go:1: no Postgres here\n0 tests passed, 0 failed, 1 skipped\n", "0 0 1\n", true},
		{"words of the go command", "go: no such package\n", "go: no such package\n0 tests passed, 0 failed, 0 skipped\n", "0 0 0\n", true},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "counts")
			var shown strings.Builder
			ok, err := run(strings.NewReader(strings.TrimPrefix(row.in, "\n")), &shown, path)
			if err != nil || ok != row.ok {
				t.Errorf("%v, %v; want %v", ok, err, row.ok)
			}
			if diff := cmp.Diff(row.shown, shown.String()); diff != "" {
				t.Error(diff)
			}
			if b, err := os.ReadFile(path); string(b) != row.count {
				t.Errorf("counted %q, %v; want %q", b, err, row.count)
			}
		})
	}
}
