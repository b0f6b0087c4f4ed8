package spec

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"nod.dev/nod"
)

// texts checks every sentence: there is something in it, each placeholder is a
// known one, and each language has the same keys with the same placeholders.
func (v *validator) texts() {
	for _, key := range slices.Sorted(maps.Keys(v.Spec.texts.Agent)) {
		v.text(key, v.Spec.texts.Agent[key])
	}
	complete := v.Spec.texts.Person[FallbackLocale]
	if len(complete) == 0 {
		v.add("texts.json", FallbackLocale, "there are no person texts in it")
	}
	for _, locale := range v.Locales() {
		texts := v.Spec.texts.Person[locale]
		for _, key := range slices.Sorted(maps.Keys(texts)) {
			v.text(locale+"."+key, texts[key])
			if _, ok := complete[key]; !ok {
				v.add("texts.json", locale+"."+key, "it is not in %s", FallbackLocale)
			} else if !slices.Equal(placeholders(texts[key]), placeholders(complete[key])) {
				v.add("texts.json", locale+"."+key, "its placeholders are not those of %s", FallbackLocale)
			}
		}
		for _, key := range slices.Sorted(maps.Keys(complete)) {
			if _, ok := texts[key]; !ok {
				v.add("texts.json", locale+"."+key, "it is missing")
			}
		}
	}
}

func (v *validator) text(key, text string) {
	if strings.TrimSpace(text) != text || text == "" {
		v.add("texts.json", key, "it is empty, or has spaces around it")
	}
	for _, name := range placeholders(text) {
		if _, ok := v.Spec.texts.Placeholders[name]; !ok {
			v.add("texts.json", key, "{{%s}} is not one of the placeholders", name)
		}
	}
	if strings.ContainsAny(placeholder.ReplaceAllString(text, ""), "{}") {
		v.add("texts.json", key, "a brace is left over: a placeholder is {{name}}")
	}
}

var placeholder = regexp.MustCompile(`\{\{([a-z_]+)\}\}`)

// placeholders lists the placeholders of a text, sorted, each once.
func placeholders(text string) []string {
	var names []string
	for _, m := range placeholder.FindAllStringSubmatch(text, -1) {
		names = append(names, m[1])
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func (v *validator) needAgent(key, who string) {
	if !v.HasText(key) {
		v.add("texts.json", key, "%s needs it", who)
	}
}

func (v *validator) needPerson(key, who string) {
	if v.Spec.texts.Person[FallbackLocale][key] == "" {
		v.add("texts.json", FallbackLocale+"."+key, "%s needs it", who)
	}
}

// denyRules are the rules that can end a call as denied.
var denyRules = []nod.Rule{
	nod.RuleAgentRevoked, nod.RulePhoneRevoked, nod.RulePaused, nod.RulePausedAll, nod.RuleSetBack, nod.RuleAccessOff,
	nod.RuleOpenCards, nod.RulePersonCards, nod.RuleCardRate, nod.RuleCoolDown, nod.RuleQuietHours, nod.RuleObserveOnly,
}

// neededTexts checks that every way a call can end or stand has its words,
// where the key is put together from a value of package nod.
func (v *validator) neededTexts() {
	for _, rule := range denyRules {
		v.needAgent("denied_"+string(rule), "the rule "+string(rule))
	}
	for _, why := range []nod.Why{nod.WhyPaused, nod.WhyAccessOff} {
		v.needAgent("denied_"+string(why)+"_meanwhile", "a call that was open then")
		v.needAgent("denied_"+string(why)+"_read", "a read that was under way then")
	}
	for _, why := range []nod.Why{nod.WhyCancelled, nod.WhyGone, nod.WhyAgentRemoved, nod.WhyPhoneRemoved, nod.WhyRestart} {
		v.needAgent("withdrawn_"+string(why), "a withdrawn call")
	}
	v.needAgent("withdrawn_read", "a read that was under way")
	for _, why := range append([]nod.Why{nod.WhyNothingRead}, nod.PhoneWhys...) {
		v.needAgent("failed_"+string(why), "what a phone could not do")
	}
	for _, state := range []nod.State{nod.Offered, nod.Delivered, nod.Shown, nod.Decided, nod.Working} {
		v.needAgent("progress_"+string(state), "an open call")
	}
	for _, late := range []nod.Outcome{nod.Done, nod.Opened, nod.Failed} {
		v.needAgent("unknown_later_"+string(late), "a late result")
	}
	for _, app := range v.Apps {
		v.needAgent("app_"+app, "the app "+app)
	}
	for _, p := range Permissions {
		v.needAgent("permission_"+string(p), "the permission "+string(p))
	}
	for _, t := range v.Tools {
		v.toolTexts(t)
	}
	for _, outcome := range nod.Outcomes {
		v.needPerson("outcome."+string(outcome), "the log")
	}
	for _, badge := range []nod.Badge{nod.BadgeTaint, nod.BadgeServiceCode, nod.BadgeLookAlike, nod.BadgeRepeat} {
		v.needPerson("card.badge."+string(badge)+".title", "the card")
		v.needPerson("card.badge."+string(badge)+".text", "the card")
	}
	for _, rule := range []nod.Rule{nod.RuleAlways, nod.RuleHighRisk, nod.RuleBadge, nod.RuleStrict, nod.RuleMode, nod.RuleDefault} {
		v.needPerson("card.rule."+string(rule), "the card")
	}
}

// toolTexts checks that a tool which is one action has its words: what the card
// asks, what the agent is given or what is done, and how the end is told.
func (v *validator) toolTexts(t Tool) {
	if t.Gateway || t.Name == ToolPhoneAction {
		return
	}
	v.needPerson("card.title."+t.Name, t.Name)
	if t.Kind == nod.Read {
		v.needPerson("card.gives."+t.Name, t.Name)
		v.needPerson("end.gave."+t.Name, t.Name)
		return
	}
	v.needPerson("card.hint."+t.Name, t.Name)
	v.needPerson("end.did."+t.Name, t.Name)
	v.needAgent("left_"+t.Name, t.Name)
}

// events checks the frames, the records and the log's kinds.
func (v *validator) events() {
	var frames, records, kinds []string
	for _, f := range v.Events.Frames {
		frames = append(frames, f.Kind)
		if !slices.Contains([]string{"to_gateway", "to_phone", "both"}, f.Direction) {
			v.add("events.json", f.Kind, "direction %q is none of to_gateway, to_phone, both", f.Direction)
		}
		if f.Signed != (len(f.Body) > 0) {
			v.add("events.json", f.Kind, "what is signed has a body, and nothing else has")
		}
		v.note(Note{Kind: f.Kind, About: f.About})
	}
	for _, n := range v.Events.Records {
		records = append(records, n.Kind)
		v.note(n)
	}
	for _, n := range v.Events.Log {
		kinds = append(kinds, n.Kind)
		v.note(n)
	}
	for _, list := range [][]string{frames, records, kinds} {
		for _, kind := range twice(list) {
			v.add("events.json", kind, "it is there twice")
		}
	}
}

func (v *validator) note(n Note) {
	if !eventKind.MatchString(n.Kind) {
		v.add("events.json", n.Kind, "it is no kind: small letters and _, with one dot at most")
	}
	if n.About == "" {
		v.add("events.json", n.Kind, "it is not described")
	}
}
