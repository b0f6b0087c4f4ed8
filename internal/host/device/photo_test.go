package device

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"math/rand/v2"
	"testing"

	"nod.dev/nod/internal/wire"
)

// noisy is a picture that does not shrink well, of four colours in its corners.
func noisy(w, h int, noise int) *image.RGBA {
	m := image.NewRGBA(image.Rect(0, 0, w, h))
	r := rand.New(rand.NewPCG(1, 2))
	for y := range h {
		for x := range w {
			c := color.RGBA{A: 255, R: 200 * uint8(2*x/w), G: 200 * uint8(2*y/h)}
			c.B = uint8(r.IntN(noise + 1))
			m.SetRGBA(x, y, c)
		}
	}
	return m
}

// corner is what a corner is like, of red and of green: 1 where there is much.
func corner(m image.Image, right, bottom int) [2]int {
	b := m.Bounds()
	r, g, _, _ := m.At(b.Min.X+b.Dx()/4+right*b.Dx()/2, b.Min.Y+b.Dy()/4+bottom*b.Dy()/2).RGBA()
	return [2]int{int(r >> 15), int(g >> 15)}
}

func encode(t *testing.T, m image.Image) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := jpeg.Encode(&out, m, &jpeg.Options{Quality: 100}); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// turnedBy puts an EXIF segment with an orientation and a place name into a JPEG.
func turnedBy(picture []byte, turn uint16) []byte {
	tiff := []byte("MM\x00\x2a\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01")
	tiff = binary.BigEndian.AppendUint16(tiff, turn)
	tiff = append(tiff, "\x00\x00\x00\x00\x00\x00Rua Secreta 7"...)
	segment := append([]byte("Exif\x00\x00"), tiff...)
	out := append([]byte{0xff, 0xd8, 0xff, 0xe1}, binary.BigEndian.AppendUint16(nil, uint16(len(segment)+2))...)
	return append(append(out, segment...), picture[2:]...)
}

func TestFitPhoto(t *testing.T) {
	var transparent bytes.Buffer
	if err := png.Encode(&transparent, image.NewNRGBA(image.Rect(0, 0, 40, 20))); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name    string
		picture []byte
		w, h    int
		aim     int // 0 for the usual one
	}{
		{"small", encode(t, noisy(64, 48, 0)), 64, 48, 0},
		{"wide", encode(t, noisy(2000, 100, 0)), 1568, 78, 0},
		{"tall", encode(t, noisy(100, 2000, 0)), 78, 1568, 0},
		{"too many bytes", encode(t, noisy(128, 64, 255)), 72, 36, 1 << 10},
		{"a line", encode(t, noisy(4000, 1, 0)), 1568, 1, 0},
		{"a drawing", transparent.Bytes(), 40, 20, 0},
	} {
		if c.aim == 0 {
			c.aim = photoAim
		}
		b, err := fitPhoto(3, c.picture, c.aim)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		m, kind, err := image.Decode(bytes.NewReader(b.Bytes))
		if err != nil || kind != "jpeg" || b.Mime != "image/jpeg" || b.Name != "photo-3.jpg" {
			t.Errorf("%s: %s %s (%v)", c.name, kind, b.Name, err)
			continue
		}
		size := m.Bounds()
		if size.Dx() != b.Width || size.Dy() != b.Height || max(b.Width, b.Height) > PhotoSide || len(b.Bytes) > c.aim {
			t.Errorf("%s: it is %v and said to be %dx%d, %d bytes", c.name, size, b.Width, b.Height, len(b.Bytes))
		}
		if b.Width != c.w || b.Height != c.h {
			t.Errorf("%s: %dx%d, want %dx%d", c.name, b.Width, b.Height, c.w, c.h)
		}
		if err := b.Signed().Check(b.Bytes); err != nil || len(b.Bytes) > wire.MaxBlob {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	for name, bad := range map[string][]byte{
		"nothing": nil, "text": []byte("no picture"), "cut": encode(t, noisy(64, 48, 0))[:300],
		"a bomb": []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x01\x00\x00\x00\x01\x00\x00\x08\x06\x00\x00\x00\xab\x12\x34\x56"),
	} {
		if _, err := FitPhoto(1, bad); err == nil {
			t.Errorf("%s is a photo", name)
		}
	}
}

// TestPhotoIsUpright holds for each way a camera can be held that the picture
// comes out upright, and that nothing of what the camera noted comes along.
func TestPhotoIsUpright(t *testing.T) {
	upright := noisy(80, 40, 0)
	for turn := 1; turn <= 8; turn++ {
		// What the sensor saw: the picture that the turn makes upright.
		w, h := 80, 40
		if turn >= 5 {
			w, h = h, w
		}
		sensor := image.NewRGBA(image.Rect(0, 0, w, h))
		for y := range 40 {
			for x := range 80 {
				sx, sy := x, y
				switch turn { // EXIF's own words: where the picture's first row and column are
				case 2: // top, right
					sx = 79 - x
				case 3: // bottom, right
					sx, sy = 79-x, 39-y
				case 4: // bottom, left
					sy = 39 - y
				case 5: // left, top
					sx, sy = y, x
				case 6: // right, top
					sx, sy = y, 79-x
				case 7: // right, bottom
					sx, sy = 39-y, 79-x
				case 8: // left, bottom
					sx, sy = 39-y, x
				}
				sensor.Set(sx, sy, upright.At(x, y))
			}
		}
		b, err := FitPhoto(1, turnedBy(encode(t, sensor), uint16(turn)))
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(b.Bytes, []byte("Secreta")) || bytes.Contains(b.Bytes, []byte("Exif")) {
			t.Errorf("turn %d: what the camera noted came along", turn)
		}
		m, err := jpeg.Decode(bytes.NewReader(b.Bytes))
		if err != nil {
			t.Fatal(err)
		}
		if b.Width != 80 || b.Height != 40 {
			t.Errorf("turn %d: %dx%d", turn, b.Width, b.Height)
		}
		for _, at := range [][2]int{{0, 0}, {1, 0}, {0, 1}, {1, 1}} {
			if got := corner(m, at[0], at[1]); got != at {
				t.Errorf("turn %d: the corner %v is %v", turn, at, got)
			}
		}
	}
}

func FuzzOrientation(f *testing.F) {
	f.Add(turnedBy([]byte{0xff, 0xd8, 0xff, 0xda}, 6))
	f.Add([]byte{0xff, 0xd8, 0xff, 0xe1, 0, 8})
	f.Fuzz(func(t *testing.T, picture []byte) {
		if turn := orientation(picture); turn < 1 || turn > 8 {
			t.Errorf("it is turned by %d", turn)
		}
	})
}
