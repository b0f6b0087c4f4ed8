package sim

import (
	"strings"

	"nod.dev/nod"
	"nod.dev/nod/internal/host"
)

// Route is what the map app is guiding along.
type Route struct {
	Destination string
	Stops       []string
	Mode        string
}

// Search is a search in the map app.
type Search struct {
	Query string
	Near  string
}

// maxStops is how many stops the map app takes (facts: nine waypoints).
const maxStops = 9

const mapApp = "Maps"

// place is a place as the map app shows it: its name where it has one.
func place(v any) string {
	fields, _ := v.(map[string]any)
	f := nod.Fields(fields)
	if name := text(f, "name"); name != "" {
		return name
	}
	if query := text(f, "query"); query != "" {
		return query
	}
	return text(f, "lat") + "," + text(f, "lon")
}

func places(v any) []string {
	list, _ := v.([]any)
	var out []string
	for _, p := range list {
		out = append(out, place(p))
	}
	return out
}

func mode(f nod.Fields) string {
	if m := text(f, "mode"); m != "" {
		return m
	}
	return "drive"
}

func (p *Phone) navigate(f nod.Fields) host.Result {
	route := &Route{Destination: place(f["destination"]), Stops: places(f["stops"]), Mode: mode(f)}
	if p.state.Route != nil && !flag(f, "replace_route") {
		return opened(mapApp, "A route to "+p.state.Route.Destination+" is running; the map app asks the person whether to replace it.")
	}
	p.state.Route = route
	return done("The route to " + route.Destination + via(route.Stops) + " is running.")
}

// addStop plans again, since no map app adds a stop to a running route.
func (p *Phone) addStop(f nod.Fields) host.Result {
	p.state.Route = &Route{Destination: place(f["destination"]), Stops: []string{place(f["stop"])}, Mode: mode(f)}
	return done("The route to " + p.state.Route.Destination + via(p.state.Route.Stops) + " is running.")
}

func via(stops []string) string {
	if len(stops) == 0 {
		return ""
	}
	return " by way of " + strings.Join(stops, ", ")
}

func (p *Phone) searchNearby(f nod.Fields) host.Result {
	s := Search{Query: text(f, "query"), Near: text(f, "near")}
	if s.Near == "" {
		s.Near = "me"
	}
	if s.Near == "route" && p.state.Route == nil {
		return cannot("No route is running to search along.")
	}
	p.state.Searches = append(p.state.Searches, s)
	return opened(mapApp, "")
}

func (p *Phone) stopNavigation(nod.Fields) host.Result {
	if p.state.Route == nil {
		return cannot("No route is running.")
	}
	p.state.Route = nil
	return done("The route has ended.")
}
