package mcptask_test

import (
	"encoding/json"
	"strings"
	"testing"
)

// FuzzParams sends anything as the parameters of the extension's methods. What
// comes back is one answer of JSON-RPC, of a task of this user or an error that
// says whose fault it is.
func FuzzParams(f *testing.F) {
	for _, params := range []string{
		`{"taskId":"working"}`, `{"taskId":"asks","inputResponses":{"name":{"action":"accept"}}}`, `{"taskId":"broken"}`, `{"taskId":"mine"}`,
		`{"taskId":{}}`, `{"taskId":"\ud800"}`, `{"taskid":"working"}`, `{"taskId":"working","taskId":"mine"}`, `{"inputResponses":[]}`, `{"_meta":null,"taskId":"done"}`,
		`{"_meta":{"io.modelcontextprotocol/clientCapabilities":7}}`, `{}`, `null`, `[]`, `7`, `{"taskId":"working"`, ``,
	} {
		for method := range 3 {
			f.Add(method, params, true)
		}
		f.Add(0, params, false)
	}
	h := house(ledger(), &strings.Builder{})
	f.Fuzz(func(t *testing.T, method int, params string, declared bool) {
		capabilities := silent
		if declared {
			capabilities = declares
		}
		if !strings.HasSuffix(params, "}") || !json.Valid([]byte(params)) {
			params = `{"taskId":` + params + `}` // broken JSON is the transport's
		}
		name := []string{"tasks/get", "tasks/update", "tasks/cancel"}[uint(method)%3]
		status, answer := ask(t, h, "ann", capabilities, name, params)
		var m struct {
			Result *struct{ ResultType, TaskID string }
			Error  *struct{ Code int }
		}
		switch err := json.Unmarshal([]byte(answer), &m); {
		case err != nil && status == 400, status == 202:
			// refused as no message, or as one that wants no answer
		case err != nil:
			t.Errorf("%s %s: answered %d %q", name, params, status, answer)
		case m.Error != nil && m.Error.Code == 0, m.Error == nil && m.Result == nil:
			t.Errorf("%s %s: answered %s, neither a result nor an error with a code", name, params, answer)
		case m.Result != nil && (!declared || m.Result.ResultType != "complete" || m.Result.TaskID == "mine"):
			t.Errorf("%s %s: answered %s", name, params, answer)
		}
	})
}
