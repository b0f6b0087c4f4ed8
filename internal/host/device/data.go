package device

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"nod.dev/nod/internal/wire"
)

// What the tools answer with: JSON objects, equal on every host. A host fills
// them in and [Fit] makes the text of a result of them.
type (
	// ClipboardData is the answer of clipboard_read.
	ClipboardData struct {
		Text  string `json:"text"`
		Chars int    `json:"chars"` // of the whole text, also where it was cut
		Cut   bool   `json:"cut"`
	}

	// CalendarsData is the answer of calendars.
	CalendarsData struct {
		Count     int        `json:"count"`
		Calendars []Calendar `json:"calendars"`
	}

	// Calendar is a calendar on the phone.
	Calendar struct {
		ID       int64  `json:"id"`
		Name     string `json:"name"`
		Account  string `json:"account"`
		Writable bool   `json:"writable"`
		Primary  bool   `json:"primary"`
		Visible  bool   `json:"visible"`
	}

	// EventsData is the answer of calendar_list. Count is of all that match.
	EventsData struct {
		From   string  `json:"from"`
		To     string  `json:"to"`
		Zone   string  `json:"zone"`
		Count  int     `json:"count"`
		Events []Event `json:"events"`
	}

	// Event is an event as calendar_list shows it. Times are the phone's own; the
	// end of whole days is the last of them.
	Event struct {
		ID         int64  `json:"id"`
		Title      string `json:"title"`
		Start      string `json:"start"`
		End        string `json:"end"`
		AllDay     bool   `json:"all_day"`
		Location   string `json:"location"`
		Calendar   string `json:"calendar"`
		CalendarID int64  `json:"calendar_id"`
		Repeats    bool   `json:"repeats"`
		Notes      string `json:"notes"`
	}

	// CreatedData is what calendar_create says of the new event.
	CreatedData struct {
		ID         int64  `json:"id"`
		Start      string `json:"start"`
		End        string `json:"end"`
		AllDay     bool   `json:"all_day"`
		CalendarID int64  `json:"calendar_id"`
	}

	// PeopleData is the answer of contacts_search. Count is of all that match.
	PeopleData struct {
		Query  string    `json:"query"`
		Count  int       `json:"count"`
		People []Contact `json:"people"`
	}

	// Contact is somebody in the phone's contacts.
	Contact struct {
		Name   string    `json:"name"`
		Phones []Address `json:"phones"`
		Emails []Address `json:"emails"`
	}

	// Address is a number or a mail address, and what the contact calls it:
	// mobile, home, work, main or other.
	Address struct {
		Value string `json:"value"`
		Type  string `json:"type"`
	}

	// LocationData is the answer of location.
	LocationData struct {
		Latitude  float64 `json:"latitude"`
		Longitude float64 `json:"longitude"`
		AccuracyM int     `json:"accuracy_m"`
		AgeS      int     `json:"age_s"`
		Provider  string  `json:"provider"`
		Address   string  `json:"address,omitempty"`
	}

	// NowData is the answer of phone_now.
	NowData struct {
		Time    string `json:"time"` // RFC 3339, with the phone's offset
		Date    string `json:"date"`
		Weekday string `json:"weekday"`
		Zone    string `json:"zone"`
		Locale  string `json:"locale"`
		Hour12  bool   `json:"hour12"`
	}
)

// maxNotes is how many characters of an event's notes are shown, and of anything
// else that people fill in; maxAddresses how many numbers or mail addresses of
// one contact. So there is always room for the first of a list.
const (
	maxNotes     = 300
	maxAddresses = 10
)

// frameRoom is what a frame needs beside a result's text.
const frameRoom = 8 << 10

// DataText is data as the text of a result: JSON in one line.
func DataText(v any) (string, error) {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return strings.TrimSuffix(out.String(), "\n"), err
}

// Fits reports whether a result can carry a text and files; [Fit] and [FitPhoto]
// make none that it cannot.
func Fits(text string, blobs []Blob) bool {
	for _, b := range blobs {
		if len(b.Bytes) > wire.MaxBlob {
			return false
		}
	}
	return len(blobs) <= wire.MaxBlobs && fits(text)
}

// fits reports whether a text may travel in a result, also once it is quoted.
func fits(text string) bool {
	if len(text) > wire.MaxText {
		return false
	}
	quoted, err := DataText(text)
	return err == nil && len(quoted) <= wire.MaxFrame-frameRoom
}

// Fit writes data that has n items so that it may travel: all of them, or as
// many from the beginning as there is room for.
func Fit(n int, data func(n int) any) (string, error) {
	var best string
	var failed error
	write := func(n int) bool {
		text, err := DataText(data(n))
		if err != nil {
			failed = err
		} else if fits(text) {
			best = text
			return true
		}
		return false
	}
	if write(n) || failed != nil {
		return best, failed
	}
	low, high := 0, n-1 // as many as fit, as many as might
	write(0)
	for low < high && failed == nil {
		if middle := (low + high + 1) / 2; write(middle) {
			low = middle
		} else {
			high = middle - 1
		}
	}
	return best, failed
}

// ClipboardText is what is on the clipboard as the text of a result, cut where
// it is too long.
func ClipboardText(text string) (string, error) {
	chars := []rune(strings.ToValidUTF8(text, "\uFFFD"))
	return Fit(len(chars), func(n int) any {
		return ClipboardData{Text: string(chars[:n]), Chars: len(chars), Cut: n < len(chars)}
	})
}

// CalendarsText is the phone's calendars as the text of a result.
func CalendarsText(all []Calendar) (string, error) {
	return Fit(len(all), func(n int) any { return CalendarsData{len(all), some(all, n)} })
}

// EventsText is the events of a range as the text of a result, the first limit
// of them.
func EventsText(r Range, zone *time.Location, all []Event, limit int) (string, error) {
	all = slices.Clone(all)
	for i := range all {
		for _, long := range []*string{&all[i].Title, &all[i].Location, &all[i].Calendar, &all[i].Notes} {
			*long = cut(*long, maxNotes)
		}
	}
	return Fit(min(len(all), limit), func(n int) any {
		return EventsData{r.From, r.To, zone.String(), len(all), some(all, n)}
	})
}

// PeopleText is the contacts that match a query as the text of a result, the
// first limit of them. Of somebody with more numbers than are shown, those that
// match are.
func PeopleText(query string, all []Contact, limit int) (string, error) {
	all = slices.Clone(all)
	for i, c := range all {
		all[i] = Contact{Name: cut(c.Name, maxNotes), Phones: few(c.Phones, inNumber(query)), Emails: few(c.Emails, inMail(query))}
	}
	return Fit(min(len(all), limit), func(n int) any { return PeopleData{query, len(all), some(all, n)} })
}

// NowText is the answer of phone_now.
func NowText(now time.Time, locale string, hour12 bool) (string, error) {
	return DataText(NowData{
		Time: now.Format(time.RFC3339), Date: now.Format(dayForm), Weekday: now.Weekday().String(),
		Zone: now.Location().String(), Locale: locale, Hour12: hour12,
	})
}

// some is the first n of a list, and never null.
func some[T any](list []T, n int) []T { return append([]T{}, list[:n]...) }

func few(list []Address, match func(value string) bool) []Address {
	list = some(list, len(list))
	if len(list) > maxAddresses {
		slices.SortStableFunc(list, func(a, b Address) int { return rank(match(a.Value)) - rank(match(b.Value)) })
		list = list[:maxAddresses]
	}
	for i, a := range list {
		list[i] = Address{Value: cut(a.Value, maxNotes), Type: cut(a.Type, maxNotes)}
	}
	return list
}

// rank orders what matches before what does not.
func rank(matches bool) int {
	if matches {
		return 0
	}
	return 1
}

// cut shortens s to n characters.
func cut(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n])
	}
	return s
}
