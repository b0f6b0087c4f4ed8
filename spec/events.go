package spec

// Events is events.json: every frame on the link and every entry of the log.
type Events struct {
	Version int64   `json:"version"`
	Frames  []Frame `json:"frames"`
	Records []Note  `json:"records"` // what a signed record can be
	Log     []Note  `json:"log"`     // what an entry can be
}

// Frame describes one kind of frame.
type Frame struct {
	Kind      string   `json:"kind"`
	Direction string   `json:"direction"` // to_gateway, to_phone or both
	Signed    bool     `json:"signed"`    // it has a body and a signature
	Fields    []string `json:"fields"`    // of the envelope, besides kind, body and sig
	Body      []string `json:"body"`      // of the signed body
	About     string   `json:"about"`
}

// Note names a kind and says what it is.
type Note struct {
	Kind  string   `json:"kind"`
	Facts []string `json:"facts"` // what an entry of this kind tells besides its time and its ids
	About string   `json:"about"`
}
