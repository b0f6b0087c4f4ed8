package server

import (
	"context"
	"log/slog"
	"net/http"
	"strconv"
	"time"
)

// watched logs and counts each request: its route, how it was answered and how
// long that took, never a query or a body.
func (s *Server) watched(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began := time.Now()
		seen := &statusWriter{ResponseWriter: w}
		next.ServeHTTP(seen, r)
		status, at := seen.status(), route(r)
		s.metrics.requests.WithLabelValues(at, strconv.Itoa(status)).Inc()
		level := slog.LevelDebug
		if status >= 400 {
			level = slog.LevelInfo
		}
		s.log.LogAttrs(r.Context(), level, "request",
			slog.String("method", r.Method), slog.String("route", at),
			slog.Int("status", status), slog.Duration("dur", time.Since(began)))
	})
}

// route is the pattern that a request matched: bounded, and free of what the
// caller wrote.
func route(r *http.Request) string {
	if r.Pattern == "" {
		return "none"
	}
	return r.Pattern
}

// statusWriter remembers the status of an answer.
type statusWriter struct {
	http.ResponseWriter
	code int
}

// WriteHeader implements [http.ResponseWriter].
func (w *statusWriter) WriteHeader(code int) {
	if w.code == 0 || w.code < 200 {
		w.code = code
	}
	w.ResponseWriter.WriteHeader(code)
}

// Unwrap lets [http.ResponseController] reach flushing, deadlines and hijacking.
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// status is the code that was sent: 200 when the handler only wrote, or took
// the connection over.
func (w *statusWriter) status() int {
	if w.code == 0 {
		return http.StatusOK
	}
	return w.code
}

// warnings passes on what is worth an operator's attention of a library that
// says much else, with names of sessions in it.
type warnings struct{ slog.Handler }

// Enabled implements [slog.Handler].
func (w warnings) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= slog.LevelWarn && w.Handler.Enabled(ctx, level)
}

// Handle implements [slog.Handler]. What the library holds for an error is what
// a client did wrong; nod's own are logged where they happen.
func (w warnings) Handle(ctx context.Context, r slog.Record) error {
	r.Level = min(r.Level, slog.LevelWarn)
	return w.Handler.Handle(ctx, r)
}

// WithAttrs implements [slog.Handler].
func (w warnings) WithAttrs(attrs []slog.Attr) slog.Handler {
	return warnings{w.Handler.WithAttrs(attrs)}
}

// WithGroup implements [slog.Handler].
func (w warnings) WithGroup(name string) slog.Handler { return warnings{w.Handler.WithGroup(name)} }
