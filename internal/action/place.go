package action

import (
	"math"
	"strconv"
	"strings"
)

// The ranges of coordinates.
const (
	maxLat = 90
	maxLon = 180
)

// place checks a place and keeps what means something in it: lat and lon when
// both are good, a query and a name when they are not empty. A bad pair beside
// a query is dropped, because the query alone is a place by the seed's "or" and
// a card cannot show what nobody can go to.
func (c *checker) place(v any) (any, bool) {
	m, ok := v.(map[string]any)
	if !ok {
		return nil, false
	}
	kept := map[string]any{}
	lat, okLat := c.coordinate(m["lat"], maxLat)
	lon, okLon := c.coordinate(m["lon"], maxLon)
	if okLat && okLon {
		kept["lat"], kept["lon"] = lat, lon
	}
	for _, key := range placeTexts {
		if s, ok := m[key].(string); ok && s != "" {
			kept[key] = s
		}
	}
	return kept, len(kept) > 0
}

// placeTexts are the keys of a place that are text.
var placeTexts = []string{"query", "name"}

// coordinate returns a coordinate as the action carries it. An agent gives a
// number; in an offer it is already the string that [decimal] made.
func (c *checker) coordinate(v any, limit float64) (string, bool) {
	switch v := v.(type) {
	case int64:
		return c.rounded(float64(v), limit)
	case float64:
		return c.rounded(v, limit)
	case string:
		x, err := strconv.ParseFloat(v, 64)
		return v, c.offered && err == nil && math.Abs(x) <= limit && decimal(x, c.digits()) == v
	}
	return "", false
}

func (c *checker) rounded(x, limit float64) (string, bool) {
	return decimal(x, c.digits()), !c.offered && math.Abs(x) <= limit
}

func (c *checker) digits() int { return c.spec.Phone.Limits.PlaceDigits }

// decimal writes x with at most digits decimal places, without zeros at the
// end. The exact value of the double is rounded half away from zero, as
// JavaScript's toFixed does: strconv rounds an exact half to even, so a half is
// first moved off its tie. Halves with seven places are the odd multiples of
// 2^-8, which a double holds exactly.
func decimal(x float64, digits int) string {
	scaled := math.Ldexp(x, digits+1)
	if scaled == math.Trunc(scaled) && math.Mod(scaled, 2) != 0 {
		x = math.Nextafter(x, math.Copysign(math.Inf(1), x))
	}
	s := strconv.FormatFloat(x, 'f', digits, 64)
	s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	if s == "-0" || s == "" {
		return "0"
	}
	return s
}
