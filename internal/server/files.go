package server

import (
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strconv"
	"strings"

	"nod.dev/nod/spec"
)

// pages are the routes that the web app draws itself: each is index.html.
var pages = []string{
	"/{$}", "/pair", "/resume", "/phones", "/log", "/log/{id}", "/agents", "/agents/{id}", "/agents/{id}/{switch}", "/settings", "/shortcuts", "/card/{id}", "/launch-failed/{token}",
}

// types names the media types of what the web app is made of. The system's own
// table is not asked: it differs from machine to machine.
var types = map[string]string{
	".html":        "text/html; charset=utf-8",
	".css":         "text/css; charset=utf-8",
	".js":          "text/javascript; charset=utf-8",
	".json":        "application/json",
	".webmanifest": "application/manifest+json",
	".png":         "image/png",
	".svg":         "image/svg+xml",
	".ico":         "image/x-icon",
	".woff2":       "font/woff2",
}

// file is one file of the web app, held in memory: there are few, and they are
// small.
type file struct {
	body []byte
	kind string
	etag string
}

// serveFiles adds the web app to a mux: its pages, and each file that belongs
// to it by name. A folder is not served, and neither is what is not listed.
func (s *Server) serveFiles(mux *http.ServeMux) {
	if s.config.Files == nil {
		return
	}
	files := loadFiles(s.config.Files, s.config.Dev)
	if f, ok := files["index.html"]; ok {
		files["index.html"] = stamped(f, WebVersion(s.config.Files))
	}
	if f, ok := files["style.css"]; ok {
		files["plain.css"] = newFile(plainStyle(f.body), f.kind)
	}
	for name, f := range files {
		mux.HandleFunc("GET /"+name, s.serveFile(f))
		if name == "index.html" {
			for _, page := range pages {
				mux.HandleFunc("GET "+page, s.serveFile(f))
			}
		}
		if name == "dev/cards.html" {
			mux.HandleFunc("GET /dev/cards", s.serveFile(f))
		}
	}
}

// loadFiles reads the web app. The developer's pages are part of it only with dev.
func loadFiles(web fs.FS, dev bool) map[string]file {
	files := map[string]file{}
	_ = fs.WalkDir(web, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !belongs(name, dev) {
			return err
		}
		body, err := fs.ReadFile(web, name)
		if err != nil {
			return err
		}
		files[name] = newFile(body, kindOf(name))
		return nil
	})
	return files
}

func newFile(body []byte, kind string) file {
	sum := sha256.Sum256(body)
	return file{body: body, kind: kind, etag: `"` + hex.EncodeToString(sum[:12]) + `"`}
}

// belongs says which files of the web folder are the app.
func belongs(name string, dev bool) bool {
	switch dir, _, _ := strings.Cut(name, "/"); dir {
	case "index.html", "style.css", "manifest.webmanifest", "sw.js", "app", "icons":
		return true
	case "dev":
		return dev
	}
	return false
}

func kindOf(name string) string {
	ext := path.Ext(name)
	if kind, ok := types[ext]; ok {
		return kind
	}
	if kind := mime.TypeByExtension(ext); kind != "" {
		return kind
	}
	return "application/octet-stream"
}

func (s *Server) serveFile(f file) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		s.pageHeaders(h, r)
		h.Set("Content-Type", f.kind)
		h.Set("ETag", f.etag)
		// Always asked again, and answered in a word when nothing changed: a
		// phone must never draw a card with an old page.
		h.Set("Cache-Control", "no-cache")
		if r.Header.Get("If-None-Match") == f.etag {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		h.Set("Content-Length", strconv.Itoa(len(f.body)))
		if r.Method != http.MethodHead {
			_, _ = w.Write(f.body) // a browser that went away is no news here
		}
	}
}

// pageHeaders keeps the screen on which a person consents to code of its own:
// nothing from elsewhere runs in it, frames it, or learns where it was.
func (s *Server) pageHeaders(h http.Header, r *http.Request) {
	h.Set("Content-Security-Policy", contentPolicy(s.socketOrigin(r)))
	h.Set("X-Frame-Options", "DENY")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Content-Type-Options", "nosniff")
}

func contentPolicy(socket string) string {
	return strings.Join([]string{
		"default-src 'self'",
		"connect-src 'self' " + socket,
		"object-src 'none'",
		"base-uri 'none'",
		"form-action 'self'",
		"frame-ancestors 'none'",
		"require-trusted-types-for 'script'",
		"trusted-types nod", // the app's one policy: the address of its service worker
	}, "; ")
}

// socketOrigin is this gateway as a WebSocket's origin. Some browsers do not
// count it under 'self'. The host was checked before (package site).
func (s *Server) socketOrigin(r *http.Request) string {
	if p := s.site.Public; p != nil && strings.EqualFold(p.Host, r.Host) && p.Scheme == "https" || r.TLS != nil {
		return "wss://" + r.Host
	}
	return "ws://" + r.Host
}

// manifests are the parts of the contract that anyone may read.
var manifests = []string{"tools.json", "actions.json", "texts.json", "capabilities.json", "events.json"}

// serveSpec adds the contract to a mux.
func (s *Server) serveSpec(mux *http.ServeMux) {
	for _, name := range manifests {
		body, err := fs.ReadFile(spec.Files(), name)
		if err != nil {
			continue // the embedded contract is complete; its own tests see to it
		}
		mux.HandleFunc("GET /spec/"+name, s.serveFile(newFile(body, "application/json")))
	}
}
