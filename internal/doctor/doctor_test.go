package doctor_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nod.dev/nod/client"
	"nod.dev/nod/internal/doctor"
	"nod.dev/nod/nodtest"
)

// at is a gateway that says that phones know it by another address: a proxy's.
type at struct {
	*client.Console
	url string
}

// Status implements [doctor.Console].
func (a at) Status(ctx context.Context) (client.Status, error) {
	s, err := a.Console.Status(ctx)
	s.URL = a.url
	return s, err
}

// visit lets the doctor look at a gateway, and returns the checks by name.
func visit(t *testing.T, c doctor.Config) (doctor.Report, map[string]doctor.Check) {
	t.Helper()
	told := 0
	c.Version = "test"
	c.Each = func(doctor.Check) { told++ }
	report := doctor.Run(t.Context(), c)
	checks := map[string]doctor.Check{}
	for _, check := range report.Checks {
		checks[check.Name] = check
		if check.Level == doctor.Failed && check.Hint == "" {
			t.Errorf("%s failed, and nothing says what to do: %s", check.Name, check.Says)
		}
		if check.MS < 1 {
			t.Errorf("%s took no time", check.Name)
		}
	}
	if told != len(report.Checks) || len(report.Checks) != 7 {
		t.Errorf("%d checks, %d of them told", len(report.Checks), told)
	}
	return report, checks
}

// want checks a level and that a part of what is said, or of a step, is there.
func want(t *testing.T, c doctor.Check, level doctor.Level, part string) {
	t.Helper()
	says := c.Says
	for _, s := range c.Steps {
		says += "\n" + s.Name + " " + s.Says
	}
	if c.Level != level || !strings.Contains(says, part) {
		t.Errorf("%s is %s: %s\nwant %s with %q", c.Name, c.Level, says, level, part)
	}
}

func TestHealthy(t *testing.T) {
	t.Parallel()
	n := nodtest.New(t, nodtest.Options{})
	if _, err := n.Client.Do(t.Context(), nodtest.Ask(`{"action": "alarm", "time": "07:30"}`)); err != nil {
		t.Fatal(err)
	}
	report, checks := visit(t, doctor.Config{Data: n.Dir, Console: n.Console})
	if !report.OK {
		t.Errorf("%+v", report)
	}
	want(t, checks["data"], doctor.OK, "the ledger has 1 call in")
	want(t, checks["gateway"], doctor.OK, "it runs since")
	want(t, checks["address"], doctor.OK, "its other end has this gateway's key")
	want(t, checks["certificate"], doctor.Skipped, "")
	want(t, checks["clock"], doctor.Skipped, "nobody outside was asked")
	want(t, checks["phones"], doctor.OK, "1 of 1 connected\nTest phone connected, heard")
	want(t, checks["push"], doctor.Skipped, "")
	for _, step := range checks["address"].Steps {
		if step.MS < 1 {
			t.Errorf("the step %s took no time", step.Name)
		}
	}
}

// Nothing runs: what can be checked is, and the rest is said.
func TestNothingRuns(t *testing.T) {
	t.Parallel()
	n := nodtest.New(t, nodtest.Options{NoPhone: true})
	n.Crash()
	report, checks := visit(t, doctor.Config{Data: n.Dir, Console: n.Console, URL: n.URL})
	if report.OK {
		t.Error("all is well")
	}
	want(t, checks["data"], doctor.OK, "the ledger has 0 calls")
	want(t, checks["gateway"], doctor.Failed, "no gateway runs")
	want(t, checks["address"], doctor.Failed, "TCP")
	for _, name := range []string{"certificate", "clock", "phones", "push"} {
		want(t, checks[name], doctor.Skipped, "")
	}
	empty := t.TempDir()
	_, checks = visit(t, doctor.Config{Data: empty, Console: client.NewConsole(filepath.Join(empty, "console.sock"))})
	want(t, checks["data"], doctor.Failed, "there is no ledger in "+empty)
	want(t, checks["address"], doctor.Skipped, "there is no address yet")
}

// What answers at the address is not this gateway.
func TestSomebodyElseAnswers(t *testing.T) {
	t.Parallel()
	n, other := nodtest.New(t, nodtest.Options{NoPhone: true}), nodtest.New(t, nodtest.Options{NoPhone: true})
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>Welcome")) }))
	defer page.Close()
	healthy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`{"status":"ok"}`)) }))
	defer healthy.Close()
	for name, tt := range map[string]struct{ url, step, says string }{
		"another gateway": {other.URL, "link", "another gateway answers"},
		"a page":          {page.URL, "HTTP", "/healthz answers 200 OK, which is not how nod does"},
		"no WebSocket":    {healthy.URL, "link", "expected handshake response"},
		"nobody":          {"http://127.0.0.1:1", "TCP", "refused"},
		"a secure page":   {strings.Replace(page.URL, "http:", "https:", 1), "TLS", ""},
	} {
		t.Run(name, func(t *testing.T) {
			report, checks := visit(t, doctor.Config{Data: n.Dir, Console: at{n.Console, tt.url}})
			address := checks["address"]
			want(t, address, doctor.Failed, tt.says)
			if last := address.Steps[len(address.Steps)-1]; last.Name != tt.step || !last.Failed || report.OK {
				t.Errorf("it fails at %s", last.Name)
			}
		})
	}
	n.Crash()
	_, checks := visit(t, doctor.Config{Data: n.Dir, Console: n.Console, URL: other.URL})
	want(t, checks["address"], doctor.Failed, "a gateway answers, and none runs in")
}

// A ledger that is none, or of a newer nod, and phones that are away.
func TestTrouble(t *testing.T) {
	t.Parallel()
	n := nodtest.New(t, nodtest.Options{})
	foreign := t.TempDir()
	if err := os.WriteFile(filepath.Join(foreign, "nod.db"), []byte("not a database, only long enough to be one"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, checks := visit(t, doctor.Config{Data: foreign, Console: n.Console})
	want(t, checks["data"], doctor.Failed, "is not a nod database")

	phones, err := n.Console.Phones(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := n.Console.RevokePhone(t.Context(), "", string(phones[0].ID)); err != nil {
		t.Fatal(err)
	}
	_, checks = visit(t, doctor.Config{Data: n.Dir, Console: n.Console})
	want(t, checks["phones"], doctor.Warning, "no phone is paired")

	report := doctor.Run(t.Context(), doctor.Config{Data: n.Dir, Console: n.Console, Version: "older"})
	if gateway := report.Checks[1]; gateway.Level != doctor.Warning || !strings.Contains(gateway.Says, "version test; this program is older") || !report.OK {
		t.Errorf("%+v", gateway)
	}
}
