package spec

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// atMost finds the limits that a description promises.
var atMost = regexp.MustCompile(`at most ([0-9]+)`)

// words checks that sentences which repeat a number or a list of the contract
// say what the contract says: what a field must be, and what its description
// tells a model.
func (v *validator) words(descriptions map[string]string) {
	for _, name := range slices.Sorted(maps.Keys(v.Phone.Fields)) {
		f := v.Phone.Fields[name]
		what := v.Text("what_"+name, nil)
		for _, part := range v.mustSay(f) {
			if !strings.Contains(what, part) {
				v.add("texts.json", "what_"+name, "it does not say %q, which the check asks for", part)
			}
		}
		v.atMost(name, descriptions[name], f)
	}
}

// atMost checks the limits that a description promises.
func (v *validator) atMost(name, description string, f Field) {
	for _, m := range atMost.FindAllStringSubmatch(description, -1) {
		n, err := strconv.Atoi(m[1])
		if err != nil || n != f.MaxChars && n != f.MaxItems {
			v.add("tools.json", name, "its description says %q, and the limit is another one", m[0])
		}
	}
}

// notSaid finds the number or the word that a description promises where a call
// does not say. A sentence there describes what no number can: today.
var notSaid = regexp.MustCompile(`([0-9]+|\b[a-z]+) when not said`)

// saysDefault checks that a description tells a default, and no other one.
func (v *validator) saysDefault(name, description string, d Default) {
	m := notSaid.FindStringSubmatch(description)
	if d.Is && (m == nil || m[1] != d.String()) {
		v.add("tools.json", name, "its description does not say %q", d.String()+" when not said")
	}
	if !d.Is && m != nil && m[1][0] <= '9' {
		v.add("tools.json", name, "its description says %q, and it has no default", m[0])
	}
}

// mustSay lists what the sentence about a field has to hold.
func (v *validator) mustSay(f Field) []string {
	switch f.Is {
	case FormInteger:
		return []string{"from " + strconv.FormatInt(f.Min, 10) + " to " + strconv.FormatInt(f.Max, 10)}
	case FormEnum, FormDays:
		return []string{"one of " + strings.Join(v.Phone.Enums[f.Enum], ", ")}
	}
	return nil
}
