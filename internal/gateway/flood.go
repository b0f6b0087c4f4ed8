package gateway

import (
	"strconv"

	"nod.dev/nod"
	"nod.dev/nod/internal/log"
)

// floodAfter is how many calls of one agent may end at once in a minute, each
// with an entry of its own. The rest of that minute is one entry with a count
// (design section 2), so that an agent in a loop cannot fill the disk.
const floodAfter = 20

const logFlood = "flood"

// flood counts an agent's calls that ended without reaching a phone, by minute.
type flood struct {
	minute nod.Time
	calls  int
	extra  int // those that have no entry yet
}

// flooded reports whether one more such call is beyond the minute's measure,
// and counts it.
func (t *Turn) flooded(c nod.Call) bool {
	f := t.core.floods[c.Agent]
	minute := t.now - t.now%60_000
	if f == nil || f.minute != minute {
		if f != nil {
			t.logExtra(c.Agent, f)
		}
		f = &flood{minute: minute}
		t.core.floods[c.Agent] = f
	}
	f.calls++
	if f.calls > floodAfter {
		f.extra++
		return true
	}
	return false
}

// flush logs the floods of minutes that are over.
func (t *Turn) flush() {
	for agent, f := range t.core.floods {
		if t.now-t.now%60_000 != f.minute {
			t.logExtra(agent, f)
			delete(t.core.floods, agent)
		}
	}
}

func (t *Turn) logExtra(agent nod.AgentID, f *flood) {
	a, ok := t.agent(agent)
	if !ok || f.extra == 0 {
		return
	}
	count := f.extra
	t.entry(log.Entry{Person: a.Person, Kind: logFlood, Agent: agent, Facts: map[string]string{
		"count": strconv.Itoa(count), "minute": f.minute.UTC().Format("2006-01-02T15:04Z")}}, nil)
	f.extra = 0
	// What could not be written is counted with the next minute's.
	t.narrowed = append(t.narrowed, func() {
		if t.core.floods[agent] == nil {
			t.core.floods[agent] = &flood{minute: f.minute}
		}
		t.core.floods[agent].extra += count
	})
}
