package wire

import (
	"fmt"

	"nod.dev/nod"
)

// EncodeFrame writes a frame as canonical JSON, at most [MaxFrame] bytes.
func EncodeFrame(f Frame) ([]byte, error) {
	if f.Kind == "" {
		return nil, errNoKind
	}
	b, err := Canonical(f)
	if err != nil {
		return nil, err
	}
	if len(b) > MaxFrame {
		return nil, frameTooLarge(len(b))
	}
	return b, nil
}

// ParseFrame reads a frame strictly: at most [MaxFrame] bytes, an object with a
// kind. Keys that it does not know are ignored, kinds that it does not know are
// for the caller to ignore; neither is an error, so that a newer side may add
// some (design section 3, "Decoding").
func ParseFrame(data []byte) (Frame, error) {
	if len(data) > MaxFrame {
		return Frame{}, frameTooLarge(len(data))
	}
	var f Frame
	if err := Decode(data, &f); err != nil {
		return Frame{}, err
	}
	if f.Kind == "" {
		return Frame{}, errNoKind
	}
	return f, nil
}

var errNoKind = nod.Errorf(nod.CodeInvalid, "the frame has no kind", "every frame is an object with a kind")

func frameTooLarge(n int) error {
	return nod.Errorf(nod.CodeTooLarge, fmt.Sprintf("the frame has %d bytes; at most %d are allowed", n, MaxFrame), "")
}
