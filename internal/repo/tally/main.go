// Command tally reads what "go test -json" says and tells a person what matters:
// the output of what failed, the names of what was skipped, and how many passed.
// It appends "PASSED FAILED SKIPPED" to the file it is given, for a total over
// many runs, and fails when a test did.
//
//	go test -json ./... | go run ./internal/repo/tally counts.txt
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
)

// event is one line of go test -json.
type event struct {
	Action     string
	Package    string
	ImportPath string // of build output
	Test       string
	Output     string
}

// tally is what is known so far.
type tally struct {
	w       io.Writer
	output  map[string][]string // of each test and package that is not over
	broken  map[string]bool     // packages with a failed test
	skips   map[string]string   // what was skipped, and why
	passed  int
	failed  int
	skipped int
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "tally: usage: go test -json ./... | tally FILE")
		os.Exit(2)
	}
	ok, err := run(os.Stdin, os.Stdout, os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, "tally:", err)
		os.Exit(2)
	}
	if !ok {
		os.Exit(1)
	}
}

func run(r io.Reader, w io.Writer, path string) (ok bool, err error) {
	t := &tally{w: w, output: map[string][]string{}, broken: map[string]bool{}, skips: map[string]string{}}
	if err := t.read(r); err != nil {
		return false, err
	}
	for _, name := range slices.Sorted(maps.Keys(t.skips)) {
		fmt.Fprintf(w, "skipped %s: %s\n", name, t.skips[name])
	}
	fmt.Fprintf(w, "%d tests passed, %d failed, %d skipped\n", t.passed, t.failed, t.skipped)
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return false, err
	}
	_, err = fmt.Fprintln(f, t.passed, t.failed, t.skipped)
	return t.failed == 0, errors.Join(err, f.Close())
}

func (t *tally) read(r io.Reader) error {
	lines := bufio.NewReader(r)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			var e event
			if json.Unmarshal(line, &e) != nil {
				t.w.Write(line) // the go command's own words
			} else {
				t.take(e)
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
	}
}

func (t *tally) take(e event) {
	name := strings.TrimSpace(e.Package + " " + e.Test)
	switch e.Action {
	case "build-output":
		io.WriteString(t.w, e.Output)
	case "output":
		t.output[name] = append(t.output[name], e.Output)
	case "pass", "fail", "skip":
		if e.Test == "" {
			t.closePackage(e)
		} else {
			t.closeTest(name, e)
		}
		delete(t.output, name)
	}
}

func (t *tally) closeTest(name string, e event) {
	switch e.Action {
	case "pass":
		t.passed++
	case "skip":
		t.skipped++
		t.skips[name] = reason(t.output[name])
	case "fail":
		t.failed++
		t.broken[e.Package] = true
		t.show(name)
	}
}

// closePackage counts a package that failed without a failed test: it did not
// build, or it crashed, or it leaked.
func (t *tally) closePackage(e event) {
	if e.Action == "fail" && !t.broken[e.Package] {
		t.failed++
		t.show(e.Package)
		for _, name := range slices.Sorted(maps.Keys(t.output)) {
			if strings.HasPrefix(name, e.Package+" ") {
				t.show(name)
			}
		}
	}
}

func (t *tally) show(name string) {
	fmt.Fprintf(t.w, "--- %s\n%s", name, strings.Join(t.output[name], ""))
}

// reason is the last thing a skipped test said before the line that says so.
func reason(output []string) string {
	for _, line := range slices.Backward(output) {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "---") && !strings.HasPrefix(line, "===") {
			return line
		}
	}
	return "no reason given"
}
