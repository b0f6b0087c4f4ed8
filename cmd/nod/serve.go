package main

import (
	"crypto/tls"
	"fmt"
	"log/slog"
	"time"

	"nod.dev/nod"
	"nod.dev/nod/spec"
)

// serveCmd is "nod serve".
type serveCmd struct {
	Listen       string        `help:"Address to listen on." default:"127.0.0.1:7333" placeholder:"ADDRESS"`
	PublicURL    string        `name:"public-url" help:"Address that phones know this gateway by, as a proxy or tailscale serve gives it." placeholder:"URL"`
	AcceptNewURL bool          `name:"accept-new-url" help:"Serve although phones were paired under another address."`
	TLSCert      string        `name:"tls-cert" help:"Certificate file, for TLS without a proxy." type:"path" placeholder:"FILE"`
	TLSKey       string        `name:"tls-key" help:"Key file of the certificate." type:"path" placeholder:"FILE"`
	AllowOrigin  []string      `name:"allow-origin" help:"Further web origins that may speak to the gateway." placeholder:"ORIGIN"`
	Wait         time.Duration `help:"How long a card waits for an answer, 2m to 20m." placeholder:"DURATION"`
	pushFlags
	LogFormat string `name:"log-format" help:"How to log: text or json." enum:"text,json" default:"text"`
	Dev       bool   `help:"Serve the pages that show every card in every state."`
}

// pushFlags say how phones are woken that are not connected.
type pushFlags struct {
	PushSubject string   `name:"push-subject" help:"Where push services can reach you, as mailto:ADDRESS or an https address; the public address unless given." placeholder:"ADDRESS"`
	PushHost    []string `name:"push-host" help:"Push services besides those of Chrome, Firefox, Safari and Edge." placeholder:"HOST[:PORT]"`
}

// Run runs the gateway until it is told to stop.
func (c *serveCmd) Run(p *program) error {
	logger := p.logger(c.LogFormat)
	config, err := c.config(p, logger)
	if err != nil {
		return err
	}
	r, err := openGateway(p.ctx, config)
	if err != nil {
		return err
	}
	defer r.close()
	if err := c.settle(p, r); err != nil {
		return err
	}
	r.serve()
	logger.Info("nod serves", "url", r.base(), "listen", config.listen, "data", config.data, "version", programVersion())
	if off := r.gateway.Push("").Off; off != "" {
		logger.Info("phones that are not connected cannot be woken", "why", spec.Get().PersonText("en", off, nil))
	}
	if len(r.gateway.Phones(r.gateway.People()[0].ID)) == 0 {
		p.hint(`no phone is paired: run "nod pair"`)
	}
	select {
	case <-p.ctx.Done():
		logger.Info("nod stops")
		return nil
	case err := <-r.failed:
		return fmt.Errorf("serving: %w", err)
	}
}

func (c *serveCmd) config(p *program, logger *slog.Logger) (gatewayConfig, error) {
	config := gatewayConfig{data: p.global.Data, listen: c.Listen, origins: c.AllowOrigin, dev: c.Dev, push: c.pushFlags, log: logger}
	var err error
	if config.public, err = parsePublic(c.PublicURL); err != nil {
		return config, err
	}
	switch {
	case (c.TLSCert == "") != (c.TLSKey == ""):
		return config, nod.Errorf(nod.CodeInvalid, "--tls-cert and --tls-key belong together", "give both, or neither and put a proxy in front")
	case c.TLSCert != "":
		cert, err := tls.LoadX509KeyPair(c.TLSCert, c.TLSKey)
		if err != nil {
			return config, &nod.Error{Code: nod.CodeInvalid, Message: "the TLS files cannot be used", Hint: "both must be PEM, and the key must be the certificate's", Err: err}
		}
		config.cert = &cert
	}
	return config, nil
}

// settle applies what the flags say about the people and the address, which the
// ledger remembers.
func (c *serveCmd) settle(p *program, r *running) error {
	if err := checkAddress(r.config.data, r.base(), c.AcceptNewURL, pairedWeb(r)); err != nil {
		return err
	}
	if c.Wait == 0 {
		return nil
	}
	for _, person := range r.gateway.People() {
		if err := r.gateway.SetWait(p.ctx, person.ID, "", int(c.Wait/time.Second)); err != nil {
			return err
		}
	}
	return nil
}

// pairedWeb reports whether a browser is paired: its identity is the address.
func pairedWeb(r *running) bool {
	for _, person := range r.gateway.People() {
		for _, phone := range r.gateway.Phones(person.ID) {
			if phone.Host == nod.HostWeb {
				return true
			}
		}
	}
	return false
}

// logger writes to stderr.
func (p *program) logger(format string) *slog.Logger {
	var level slog.Level
	_ = level.UnmarshalText([]byte(p.global.Log)) // an enum of the command line
	options := &slog.HandlerOptions{Level: level}
	if format == "json" {
		return slog.New(slog.NewJSONHandler(p.stderr, options))
	}
	return slog.New(slog.NewTextHandler(p.stderr, options))
}
