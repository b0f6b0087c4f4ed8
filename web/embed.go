// Package web is the phone in the browser: an installable web app of plain ES
// modules, custom elements and one style sheet. The program serves these files
// as they are. No bundler touches them and no code of anyone else's runs in
// them, so that the screen on which a person consents runs only what this
// repository holds.
//
// app/main.js is where it begins, app/app.js ties its parts together, and
// app/router.js shows its pages, each a module in app/pages that is loaded when
// it is needed. app/phone.js is the life of a call on the phone as a pure
// machine; host.js carries its effects out, gateway.js keeps the link, card.js
// draws the card, app/device holds the tools that the page does itself. spec.js is generated from package spec; wire.js and check.js
// are the twins of internal/wire and internal/action and run the same rows. The
// tests, and what they need from npm, are in test/ and are not embedded.
package web

import "embed"

// Files are the app's files: index.html, style.css, manifest.webmanifest,
// sw.js, icons, app, and the developer's pages in dev, which are served only on
// request.
//
//go:embed index.html style.css manifest.webmanifest sw.js icons app dev
var Files embed.FS
