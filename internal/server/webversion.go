package server

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"maps"
	"slices"
)

// versionMeta is where index.html takes the version of the app that it begins.
const versionMeta = `<meta name="nod-version" content="%s">`

// WebVersion names the web app that a server of these files serves. It is
// another one as soon as any file of the app is; the developer's pages do not
// count. A page says it in its hello, and is told to reload when the gateway's
// is another.
func WebVersion(web fs.FS) string {
	if web == nil {
		return ""
	}
	files := loadFiles(web, false)
	sum := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		fmt.Fprintf(sum, "%s %s\n", name, files[name].etag)
	}
	return hex.EncodeToString(sum.Sum(nil)[:8])
}

// stamped is the start page with the app's version in it.
func stamped(page file, version string) file {
	body := bytes.Replace(page.body, fmt.Appendf(nil, versionMeta, ""), fmt.Appendf(nil, versionMeta, version), 1)
	return newFile(body, page.kind)
}
