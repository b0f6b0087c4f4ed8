package device

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"nod.dev/nod"
	"nod.dev/nod/internal/wire"
)

// TestDataTravels holds for any data that its text is JSON within its bounds,
// that the frame with it is too, that as much is in it as fits, and that the
// count stays that of all.
func TestDataTravels(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		// Quotes and backslashes double when the text is quoted; \x01 grows sixfold.
		piece := rapid.SampledFrom([]string{"a", `"`, `\`, "é", "👍", "\x01", "\xff", "<&>", "\u2028"}).Draw(t, "piece")
		notes := strings.Repeat(piece, rapid.SampledFrom([]int{0, 1, 40, 300, 301}).Draw(t, "length"))
		all := make([]Event, rapid.IntRange(0, 150).Draw(t, "events"))
		for i := range all {
			all[i] = Event{ID: int64(i), Title: piece, Notes: notes}
		}
		limit := rapid.IntRange(1, 150).Draw(t, "limit")
		r := Range{From: "2026-09-24", To: "2026-09-30"}
		text, err := EventsText(r, time.UTC, all, limit)
		if err != nil {
			t.Fatal(err)
		}
		var got EventsData
		if err := json.Unmarshal([]byte(text), &got); err != nil {
			t.Fatal(err)
		}
		travels(t, text)
		if got.Count != len(all) || got.Events == nil || len(got.Events) > limit {
			t.Fatalf("it counts %d of %d, and holds %d", got.Count, len(all), len(got.Events))
		}
		if n := len(got.Events); n < min(limit, len(all)) {
			more := some(all, n+1)
			for i := range more {
				more[i].Notes = cut(more[i].Notes, maxNotes)
			}
			if more, _ := DataText(EventsData{r.From, r.To, "UTC", len(all), more}); fits(more) {
				t.Fatalf("%d of %d are in it, and one more would fit", n, len(all))
			}
		}
		for i, e := range got.Events {
			if e.ID != int64(i) || len([]rune(e.Notes)) > maxNotes {
				t.Fatalf("event %d is %+v", i, e)
			}
		}

		clip := strings.Repeat(piece, rapid.IntRange(0, 40_000).Draw(t, "clipboard"))
		text, err = ClipboardText(clip)
		if err != nil {
			t.Fatal(err)
		}
		travels(t, text)
		var c ClipboardData
		if err := json.Unmarshal([]byte(text), &c); err != nil {
			t.Fatal(err)
		}
		whole := strings.ToValidUTF8(clip, "\uFFFD")
		if !strings.HasPrefix(whole, c.Text) || c.Cut != (len(c.Text) < len(whole)) || c.Chars != len([]rune(whole)) {
			t.Fatalf("of %d characters there are %d, cut %v", c.Chars, len([]rune(c.Text)), c.Cut)
		}
	})
}

// travels puts a text into a frame with everything that may stand beside it.
func travels(t interface{ Fatalf(string, ...any) }, text string) {
	wide := strings.Repeat("\u2028", 500)
	body, err := wire.Canonical(wire.ResultBody{
		Call: nod.NewCallID(), Digest: strings.Repeat("A", 43), Phone: nod.NewPhoneID(), Status: wire.ResultDone, Started: true,
		Message: wide, App: strings.Repeat("x", 100), Why: nod.WhyNotAllowed, Data: &wire.Data{Hash: strings.Repeat("A", 43), Bytes: wire.MaxText},
	})
	if err != nil {
		t.Fatalf("%v", err)
	}
	f := wire.Frame{Kind: wire.KindResult, Body: string(body), Sig: strings.Repeat("A", 86), Text: text, Salt: strings.Repeat("A", 22)}
	if _, err := wire.EncodeFrame(f); err != nil || len(text) > wire.MaxText {
		t.Fatalf("%d bytes of text do not travel: %v", len(text), err)
	}
}

func TestDataTexts(t *testing.T) {
	zone := inZone(t, "Asia/Tokyo")
	now, err := NowText(time.Date(2026, 9, 22, 20, 0, 0, 0, zone), "ja-JP", false)
	if want := `{"time":"2026-09-22T20:00:00+09:00","date":"2026-09-22","weekday":"Tuesday","zone":"Asia/Tokyo","locale":"ja-JP","hour12":false}`; err != nil || now != want {
		t.Errorf("now is %s, %v", now, err)
	}
	people, err := PeopleText("%", []Contact{{Name: "A & B"}}, 5)
	if want := `{"query":"%","count":1,"people":[{"name":"A & B","phones":[],"emails":[]}]}`; err != nil || people != want {
		t.Errorf("people are %s, %v", people, err)
	}
	long := strings.Repeat("\"", 100_000)
	many := make([]Address, 100)
	for i := range many {
		many[i] = Address{long, long}
	}
	for name, text := range map[string]func() (string, error){
		"a contact": func() (string, error) {
			return PeopleText("x", []Contact{{Name: long, Phones: many[:1], Emails: nil}}, 5)
		},
		"an event": func() (string, error) {
			return EventsText(Range{}, time.UTC, []Event{{Title: long, Location: long, Calendar: long, Notes: long}}, 5)
		},
	} {
		if text, err := text(); err != nil || strings.Count(text, "{") < 2 {
			t.Errorf("%s that is too long is left out: %.60s (%v)", name, text, err)
		} else {
			travels(t, text)
		}
	}
	numbers := make([]Address, 40)
	for i := range numbers {
		numbers[i] = Address{fmt.Sprintf("+351 910 000 0%02d", i), "mobile"}
	}
	hers, err := PeopleText("910 000 039", []Contact{{Name: "Ana", Phones: numbers}}, 5)
	if err != nil || !strings.Contains(hers, `[{"value":"+351 910 000 039"`) || strings.Count(hers, "mobile") != maxAddresses {
		t.Errorf("of forty numbers, the one that was looked for is left out: %s (%v)", hers, err)
	}
	none, err := CalendarsText(nil)
	if want := `{"count":0,"calendars":[]}`; err != nil || none != want {
		t.Errorf("no calendars are %s, %v", none, err)
	}
}
