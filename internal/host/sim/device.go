package sim

import (
	"fmt"
	"maps"
	"slices"

	"nod.dev/nod"
	"nod.dev/nod/internal/host"
)

// AutomationRun is an automation that was run.
type AutomationRun struct {
	App, Name string
	Values    map[string]string
}

// tracks is how many songs the player has.
const tracks = 3

func (p *Phone) openApp(f nod.Fields) host.Result {
	i := slices.IndexFunc(p.apps, func(name string) bool { return sameName(name, text(f, "app")) })
	if i < 0 {
		return cannot("There is no app called " + text(f, "app") + " on this phone.")
	}
	p.state.Opened = append(p.state.Opened, p.apps[i])
	return opened(p.apps[i], "")
}

func (p *Phone) openURL(f nod.Fields) host.Result {
	p.state.Pages = append(p.state.Pages, text(f, "url"))
	return opened("Browser", "")
}

// media controls the player. What is not playing cannot be paused.
func (p *Phone) media(f nod.Fields) host.Result {
	command := text(f, "command")
	switch command {
	case "play":
		p.state.Playing = true
	case "toggle":
		p.state.Playing = !p.state.Playing
	case "pause", "stop":
		if !p.state.Playing {
			return cannot("Nothing is playing.")
		}
		p.state.Playing = false
	case "next", "previous":
		if !p.state.Playing {
			return cannot("Nothing is playing.")
		}
		step := 1
		if command == "previous" {
			step = tracks - 1
		}
		p.state.Track = (p.state.Track-1+step)%tracks + 1
	default:
		return cannot("The player has no " + command + ".")
	}
	if p.state.Playing {
		return done(fmt.Sprintf("Song %d is playing.", p.state.Track))
	}
	return done("The player is quiet.")
}

func (p *Phone) torch(f nod.Fields) host.Result {
	p.state.Torch = flag(f, "on")
	if p.state.Torch {
		return done("The torch is on.")
	}
	return done("The torch is off.")
}

func (p *Phone) settingsPanel(f nod.Fields) host.Result {
	p.state.Panel = text(f, "panel")
	return opened("Settings", "")
}

// automationIntent runs an automation, by the names that the person gave.
func (p *Phone) automationIntent(f nod.Fields) host.Result {
	app := text(f, "app")
	if app == "" {
		app = "Tasker"
	}
	names := slices.Sorted(maps.Keys(p.automations))
	i := slices.IndexFunc(names, func(name string) bool { return sameName(name, app) })
	if i < 0 {
		return cannot("There is no automation app called " + app + " on this phone.")
	}
	made := p.automations[names[i]]
	j := slices.IndexFunc(made, func(name string) bool { return sameName(name, text(f, "name")) })
	if j < 0 {
		return cannot(names[i] + " has no automation called " + text(f, "name") + ".")
	}
	run := AutomationRun{App: names[i], Name: made[j]}
	values, _ := f["values"].(map[string]any)
	for key, v := range values {
		if run.Values == nil {
			run.Values = map[string]string{}
		}
		run.Values[key], _ = v.(string)
	}
	p.state.Runs = append(p.state.Runs, run)
	return done(names[i] + " ran " + made[j] + ".")
}
