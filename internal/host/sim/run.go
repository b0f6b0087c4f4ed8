package sim

import (
	"context"
	"errors"

	"nod.dev/nod/internal/host"
)

// Run runs a phone as [host.Run] does, with faults in its link, its journal and
// its clock. Killed by one, it starts again as a program does after a crash:
// with its journal and nothing else. faults may be nil.
func Run(ctx context.Context, cfg host.Config, faults *Faults) error {
	if faults == nil {
		return host.Run(ctx, cfg)
	}
	if cfg.Clock == nil {
		cfg.Clock = host.SystemClock
	}
	if cfg.Dial == nil {
		cfg.Dial = host.DialWebSocket(nil)
	}
	cfg.Clock = faults.Clock(cfg.Clock)
	cfg.Dial = faults.Dial(cfg.Dial)
	cfg.Journal = faults.Journal(cfg.Journal)
	for {
		err := host.Run(ctx, cfg)
		if !errors.Is(err, ErrKilled) || ctx.Err() != nil {
			return err
		}
		if cfg.Logger != nil {
			cfg.Logger.Info("the phone was killed and starts again")
		}
	}
}
