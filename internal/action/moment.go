package action

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"nod.dev/nod/spec"
)

// The years that a moment can lie in: those in which no host's calendar does
// anything odd with the number.
const (
	firstYear = "1900"
	lastYear  = "2999"
)

// momentParts takes a moment apart: year, day, time without seconds, seconds, and
// what makes it a time of another clock.
var momentParts = regexp.MustCompile(`^([0-9]{4})(-[0-9]{2}-[0-9]{2})(?:[T ]([0-9]{2}:[0-9]{2})(:[0-9]{2})?(?:\.[0-9]+)?([Zz]|[+-][0-9]{2}(?::?[0-9]{2})?)?)?$`)

// moment reads a day, or a day and a time of the phone's own clock. It returns
// the one way in which an action writes it, or the key of what it must be: a
// time of another clock and a day that no calendar has are told apart from what
// is no date at all, and nothing is ever moved to the next day that exists.
func moment(v any) (made, key string) {
	s, _ := v.(string)
	part := momentParts.FindStringSubmatch(s)
	switch {
	case part == nil:
		return "", spec.TextFormMoment
	case part[5] != "":
		return "", spec.TextFormMomentLocal
	case strings.Contains(s, "."):
		return "", spec.TextFormMoment
	}
	made = part[1] + part[2]
	if _, err := time.Parse(time.DateOnly, made); err != nil || part[1] < firstYear || part[1] > lastYear {
		return "", spec.TextFormMomentExists
	}
	if clock, seconds := part[3], part[4]; clock != "" {
		if clock > "23:59" || clock[3:] > "59" || seconds > ":59" {
			return "", spec.TextFormMomentExists
		}
		made += "T" + clock + strings.TrimSuffix(seconds, ":00")
	}
	return made, ""
}

// weekdays reads days by their name, short or long and in any case, or by their
// number, 1 for Monday. They come out as the contract's words, each once, in the
// week's order.
func weekdays(week []string, v any) ([]any, bool) {
	list, ok := v.([]any)
	if !ok {
		return nil, false
	}
	on := make([]bool, len(week))
	for _, item := range list {
		i := weekday(week, item)
		if i < 0 {
			return nil, false
		}
		on[i] = true
	}
	days := []any{}
	for i, day := range week {
		if on[i] {
			days = append(days, day)
		}
	}
	return days, true
}

// longDays are the words' long forms, in the week's order.
var longDays = []string{"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"}

func weekday(week []string, v any) int {
	switch v := v.(type) {
	case int64:
		if 1 <= v && v <= int64(len(week)) {
			return int(v) - 1
		}
	case string:
		name := lower(v)
		return max(slices.Index(week, name), slices.Index(longDays, name))
	}
	return -1
}

// lower makes ASCII capitals small and leaves all else: no other letter is ever
// taken for one of a day's.
func lower(s string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			r += 'a' - 'A'
		}
		return r
	}, s)
}
