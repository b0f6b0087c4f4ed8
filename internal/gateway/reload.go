package gateway

import (
	"time"

	"nod.dev/nod"
	"nod.dev/nod/internal/wire"
)

// reloadAgain is how long a page of one version is left alone after it was told
// to reload. A cache on the way can hand it the old files again and again, and
// a page that reloads for ever is worse than an old one.
const reloadAgain = 10 * time.Minute

// reloadUpdated is why a page is to reload.
const reloadUpdated = "updated"

// reload tells a page that is another version than the files its gateway
// serves, older or newer, to load again. It follows the welcome, once a link;
// the page waits for a moment at which no card is open.
func (t *Turn) reload(p nod.Phone, l *live) {
	if t.core.web == "" || p.Host != nod.HostWeb || p.AppVersion == t.core.web {
		return
	}
	if old := t.core.links[p.ID]; old != nil && old.stale == p.AppVersion && old.told != 0 && t.now.Sub(old.told) < reloadAgain {
		return
	}
	l.stale, l.told = p.AppVersion, t.now
	t.send(p.ID, wire.Frame{Kind: wire.KindReload, Reason: reloadUpdated})
}
