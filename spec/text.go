package spec

import (
	"maps"
	"slices"
	"strings"
)

// texts is texts.json.
type texts struct {
	Version      int64                        `json:"version"`
	Placeholders map[string]string            `json:"placeholders"`
	Agent        map[string]string            `json:"agent"`
	Person       map[string]map[string]string `json:"person"`
}

// FallbackLocale is the locale whose person texts are complete by definition.
const FallbackLocale = "en"

// Text returns what an agent is told, with each {{placeholder}} replaced. The
// keys are the generated constants Text...; a key that does not exist, which a
// constant cannot be, gives a sentence that says so, and a placeholder without
// a value stays as it is: the words of the contract never fail a call.
func (s *Spec) Text(key string, values map[string]string) string {
	return fill(s.texts.Agent[key], key, values)
}

// HasText reports whether there is an agent text under key.
func (s *Spec) HasText(key string) bool { return s.texts.Agent[key] != "" }

// PersonText returns what a person reads, in the language of the locale ("de",
// "de-CH") where there is one, else in English.
func (s *Spec) PersonText(locale, key string, values map[string]string) string {
	for _, l := range []string{locale, language(locale), FallbackLocale} {
		if text, ok := s.texts.Person[l][key]; ok {
			return fill(text, key, values)
		}
	}
	return fill("", key, values)
}

// Language returns the language that [Spec.PersonText] speaks to a locale.
func (s *Spec) Language(locale string) string {
	for _, l := range []string{locale, language(locale)} {
		if _, ok := s.texts.Person[l]; ok {
			return l
		}
	}
	return FallbackLocale
}

// Locales lists the languages that person texts exist in.
func (s *Spec) Locales() []string { return slices.Sorted(maps.Keys(s.texts.Person)) }

// ActionWords returns the placeholders that the texts of an action's outcome
// use: action, app ("the map app"), left, what the person still has to do, and
// permission, what the phone's system has to allow. The name is an action's, or
// that of a tool that is one action.
func (s *Spec) ActionWords(name string) map[string]string {
	words := map[string]string{"action": name, "app": "", "left": "", "permission": s.Text(TextPermissionOther, nil)}
	app := ""
	if a, ok := s.Action(name); ok {
		app = a.App
	} else if t, ok := s.Tool(name); ok {
		app = t.App
		if t.Permission != PermissionNone {
			words["permission"] = s.Text("permission_"+string(t.Permission), nil)
		}
	}
	if name == ActionSMSDraft || name == ActionDial {
		// What their cards may need of the system: whose number it is.
		words["permission"] = s.Text(TextPermissionContacts, nil)
	}
	if app != "" {
		words["app"] = s.Text("app_"+app, nil)
	}
	if s.HasText("left_" + name) {
		words["left"] = s.Text("left_"+name, nil)
	}
	return words
}

// fill replaces placeholders once: a value is never searched for more of them.
func fill(text, key string, values map[string]string) string {
	if text == "" {
		return "nod has no words for " + key + "."
	}
	var b strings.Builder
	for {
		before, rest, ok := strings.Cut(text, "{{")
		b.WriteString(before)
		if !ok {
			return b.String()
		}
		name, after, ok := strings.Cut(rest, "}}")
		value, known := values[name]
		switch {
		case !ok:
			b.WriteString("{{" + rest)
			return b.String()
		case known:
			b.WriteString(value)
		default:
			b.WriteString("{{" + name + "}}")
		}
		text = after
	}
}

// language is the first part of a BCP 47 tag.
func language(locale string) string {
	l, _, _ := strings.Cut(locale, "-")
	return strings.ToLower(l)
}
