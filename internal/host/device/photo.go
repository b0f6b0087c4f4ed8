package device

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	_ "image/gif" // what people have in their photos
	"image/jpeg"
	_ "image/png" // likewise

	"nod.dev/nod"
	"nod.dev/nod/internal/wire"
)

// Sizes of a photo that is handed on (design section 3, "Reads").
const (
	// PhotoSide is the most pixels that a side may have.
	PhotoSide = 1568
	// photoAim is how many bytes a photo is made to have at most: as base64 it
	// still fits a message of a megabyte, which is all that some clients take.
	photoAim = 700 << 10
	// photoPixels is how large a picture is opened at all.
	photoPixels = 220_000_000
)

// Blob is a file that goes with a result.
type Blob struct {
	// Name is the phone's own word for it: "photo-1.jpg".
	Name string
	// Mime is one of [wire.BlobTypes].
	Mime          string
	Width, Height int
	Bytes         []byte
}

// Signed is the blob as a result's body names it.
func (b Blob) Signed() wire.Blob {
	return wire.Blob{
		Hash: wire.Encode64(wire.Digest(b.Bytes)), Bytes: int64(len(b.Bytes)), Mime: b.Mime,
		Name: b.Name, Width: int64(b.Width), Height: int64(b.Height),
	}
}

// FitPhoto makes the nth photo of a result from a picture as the phone keeps
// it: upright, no larger than may be handed on, and with nothing of what a
// camera notes beside it, the place above all.
func FitPhoto(n int, picture []byte) (Blob, error) { return fitPhoto(n, picture, photoAim) }

func fitPhoto(n int, picture []byte, aim int) (Blob, error) {
	config, _, err := image.DecodeConfig(bytes.NewReader(picture))
	if err != nil {
		return Blob{}, photoError("it is no picture that this phone can read")
	}
	if config.Width <= 0 || config.Height <= 0 || config.Width > photoPixels/config.Height {
		return Blob{}, photoError("it is too large to be opened")
	}
	decoded, _, err := image.Decode(bytes.NewReader(picture))
	if err != nil {
		return Blob{}, photoError("it is no picture that this phone can read")
	}
	// Scaled first: it is the smaller one that is turned.
	whole := upright(scaled(decoded, PhotoSide), orientation(picture))
	for side := max(whole.Rect.Dx(), whole.Rect.Dy()); ; side = max(1, side*3/4) {
		fitted := scaled(whole, side)
		for quality := 85; quality >= 55; quality -= 15 {
			var out bytes.Buffer
			if err := jpeg.Encode(&out, fitted, &jpeg.Options{Quality: quality}); err != nil {
				return Blob{}, err
			}
			if out.Len() <= aim {
				size := fitted.Bounds()
				return Blob{
					Name: fmt.Sprintf("photo-%d.jpg", n), Mime: "image/jpeg",
					Width: size.Dx(), Height: size.Dy(), Bytes: out.Bytes(),
				}, nil
			}
		}
	}
}

func photoError(why string) error {
	return nod.Errorf(nod.CodeInvalid, "a photo cannot be handed on: "+why, "")
}

// flat draws a part of a picture on white, which shows where it is transparent.
func flat(to *image.RGBA, from image.Image, part image.Rectangle) {
	at := image.Rect(0, 0, part.Dx(), part.Dy())
	draw.Draw(to, at, image.NewUniform(color.White), image.Point{}, draw.Src)
	draw.Draw(to, at, from, part.Min, draw.Over)
}

// scaled is a picture with at most side pixels on its longer side. Each is the
// mean of those it stands for. It takes a few rows at a time: the whole of a
// camera's picture in full colour is more than a small phone has room for.
func scaled(from image.Image, side int) *image.RGBA {
	b := from.Bounds()
	w, h := b.Dx(), b.Dy()
	switch {
	case max(w, h) <= side:
		same := image.NewRGBA(image.Rect(0, 0, w, h))
		flat(same, from, b)
		return same
	case w >= h:
		w, h = side, max(1, h*side/w)
	default:
		w, h = max(1, w*side/h), side
	}
	small := image.NewRGBA(image.Rect(0, 0, w, h))
	rows := image.NewRGBA(image.Rect(0, 0, b.Dx(), (b.Dy()+h-1)/h))
	for y := range h {
		top, bottom := y*b.Dy()/h, (y+1)*b.Dy()/h
		flat(rows, from, image.Rect(b.Min.X, b.Min.Y+top, b.Max.X, b.Min.Y+bottom))
		for x := range w {
			mean(small.Pix[small.PixOffset(x, y):], rows, image.Rect(x*b.Dx()/w, 0, (x+1)*b.Dx()/w, bottom-top))
		}
	}
	return small
}

// mean writes the mean colour of a part of a picture.
func mean(pixel []byte, from *image.RGBA, part image.Rectangle) {
	var r, g, b, n uint32
	for y := part.Min.Y; y < part.Max.Y; y++ {
		row := from.Pix[from.PixOffset(part.Min.X, y) : from.PixOffset(part.Max.X-1, y)+4]
		for i := 0; i < len(row); i += 4 {
			r, g, b, n = r+uint32(row[i]), g+uint32(row[i+1]), b+uint32(row[i+2]), n+1
		}
	}
	pixel[0], pixel[1], pixel[2], pixel[3] = uint8(r/n), uint8(g/n), uint8(b/n), 255
}

// upright turns a picture as its EXIF orientation says.
func upright(from *image.RGBA, orientation int) *image.RGBA {
	w, h := from.Bounds().Dx(), from.Bounds().Dy()
	if orientation >= 5 {
		w, h = h, w
	}
	if orientation < 2 || orientation > 8 {
		return from
	}
	to := image.NewRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			sx, sy := source(orientation, x, y, w, h)
			copy(to.Pix[to.PixOffset(x, y):to.PixOffset(x, y)+4], from.Pix[from.PixOffset(sx, sy):])
		}
	}
	return to
}

// source is where a pixel of the upright picture of w by h was.
func source(orientation, x, y, w, h int) (sx, sy int) {
	switch orientation {
	case 2:
		return w - 1 - x, y
	case 3:
		return w - 1 - x, h - 1 - y
	case 4:
		return x, h - 1 - y
	case 5:
		return y, x
	case 6:
		return y, w - 1 - x
	case 7:
		return h - 1 - y, w - 1 - x
	default: // 8
		return h - 1 - y, x
	}
}
