package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"nod.dev/nod"
)

// checkAddress remembers in the data folder under which address phones know the
// gateway, and refuses another one: to a browser the address is the phone's
// identity, and under a new one it has no key and no memory.
func checkAddress(data, url string, accept, pairedWeb bool) error {
	path := addressFile(data)
	b, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return &nod.Error{Code: nod.CodeStorage, Message: "the gateway's address cannot be read from the data folder", Err: err}
	}
	known := strings.TrimSpace(string(b))
	if known != "" && known != url && pairedWeb && !accept {
		return nod.Errorf(nod.CodeConflict, fmt.Sprintf("the phones know this gateway as %s, and it would be %s now", known, url),
			"start it under the old address again, with --public-url or --listen as before; "+
				"or move: start it once with --accept-new-url, and pair every browser anew, since under another address it has no key")
	}
	if known == url {
		return nil
	}
	if err := os.WriteFile(path, []byte(url+"\n"), 0o600); err != nil {
		return &nod.Error{Code: nod.CodeStorage, Message: "the gateway's address cannot be kept in the data folder", Hint: "is " + data + " writable?", Err: err}
	}
	return nil
}

// knownAddress returns the address of the gateway that a data folder belongs to,
// empty when there is none.
func knownAddress(data string) string {
	b, err := os.ReadFile(addressFile(data))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
}

func addressFile(data string) string { return filepath.Join(data, "url") }
