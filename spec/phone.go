package spec

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"nod.dev/nod"
)

// Phone is actions.json: the `phone` of seed 000, with nod's display limits.
type Phone struct {
	Version         int64               `json:"version"`
	Capability      string              `json:"capability"`        // the name of the whole thing: "phone_actions"
	WaitSeconds     int                 `json:"wait_seconds"`      // how long a card waits by default
	MessageMaxChars int                 `json:"message_max_chars"` // a phone's message is cut there
	SummaryShown    int                 `json:"summary_shown_chars"`
	Actions         []Action            `json:"actions"`
	CheckOrder      []string            `json:"check"` // the order in which fields are checked
	Fields          map[string]Field    `json:"fields"`
	Enums           map[string][]string `json:"enums"`
	Limits          Limits              `json:"limits"`
	Trim            []Span              `json:"trim"` // what is taken off both ends of every string
	Classes         map[string]Class    `json:"classes"`
}

// Action is one thing that phone_action can do.
type Action struct {
	Name       string   `json:"name"`
	Title      string   `json:"title"` // the key of its card's verb phrase: "card.title.alarm"
	App        string   `json:"app"`
	Risk       nod.Risk `json:"risk"`
	Egress     bool     `json:"egress"`
	Capability string   `json:"capability"`
	Fields     []string `json:"fields"`   // what it reads, in the card's order
	Required   []Group  `json:"required"` // in the order in which they are named when missing
}

// Reads reports whether the action reads field.
func (a Action) Reads(field string) bool {
	return slices.Contains(a.Fields, field)
}

// Group is a required entry: it is there when any one of its fields is. In the
// manifest a group of one is written as a plain name, as seed 000 does.
type Group []string

// UnmarshalJSON reads a name or a list of names.
func (g *Group) UnmarshalJSON(data []byte) error {
	var one string
	if err := json.Unmarshal(data, &one); err == nil {
		*g = Group{one}
		return nil
	}
	var many []string
	if err := json.Unmarshal(data, &many); err != nil {
		return fmt.Errorf("required: a name or a list of names: %w", err)
	}
	*g = many
	return nil
}

// Form is what a field must look like.
type Form string

// The forms of a field.
const (
	FormText    Form = "text"
	FormTime    Form = "time"    // HH:MM
	FormDate    Form = "date"    // YYYY-MM-DD, with THH:MM or without
	FormDays    Form = "days"    // a list of words
	FormInteger Form = "integer" // never a boolean
	FormTexts   Form = "texts"   // a list of strings that are not empty
	FormNumber  Form = "number"  // a phone number
	FormPlace   Form = "place"
	FormPlaces  Form = "places"
	FormEnum    Form = "enum"
	FormURL     Form = "url"
	FormBoolean Form = "boolean"
	FormValues  Form = "values" // an object of strings

	// Only tools have these.
	FormMoment   Form = "moment"   // YYYY-MM-DD of a day that exists, with THH:MM[:SS] or without
	FormWeekdays Form = "weekdays" // by name or number; it becomes the words, in the week's order
)

// Field is what a field must be, and how much of it a card can show.
type Field struct {
	Is          Form     `json:"is"`
	Enum        string   `json:"enum"`  // which of the enums its words are from
	Words       []string `json:"words"` // the words themselves, where no enum has them
	Class       string   `json:"class"` // which characters a card can show; empty where Is says it all
	Min         int64    `json:"min"`
	Max         int64    `json:"max"`
	MaxChars    int      `json:"max_chars"` // in code points
	MaxItems    int      `json:"max_items"`
	MaxKeyChars int      `json:"max_key_chars"`
}

// Words returns the words that a field can be.
func (p *Phone) Words(f Field) []string {
	if f.Words != nil {
		return f.Words
	}
	return p.Enums[f.Enum]
}

// Limits are the display limits that belong to no single field.
type Limits struct {
	TotalBytes  int `json:"total_bytes"`    // of UTF-8 in all strings of an action
	MarksInARow int `json:"marks_in_a_row"` // combining marks on one letter
	PlaceDigits int `json:"place_digits"`   // decimal places of lat and lon
}

// Class is a set of characters that a card cannot show as they are.
type Class struct {
	Also    string `json:"also"` // a class whose characters are refused too
	Forbids []Span `json:"forbids"`
}

// Span is an inclusive range of code points, written "200B" or "200B-200F".
type Span struct{ First, Last rune }

// UnmarshalJSON reads the hexadecimal form.
func (s *Span) UnmarshalJSON(data []byte) error {
	var text string
	if err := json.Unmarshal(data, &text); err != nil {
		return err
	}
	first, last, ranged := strings.Cut(text, "-")
	if !ranged {
		last = first
	}
	from, err1 := strconv.ParseUint(first, 16, 21)
	to, err2 := strconv.ParseUint(last, 16, 21)
	if err := errors.Join(err1, err2); err != nil {
		return fmt.Errorf("%q is no range of code points: %w", text, err)
	}
	if from > to || to > unicode.MaxRune {
		return fmt.Errorf("%q runs backwards, or past U+10FFFF", text)
	}
	s.First, s.Last = rune(from), rune(to)
	return nil
}

// Trimmed reports whether r is taken off the ends of strings.
func (p *Phone) Trimmed(r rune) bool { return within(p.Trim, r) }

// Forbidden reports whether a card cannot show r in a field of the class.
func (p *Phone) Forbidden(class string, r rune) bool {
	for class != "" {
		c := p.Classes[class]
		if within(c.Forbids, r) {
			return true
		}
		class = c.Also
	}
	return false
}

func within(spans []Span, r rune) bool {
	for _, s := range spans {
		if s.First <= r && r <= s.Last {
			return true
		}
	}
	return false
}
