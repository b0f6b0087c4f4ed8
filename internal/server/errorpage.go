package server

import (
	"bytes"
	"html/template"
	"net/http"

	"nod.dev/nod"
)

// docs is where the reader of a refusal learns more: a page that every gateway
// serves itself, with the code as the anchor.
const docs = "/errors#"

// meanings says of each error code what it means and what to do, in the order
// of the page.
var meanings = []struct {
	Code        nod.Code
	Means, Next string
}{
	{nod.CodeInvalid, "What was sent is wrong. Nothing of it was done.", "The sentence says what is wrong; correct it and send it again."},
	{nod.CodeUnauthorized, "There was no token, or one that is not known here.", `Send the header "Authorization: Bearer TOKEN". A new token comes from "nod agents add" or "nod agents rotate".`},
	{nod.CodeForbidden, "It is known who asks, and this is not allowed from here.", "The sentence says why. It does not help to ask again."},
	{nod.CodeNotFound, "There is no such thing, or it belongs to somebody else.", "Check the address and the id."},
	{nod.CodeConflict, "It exists already, or it has changed meanwhile.", "Look at it as it is now, then decide."},
	{nod.CodeMethodNotAllowed, "This address takes another method.", "The header Allow lists what it takes."},
	{nod.CodeMediaType, "The body is not declared as what is read here.", `Send the header "Content-Type: application/json".`},
	{nod.CodeTooLarge, "The body or a header is larger than is taken.", "Send less."},
	{nod.CodeTooMany, "That was too often.", "Wait as long as the header Retry-After says."},
	{nod.CodeStorage, "The data folder cannot be written, so nothing was sent to a phone.", "Make room or repair the folder; nod goes on by itself when it can write again."},
	{nod.CodeInternal, "nod itself could not do its part.", "The gateway's own log says why."},
}

var errorPage = template.Must(template.New("errors").Parse(`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>nod: errors</title>
<h1>Errors</h1>
<p>An error means that nod could not do its part. How a call ended is an outcome, and never one of these.</p>
{{range .}}<h2 id="{{.Code}}">{{.Code}}</h2>
<p>{{.Means}}</p>
<p>{{.Next}}</p>
{{end}}</html>
`))

// errorsPage explains the error codes.
func (s *Server) errorsPage(w http.ResponseWriter, r *http.Request) {
	var page bytes.Buffer
	if err := errorPage.Execute(&page, meanings); err != nil {
		s.fail(w, r, err)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write(page.Bytes()) // a reader that went away is no news here
}
