package server_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"nod.dev/nod/internal/server"
	"nod.dev/nod/nodtest"
	"nod.dev/nod/web"
)

// The version is another one as soon as a file of the app is, and the page says which it is.
func TestWebVersion(t *testing.T) {
	t.Parallel()
	app := func(change func(fstest.MapFS)) string {
		files := fstest.MapFS{
			"index.html": {Data: []byte("<html>")}, "sw.js": {Data: []byte("1")}, "app/main.js": {Data: []byte("1")}, "dev/cards.js": {Data: []byte("1")},
		}
		change(files)
		return server.WebVersion(files)
	}
	was := app(func(fstest.MapFS) {})
	for name, change := range map[string]func(fstest.MapFS){
		"a changed page":   func(f fstest.MapFS) { f["index.html"] = &fstest.MapFile{Data: []byte("<html >")} },
		"a changed module": func(f fstest.MapFS) { f["app/main.js"] = &fstest.MapFile{Data: []byte("2")} },
		"a new module":     func(f fstest.MapFS) { f["app/more.js"] = &fstest.MapFile{Data: []byte("1")} },
		"a module less":    func(f fstest.MapFS) { delete(f, "app/main.js") },
		"a moved module":   func(f fstest.MapFS) { f["app/moved.js"] = f["app/main.js"]; delete(f, "app/main.js") },
	} {
		if app(change) == was {
			t.Errorf("%s is the same version", name)
		}
	}
	for name, change := range map[string]func(fstest.MapFS){
		"the developer's pages": func(f fstest.MapFS) { f["dev/cards.js"] = &fstest.MapFile{Data: []byte("2")} },
		"what is not served":    func(f fstest.MapFS) { f["test/x.mjs"] = &fstest.MapFile{Data: []byte("2")} },
	} {
		if app(change) != was {
			t.Errorf("%s make another version", name)
		}
	}
	if server.WebVersion(nil) != "" {
		t.Error("no app has a version")
	}
	n := nodtest.New(t, nodtest.Options{NoPhone: true, Files: web.Files})
	for _, path := range []string{"/", "/log", "/index.html"} {
		if _, _, body := do(t, n, "GET", path, "", nil); !strings.Contains(body, `<meta name="nod-version" content="`+server.WebVersion(web.Files)+`">`) {
			t.Errorf("%s does not say which version it is", path)
		}
	}
}
