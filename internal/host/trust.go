package host

import (
	"nod.dev/nod"
	"nod.dev/nod/internal/wire"
)

// claim is a phone record that was read but not yet believed.
type claim struct {
	body   wire.PhoneBody
	signed wire.Signed
	key    wire.PublicKey
}

// trust works out which keys count: those whose records lead, signature by
// signature, to the one self-signed record that this phone's own leads to. That
// root is pinned when first seen, so a gateway cannot bring another one later.
func (m *Machine) trust() {
	claims := map[nod.PhoneID]claim{}
	for _, signed := range m.records {
		c, err := m.claimOf(signed)
		if err != nil {
			m.note("", "a phone record was dropped: "+err.Error())
			continue
		}
		claims[c.body.Phone] = c
	}
	m.phones = map[nod.PhoneID]wire.PublicKey{}
	own, ok := claims[m.self.Phone]
	if !ok || string(own.key.Bytes()) != string(m.self.Signer.Public()) {
		return
	}
	root, ok := rootOf(own, claims)
	if !ok || !m.pin(root) {
		return
	}
	for id, c := range claims {
		if r, ok := rootOf(c, claims); ok && r.body.Phone == root.body.Phone {
			m.phones[id] = c.key
		}
	}
}

// claimOf reads a phone record without believing it.
func (m *Machine) claimOf(signed wire.Signed) (claim, error) {
	c := claim{signed: signed}
	if signed.Kind != wire.RecordPhone {
		return c, nod.Errorf(nod.CodeInvalid, "it is a "+signed.Kind, "")
	}
	tree, err := wire.ParseCanonical([]byte(signed.Body))
	if err != nil {
		return c, err
	}
	if err := wire.Fill(tree, &c.body); err != nil {
		return c, err
	}
	raw, err := wire.Decode64(c.body.Key)
	if err != nil {
		return c, err
	}
	c.key, err = m.self.ParseKey(raw)
	return c, err
}

// rootOf follows a record's signatures to the self-signed one, each verified on
// the way; false where the chain is broken or runs in a circle.
func rootOf(c claim, claims map[nod.PhoneID]claim) (claim, bool) {
	for range len(claims) {
		signer, ok := claims[c.body.Signer]
		if !ok || c.signed.Verify(signer.key) != nil {
			return claim{}, false
		}
		if signer.body.Phone == c.body.Phone {
			return c, true
		}
		c = signer
	}
	return claim{}, false
}

// pin keeps the first root seen, and refuses any other.
func (m *Machine) pin(root claim) bool {
	if m.root == nil {
		r := Record{Kind: RecRoot, Phone: root.body.Phone, Key: root.body.Key}
		m.root = &r
		m.write(r)
		return true
	}
	if m.root.Phone != root.body.Phone || m.root.Key != root.body.Key {
		m.note("", "the phone records lead to another first phone than before; other screens do not count")
		return false
	}
	return true
}
