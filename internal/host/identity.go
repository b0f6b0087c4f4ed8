package host

import (
	"encoding/json"
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"

	"nod.dev/nod"
	"nod.dev/nod/internal/wire"
)

// identityName is the identity's file in a phone's folder.
const identityName = "identity.json"

// identityVersion is the version of the identity file.
const identityVersion = 1

// Identity is what pairing gave a phone: who it is, its key, and the one
// gateway it listens to. It is a file of mode 0600 beside the journal; whoever
// has the folder is the phone.
type Identity struct {
	Version    int64        `json:"version"`
	Phone      nod.PhoneID  `json:"phone"`
	Name       string       `json:"name"`
	Host       nod.Host     `json:"host"`
	Person     nod.PersonID `json:"person"`
	PersonName string       `json:"person_name"`
	// Gateway is the gateway's base address: "https://nod.example".
	Gateway string `json:"gateway"`
	// GatewayKey is its public key, base64url; pinned for good.
	GatewayKey string `json:"gateway_key"`
	// Key is the phone's own, PKCS #8, base64url.
	Key string `json:"key"`
}

// LoadIdentity reads the identity in a phone's folder.
func LoadIdentity(dir string) (*Identity, error) {
	path := filepath.Join(dir, identityName)
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &nod.Error{
			Code:    nod.CodeNotFound,
			Message: "no phone was paired into " + dir,
			Hint:    `run "nod pair" where the gateway runs and give this program the link`,
			Err:     err,
		}
	}
	if err != nil {
		return nil, identityError(path, err)
	}
	var id Identity
	if err := json.Unmarshal(data, &id); err != nil {
		return nil, identityError(path, err)
	}
	if id.Version != identityVersion {
		return nil, &nod.Error{
			Code:    nod.CodeStorage,
			Message: path + " was written by another version of nod",
			Hint:    "update nod, or remove the folder and pair the phone again",
		}
	}
	if _, _, err := id.keys(); err != nil {
		return nil, identityError(path, err)
	}
	return &id, nil
}

// save writes the identity, durably and for its owner alone.
func (id *Identity) save(dir string) error {
	path := filepath.Join(dir, identityName)
	data, err := json.MarshalIndent(id, "", "  ")
	if err != nil {
		return identityError(path, err)
	}
	f, err := writeNew(path, append(data, '\n'))
	if err != nil {
		return identityError(path, err)
	}
	if err := errors.Join(f.Close(), syncDir(dir)); err != nil {
		return identityError(path, err)
	}
	return nil
}

func identityError(path string, err error) error {
	return &nod.Error{
		Code:    nod.CodeStorage,
		Message: "the phone's identity " + path + " cannot be read or written",
		Hint:    "see that the folder is yours and not full; if the file is damaged, remove the folder and pair the phone again",
		Err:     err,
	}
}

// keys returns the phone's own key and the gateway's.
func (id *Identity) keys() (*wire.Key, wire.PublicKey, error) {
	der, err := wire.Decode64(id.Key)
	if err != nil {
		return nil, nil, err
	}
	own, err := wire.ParseKey(der)
	if err != nil {
		return nil, nil, err
	}
	raw, err := wire.Decode64(id.GatewayKey)
	if err != nil {
		return nil, nil, err
	}
	gateway, err := wire.ParsePublic(raw)
	if err != nil {
		return nil, nil, err
	}
	return own, gateway, nil
}

// linkURL is where the gateway's end of the socket is.
func (id *Identity) linkURL() (string, error) {
	u, err := url.Parse(id.Gateway)
	if err != nil {
		return "", err
	}
	switch u.Scheme {
	case "http":
		u.Scheme = "ws"
	case "https":
		u.Scheme = "wss"
	default:
		return "", nod.Errorf(nod.CodeInvalid, "the gateway's address "+id.Gateway+" is neither http nor https", "pair the phone again")
	}
	return u.JoinPath("link").String(), nil
}

// Forget removes a phone's key and its memory from its folder, the key first:
// what a phone does once it was removed from nod.
func Forget(dir string) error {
	for _, name := range []string{identityName, journalName, lockName} {
		if err := os.Remove(filepath.Join(dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return identityError(filepath.Join(dir, name), err)
		}
	}
	return syncDir(dir)
}
