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
		for _, m := range atMost.FindAllStringSubmatch(descriptions[name], -1) {
			n, err := strconv.Atoi(m[1])
			if err != nil || n != f.MaxChars && n != f.MaxItems {
				v.add("tools.json", name, "its description says %q, and the limit is another one", m[0])
			}
		}
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
