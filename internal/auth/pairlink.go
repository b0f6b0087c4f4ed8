package auth

import (
	"net/url"
	"strings"

	"nod.dev/nod"
	"nod.dev/nod/internal/wire"
)

// pairPath is the page that a pairing link opens.
const pairPath = "/pair"

// maxLink bounds what a pasted link may hold.
const maxLink = 2048

// PairLink makes the link that a QR code shows. The secret is in the fragment,
// which no browser sends to a server.
func PairLink(base string, secret []byte) string {
	return strings.TrimRight(base, "/") + pairPath + "#" + wire.Encode64(secret)
}

// ParsePairLink takes a pairing link apart: the gateway's base address and the secret.
func ParsePairLink(link string) (base string, secret []byte, err error) {
	link = strings.TrimSpace(link)
	if len(link) > maxLink {
		return "", nil, badLink("it is too long")
	}
	u, err := url.Parse(link)
	switch {
	case err != nil:
		return "", nil, badLink("it is not a URL")
	case u.Scheme != "https" && u.Scheme != "http":
		return "", nil, badLink("it does not begin with https:// or http://")
	case u.Hostname() == "" || u.Opaque != "":
		return "", nil, badLink("it names no host")
	case u.User != nil:
		return "", nil, badLink("it holds a user name, which hides the real host")
	case u.RawQuery != "" || u.ForceQuery:
		return "", nil, badLink("it has a query; a pairing secret belongs in the fragment")
	case !strings.HasSuffix(u.EscapedPath(), pairPath):
		return "", nil, badLink("it does not lead to " + pairPath)
	}
	secret, err = wire.Decode64(u.EscapedFragment())
	if err != nil || len(secret) != secretBytes {
		return "", nil, badLink("the part after # is not a pairing secret; copy the whole link")
	}
	u.Fragment, u.RawFragment = "", ""
	return strings.TrimRight(strings.TrimSuffix(u.String(), pairPath), "/"), secret, nil
}

func badLink(what string) error {
	return nod.Errorf(nod.CodeInvalid, "this is not a pairing link: "+what, `make a new link with "nod pair"`)
}
