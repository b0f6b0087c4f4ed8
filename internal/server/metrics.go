package server

import (
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"nod.dev/nod"
)

// Metrics is what an operator can watch. It holds no names and no values: an
// outcome, a route and a number.
type Metrics struct {
	registry *prometheus.Registry
	requests *prometheus.CounterVec   // route, status
	calls    *prometheus.CounterVec   // outcome
	commits  *prometheus.HistogramVec // result: ok, failed
	pushes   *prometheus.HistogramVec // status: accepted, gone, refused, failed
}

// NewMetrics makes an empty set.
func NewMetrics() *Metrics {
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "nod_http_requests_total", Help: "HTTP requests, by route and status.",
		}, []string{"route", "status"}),
		calls: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "nod_calls_total", Help: "Calls that ended, by outcome.",
		}, []string{"outcome"}),
		commits: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "nod_commit_seconds", Help: "How long a change took to be durable.",
			Buckets: []float64{.0005, .001, .002, .005, .01, .02, .05, .1, .25, .5, 1, 2.5},
		}, []string{"result"}),
		pushes: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "nod_push_seconds", Help: "How long a push service took to answer a wake-up, by its answer.",
			Buckets: []float64{.05, .1, .25, .5, 1, 2.5, 5, 10},
		}, []string{"status"}),
	}
	for _, o := range nod.Outcomes {
		m.calls.WithLabelValues(string(o))
	}
	m.registry.MustRegister(m.requests, m.calls, m.commits, m.pushes,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// Ended counts a call that got its outcome. With Committed it makes a Metrics an
// observer of a gateway.
func (m *Metrics) Ended(c nod.Call) { m.calls.WithLabelValues(string(c.Outcome)).Inc() }

// Committed notes how long a change of the ledger took, and whether it failed.
func (m *Metrics) Committed(took time.Duration, _ int, err error) {
	result := "ok"
	if err != nil {
		result = "failed"
	}
	m.commits.WithLabelValues(result).Observe(took.Seconds())
}

// Pushed notes what a push service answered to a wake-up, and how long it took.
func (m *Metrics) Pushed(status string, took time.Duration) {
	m.pushes.WithLabelValues(status).Observe(took.Seconds())
}

// Watch adds the two gauges that are asked for when somebody looks: open cards
// and connected phones.
func (m *Metrics) Watch(openCards, phonesConnected func() int) {
	gauge := func(name, help string, value func() int) {
		m.registry.MustRegister(prometheus.NewGaugeFunc(
			prometheus.GaugeOpts{Name: name, Help: help}, func() float64 { return float64(value()) }))
	}
	gauge("nod_open_cards", "Cards that wait for a person.", openCards)
	gauge("nod_phones_connected", "Phones that prove that they are there.", phonesConnected)
}

// Handler serves the metrics.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}

// localMetrics serves them to this machine only. How often somebody is asked is
// nobody else's business.
func (s *Server) localMetrics(w http.ResponseWriter, r *http.Request) {
	if !loopback(r) {
		s.notFound(w, r)
		return
	}
	s.metrics.Handler().ServeHTTP(w, r)
}
