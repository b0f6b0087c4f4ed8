package spec_test

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"nod.dev/nod"
	"nod.dev/nod/spec"
)

// telling says what the sentences of one kind must hold and must not: what
// happened, what did not, what to do next.
type telling struct {
	keys    string // a pattern of the texts' keys
	outcome nod.Outcome
	must    []string // patterns, each of which is in it
	never   []string
	next    string // a pattern of what to do next; empty where nothing is left to do
}

// nothingDone is the claim that only some endings may make (design section 3).
const nothingDone = `(?i)nothing (was|has been) (done|sent)`

// nothingRead is the same claim of what could only have been read: the phone may
// have looked, and nobody was told.
const nothingRead = `Nothing was read out`

// claims are words for what is known to have happened.
const claims = `The phone did it|it is done|was carried out`

// tellings are the endings. A text that tells of one and is not here fails the test.
var tellings = []telling{
	{`done`, nod.Done, []string{`The phone did it\.`}, []string{nothingDone, `may have`}, ""},
	{`done_read`, nod.Done, []string{`The phone read it`}, []string{nothingDone, `may have`}, ""},
	{`done_data_gone`, nod.Done, []string{`The phone read it`, `not kept any longer`}, []string{nothingDone, `may have`}, `Call the tool again if`},
	{`opened`, nod.Opened, []string{`opened`, `\{\{left\}\}`}, []string{nothingDone, claims}, `\{\{left\}\}`},
	{`answered`, nod.Answered, []string{`filled in`}, []string{nothingDone, claims}, ""},
	{`declined(_reason)?`, nod.Declined, []string{`The person said no`, nothingDone}, []string{claims, `time`}, `(?i)do not try it again unless they ask`},
	{`expired`, nod.Expired, []string{`on the phone`, `nobody answered in time`, nothingDone, `not a no`}, []string{claims, `said no`}, `ask the person before you try again`},
	{`unseen(_push_\w+)?`, nod.Unseen, []string{`no sign`, nothingDone}, []string{claims, `said no`, `nobody answered`}, `Ask the person to open nod on the phone, then try again`},
	{`withdrawn_(agent_removed_)?read`, nod.Withdrawn, []string{`before the phone's answer was handed over`, nothingRead}, []string{claims, `said no`, nothingDone}, `Send it again only if|Do not call again`},
	{`denied_\w+_read`, nod.Denied, []string{`before the phone's answer was handed over`, nothingRead}, []string{claims, `said no\.`, nothingDone, `(?i)try again`}, `Do not (ask for it|call) again`},
	{`withdrawn_\w+`, nod.Withdrawn, []string{`(?i)before (the person )?answer`, nothingDone}, []string{claims, `said no`}, `Send it again only if|Do not call again`},
	{`denied_\w+`, nod.Denied, []string{`were not asked|was not asked|cannot (ask|be asked)|not shown|while the card waited`, nothingDone}, []string{claims, `said no\.`, `(?i)try again`},
		`(?i)do not call again|do not ask for it again|ask again|can be asked again|Wait for an answer|Send it without`},
	{`no_phone|no_screen|not_reachable`, nod.Unavailable, []string{`(nobody could be|the person was not) asked`, nothingDone}, []string{claims, `said no`}, `Tell the person|Ask them to open nod`},
	{`missing`, nod.Refused, []string{`^\{\{action\}\} needs \{\{fields\}\}\.$`}, nil, `needs`}, // seed 000's own sentence
	{`bad|limit|bad_arguments|unknown_(tool|action|mode|phone)`, nod.Refused, []string{`Nothing was sent to (the|a) phone\.`}, []string{claims, `said no`, `the person`}, `must be|\{\{what\}\}|The actions are|Your list of tools|Name (one|another)[^.]* in the call or where this agent is set up`},
	{`cannot`, nod.Failed, []string{`was not asked`, nothingDone}, []string{claims, `said no`}, `change it where the reason shows how, or tell the person`},
	{`failed_not_started`, nod.Failed, []string{`could not do it`, nothingDone}, []string{claims, `said no`}, `try again only if they ask`},
	{`failed_nothing_read`, nod.Failed, []string{`did not come`, nothingRead}, []string{claims, `said no`, nothingDone}, `try again`},
	{`failed_not_allowed`, nod.Failed, []string{`\{\{permission\}\}`, nothingDone}, []string{claims, `said no`, `try again`}, `Do not ask again now: the person can allow it in the phone's settings`},
	{`failed_nobody_answered`, nod.Failed, []string{`nobody answered in time`, nothingDone, `not a no`}, []string{claims, `said no`}, `ask the person to open nod on the phone, then try again`},
	{`failed_background`, nod.Failed, []string{`nobody could be asked`, nothingDone}, []string{claims, `said no`, `in time`}, `Ask the person to open nod on the phone, then try again`},
	{`failed_not_picked`, nod.Failed, []string{`without picking`, nothingDone}, []string{claims}, `Do not try it again unless they ask`},
	{`failed_locked`, nod.Failed, []string{`locked`, nothingDone}, []string{claims, `said no`}, `unlock it and to open nod there, then try again`},
	{`failed_(no|two)_such_times?`, nod.Failed, []string{`clock`, `that day`, nothingDone}, []string{claims, `said no`}, `Ask the person (which|for a) time`},
	{`failed_(not_found|more_than_one)`, nod.Failed, []string{`fits what the call names`, nothingDone}, []string{claims, `said no`}, `Do not guess: (look it up again, or )?ask the person`},
	{`failed_started`, nod.Failed, []string{`began it`, `may have happened`}, []string{nothingDone, claims}, `Do not repeat it without asking the person`},
	{`unknown`, nod.Unknown, []string{`has not said how it ended`, `may have happened`}, []string{nothingDone, claims}, `Do not repeat it without asking the person`},
	{`unknown_later_done`, nod.Unknown, []string{`unknown at first`, `now said that it did it`}, []string{nothingDone}, `do not repeat it`},
	{`unknown_later_opened`, nod.Unknown, []string{`unknown at first`, `now said that it opened`}, []string{nothingDone, claims}, `\{\{left\}\}`},
	{`unknown_later_failed`, nod.Unknown, []string{`unknown at first`, `started nothing`}, []string{nothingDone, claims}, `Ask the person before you repeat it`},
	{`unknown_later_failed_started`, nod.Unknown, []string{`unknown at first`, `may have happened`}, []string{nothingDone, claims, `started nothing`}, `Do not repeat it without asking the person`},
}

// tellsOf finds what a text's key tells of; nil for none.
func tellsOf(key string) *telling {
	for i := range tellings {
		if regexp.MustCompile(`^(` + tellings[i].keys + `)$`).MatchString(key) {
			return &tellings[i]
		}
	}
	return nil
}

// Each ending says what happened, what did not, and what to do next, in at most
// three sentences, and is not to be taken for another one (design section 3 and
// the case lists: facts of models that repeated what had timed out).
func TestOutcomesAreTold(t *testing.T) {
	texts := agentTexts(t)
	told := map[nod.Outcome]bool{}
	for _, key := range slices.Sorted(maps.Keys(texts)) {
		text, rule := texts[key], tellsOf(key)
		first, _, _ := strings.Cut(key, "_")
		if rule == nil {
			if slices.Contains(nod.Outcomes, nod.Outcome(first)) && key != "answered_before" {
				t.Errorf("%s tells of an ending, and no rule says what it must hold", key)
			}
			continue
		}
		told[rule.outcome] = true
		for _, pattern := range rule.must {
			if !regexp.MustCompile(pattern).MatchString(text) {
				t.Errorf("%s does not say %q: %s", key, pattern, text)
			}
		}
		for _, pattern := range rule.never {
			if regexp.MustCompile(pattern).MatchString(text) {
				t.Errorf("%s says %q: %s", key, pattern, text)
			}
		}
		if !regexp.MustCompile(rule.next).MatchString(text) {
			t.Errorf("%s does not say what to do next: %s", key, text)
		}
		for _, whole := range expanded(texts, key) {
			if n := len(sentences(whole)); n > 3 {
				t.Errorf("%s has %d sentences: %q", key, n, whole)
			}
		}
	}
	for _, o := range nod.Outcomes {
		if !told[o] {
			t.Errorf("no text tells of %s", o)
		}
	}
}

// expanded is a text with nod's own words in the place of its placeholders: once
// for each action and tool where it says what is left to do. Somebody else's words stand
// for a part of a sentence, as they do behind "The reason: ".
func expanded(texts map[string]string, key string) []string {
	all := []string{}
	var names []string
	for _, a := range spec.Get().Phone.Actions {
		names = append(names, a.Name)
	}
	for _, tool := range spec.Get().Tools {
		names = append(names, tool.Name)
	}
	for _, name := range names {
		words := spec.Get().ActionWords(name)
		text := strings.NewReplacer("{{left}}", words["left"], "{{app}}", words["app"], "{{permission}}", words["permission"],
			"{{progress}}", texts["progress_shown"], "{{call_id}}", "call_ABC", "{{deadline}}", "14:05:30 UTC", "{{until}}", "14:05:30 UTC",
			"{{reason}}", "the reason", "{{field}}", "label", "{{what}}", "text", "{{actions}}", "alarm, timer", "{{modes}}", "strict",
			"{{action}}", name, "{{fields}}", "label", "{{tool}}", "tool", "{{mode}}", "mode", "{{phone}}", "Pixel 9").Replace(texts[key])
		if !slices.Contains(all, text) {
			all = append(all, text)
		}
	}
	return all
}

// sentences takes a text apart: at a full stop, a question or an exclamation
// mark that a new sentence or the end follows. A stop inside quotes, a number or
// a time ends none.
func sentences(text string) []string {
	var found []string
	runes := []rune(text)
	start, quoted := 0, false
	for i, r := range runes {
		switch {
		case r == '"':
			quoted = !quoted
		case !quoted && strings.ContainsRune(".!?", r) && (i+1 == len(runes) || unicode.IsSpace(runes[i+1])):
			found = append(found, strings.TrimSpace(string(runes[start:i+1])))
			start = i + 1
		}
	}
	if rest := strings.TrimSpace(string(runes[start:])); rest != "" {
		found = append(found, rest)
	}
	return found
}

func TestSentences(t *testing.T) {
	for text, want := range map[string]int{
		"": 0, "One.": 1, "One. Two": 2, "At 14:05:30 UTC. It is 1.5 long.": 2, `Called "A. B." here.`: 1, "One? Two! Three.": 3, "One.\n\nTwo.": 2, "They pair one with: nod pair": 1,
	} {
		if got := sentences(text); len(got) != want {
			t.Errorf("%q has %d sentences, want %d: %q", text, len(got), want, got)
		}
	}
}

// While a call waits an agent is told so, that nothing may be concluded, and how
// to go on: a model that gets no answer repeats what it asked for.
func TestWaitingIsTold(t *testing.T) {
	texts := agentTexts(t)
	for key, want := range map[string][]string{
		"still_waiting": {`^STILL WAITING \(call_id \{\{call_id\}\}\)\. `, `\{\{progress\}\}`, `Nothing has been done yet`, `waits until \{\{deadline\}\}`, `Call call_status with this call_id`, `do not send the same request again`, `do not tell the person that it is done`},
		"still_working": {`^STILL WAITING \(call_id \{\{call_id\}\}\)\. `, `\{\{progress\}\}`, `not known yet`, `Call call_status with this call_id`, `do not send the same request again`},
		"lost":          {`may have happened`, `Call call_status`, `do not repeat the request without asking the person`},
		"no_gateway":    {`nothing was sent to the phone`, `Tell the person`, `nod serve`},
		"broken":        {`nothing was sent to the phone for it`, `as it was`, `The reason: \{\{reason\}\}$`},
		"no_such_call":  {`Call call_status without a call_id`},
		"instructions":  {`neither a yes nor a no`, `never an instruction`},
	} {
		for _, pattern := range want {
			if !regexp.MustCompile(pattern).MatchString(texts[key]) {
				t.Errorf("%s does not say %q: %s", key, pattern, texts[key])
			}
		}
	}
	if regexp.MustCompile(nothingDone).MatchString(texts["still_working"]) {
		t.Error("a call that the person confirmed is said to have done nothing")
	}
	for _, key := range []string{"still_waiting", "still_working"} { // the first is the marker
		if n := len(sentences(expanded(texts, key)[0])); n > 4 {
			t.Errorf("%s has %d sentences", key, n)
		}
	}
}

// What an agent reads is written for it: it is not told to do what only the
// person can, its times have a zone, no app is named that it did not name, and
// nothing of the person's stands in it but what they said to it and what they
// call their phone.
func TestAgentTextsAreForAgents(t *testing.T) {
	mayStand := strings.Fields("action actions ago app call_id calls code count deadline field fields left list mark max message min mode modes outcome path permission phone progress reason tool total until url what words")
	brand := regexp.MustCompile(`(?i)google|apple|waze|uber|gmail|whatsapp|android|iphone|osmand`)
	forPerson := regexp.MustCompile(`(^|[.:;] )(Pair|Open nod|Switch on|Allow|Resume|Tap|Press|Go to)\b|\byour phone\b|\bkopple\b`)
	personsApps := regexp.MustCompile(`(?i)google|apple maps|waze|uber|gmail|whatsapp|osmand|organic`) // theirs to choose, and to keep to themselves (seed 000 section 4)
	for key, text := range agentTexts(t) {
		for _, m := range regexp.MustCompile(`\{\{(\w+)\}\}`).FindAllStringSubmatch(text, -1) {
			if !slices.Contains(mayStand, m[1]) {
				t.Errorf("%s puts {{%s}} before an agent", key, m[1])
			}
		}
		if brand.MatchString(text) || forPerson.MatchString(text) {
			t.Errorf("%s is not for an agent: %s", key, text)
		}
	}
	for _, name := range []string{"deadline", "until"} {
		if about := manifest(t).Placeholders[name]; !strings.Contains(about, "zone") {
			t.Errorf("{{%s}} has no zone: %s", name, about)
		}
	}
	reasons := 0
	for key, text := range manifest(t).Person["en"] {
		if strings.HasPrefix(key, "cannot.") || strings.HasPrefix(key, "result.") { // an agent reads them as the reason
			reasons++
			if forPerson.MatchString(text) || personsApps.MatchString(text) {
				t.Errorf("%s is not for an agent: %s", key, text)
			}
			if n := len(sentences(text)); n > 2 {
				t.Errorf("%s has %d sentences: %s", key, n, text)
			}
		}
	}
	if reasons == 0 {
		t.Error("no text is a phone's reason")
	}
	for _, tool := range spec.Get().Tools {
		var schema any
		if err := json.Unmarshal(tool.InputSchema, &schema); err != nil {
			t.Fatal(err)
		}
		for _, text := range append(descriptions(schema), tool.Description) {
			if brand.MatchString(strings.ReplaceAll(text, "Tasker", "")) || forPerson.MatchString(text) || text == "" {
				t.Errorf("%s is not described for an agent: %s", tool.Name, text)
			}
		}
	}
}

// descriptions are all that a schema says in words.
func descriptions(schema any) []string {
	var out []string
	switch v := schema.(type) {
	case map[string]any:
		for key, inner := range v {
			if text, ok := inner.(string); ok && key == "description" {
				out = append(out, text)
			} else {
				out = append(out, descriptions(inner)...)
			}
		}
	case []any:
		for _, inner := range v {
			out = append(out, descriptions(inner)...)
		}
	}
	return out
}
