package repo

import (
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// pages are the Markdown files that people read.
func pages(t *testing.T) map[string]string {
	t.Helper()
	found := map[string]string{}
	for name, text := range sources(t) {
		if filepath.Ext(name) == ".md" {
			found[name] = string(text)
		}
	}
	return found
}

var (
	fence   = regexp.MustCompile("(?ms)^```([a-z]*)\n(.*?)^```$")
	inline  = regexp.MustCompile("`([^`\n]+)`")
	linked  = regexp.MustCompile(`\]\(([^)\s]+)\)|(?:src|href)="([^"]+)"`)
	heading = regexp.MustCompile(`(?m)^#{1,6} +(.+)$`)
	notSlug = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

// TestDocLinks follows every link from one file of the repository to another,
// and to the heading it names.
func TestDocLinks(t *testing.T) {
	all, list := pages(t), files(t)
	for name, page := range all {
		prose := inline.ReplaceAllString(fence.ReplaceAllString(page, ""), "`")
		for _, m := range linked.FindAllStringSubmatch(prose, -1) {
			to := m[1] + m[2]
			if strings.Contains(to, "://") {
				continue
			}
			file, anchor, _ := strings.Cut(to, "#")
			target := path.Join(path.Dir(name), file)
			if file == "" {
				target = name
			}
			folder := slices.ContainsFunc(list, func(f string) bool { return strings.HasPrefix(f, target+"/") })
			switch {
			case !folder && !slices.Contains(list, target):
				t.Errorf("%s links to %s, which is not there", name, to)
			case anchor != "" && !slices.Contains(anchors(all[target]), anchor):
				t.Errorf("%s links to %s, and that page has no such heading", name, to)
			}
		}
	}
}

// anchors are a page's headings as links name them.
func anchors(page string) []string {
	var list []string
	for _, m := range heading.FindAllStringSubmatch(fence.ReplaceAllString(page, ""), -1) {
		slug := notSlug.ReplaceAllString(strings.ToLower(strings.TrimSpace(m[1])), "")
		list = append(list, strings.ReplaceAll(slug, " ", "-"))
	}
	return list
}

// TestDocCommands holds every command that a page shows against what nod says
// of itself: there must be such a command, and it must have such flags.
func TestDocCommands(t *testing.T) {
	p := builtProgram(t)
	known := map[string]string{}
	for name, page := range pages(t) {
		for _, words := range shown(page) {
			command := p.command(words)
			if command == nil {
				t.Errorf("%s shows %q, and nod has no such command", name, strings.Join(words, " "))
				continue
			}
			key := strings.Join(command, " ")
			if known[key] == "" {
				known[key] = p.help(t, command...)
			}
			for _, w := range words {
				flag, _, _ := strings.Cut(w, "=")
				if w == "--" {
					break
				}
				if strings.HasPrefix(flag, "-") && !regexp.MustCompile(regexp.QuoteMeta(flag)+`[=,\[\s]`).MatchString(known[key]) {
					t.Errorf("%s shows %q, and nod %s has no %s", name, strings.Join(words, " "), key, flag)
				}
			}
		}
	}
}

// TestDocSettings wants every flag of "nod serve" on the operator's page, with
// its variable, and every variable that a page names to be one that nod reads.
func TestDocSettings(t *testing.T) {
	p, all := builtProgram(t), pages(t)
	serve := p.help(t, "serve")
	for _, m := range regexp.MustCompile(`(?m)^ +(?:-h, )?--([a-z-]+)`).FindAllStringSubmatch(serve, -1) {
		if flag := "`--" + m[1] + "`"; m[1] != "help" && !strings.Contains(all["docs/operate.md"], flag) {
			t.Errorf("docs/operate.md does not name %s of nod serve", flag)
		}
	}
	var reads strings.Builder // what reads variables
	for name, text := range sources(t) {
		if strings.HasPrefix(name, "cmd/nod/") || name == "check" || strings.HasSuffix(name, ".mjs") {
			reads.Write(text)
		}
	}
	for _, command := range p.leaves {
		reads.WriteString(p.help(t, strings.Fields(command)...))
	}
	for name, page := range all {
		for _, v := range regexp.MustCompile(`\bNOD_[A-Z_]+\b`).FindAllString(page, -1) {
			if !regexp.MustCompile(v+`\b`).MatchString(reads.String()) && !strings.HasSuffix(v, "_") {
				t.Errorf("%s names the variable %s, which nothing reads", name, v)
			}
		}
	}
}

// shown are the commands of a page that are nod's: those in blocks for a shell,
// and those in a line of text.
func shown(page string) [][]string {
	var lines []string
	for _, m := range fence.FindAllStringSubmatch(page, -1) {
		if m[1] == "sh" {
			lines = append(lines, strings.Split(strings.ReplaceAll(m[2], "\\\n", " "), "\n")...)
		}
	}
	for _, m := range inline.FindAllStringSubmatch(fence.ReplaceAllString(page, ""), -1) {
		lines = append(lines, m[1])
	}
	var commands [][]string
	for _, line := range lines {
		line, _, _ = strings.Cut(line, " # ")
		for part := range strings.SplitSeq(line, "|") {
			if words := nodCommand(part); len(words) > 0 {
				commands = append(commands, words)
			}
		}
	}
	return commands
}

// nodCommand returns the words after the program's name, if it is nod.
func nodCommand(line string) []string {
	words := shellWords(strings.TrimPrefix(strings.TrimSpace(line), "$ "))
	for len(words) > 0 && regexp.MustCompile(`^[A-Z_]+=`).MatchString(words[0]) {
		words = words[1:] // variables before it
	}
	switch {
	case len(words) > 3 && slices.Equal(words[:3], []string{"go", "run", "./cmd/nod"}):
		return words[3:]
	case len(words) > 1 && words[0] == "nod":
		return words[1:]
	}
	return nil
}

// shellWords splits a line as a shell does, as far as pages need it: what is
// quoted is one word.
func shellWords(line string) []string {
	quoted := regexp.MustCompile(`"[^"]*"|'[^']*'`)
	return strings.Fields(quoted.ReplaceAllString(line, "QUOTED"))
}

// TestDocErrors wants a row for each error code where the HTTP API is told of.
func TestDocErrors(t *testing.T) {
	page := pages(t)["docs/http.md"]
	codes := regexp.MustCompile(`Code[A-Z][A-Za-z]+ +Code = "([a-z_]+)"`).FindAllStringSubmatch(string(read(t, "../../error.go")), -1)
	if len(codes) == 0 {
		t.Fatal("error.go names no code")
	}
	for _, m := range codes {
		if !strings.Contains(page, "| `"+m[1]+"` | ") {
			t.Errorf("docs/http.md has no row for the error %s", m[1])
		}
	}
}
