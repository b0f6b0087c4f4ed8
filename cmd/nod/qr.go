package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	"rsc.io/qr"
)

// quiet is the white border that a scanner needs, in modules.
const quiet = 4

// printQR draws text as a QR code in half blocks: two rows of modules a line.
// The colours are set, black on white, so that it scans on any terminal.
func printQR(w io.Writer, text string) error {
	code, err := qr.Encode(text, qr.M)
	if err != nil {
		return fmt.Errorf("drawing the QR code: %w", err)
	}
	black := func(x, y int) bool {
		x, y = x-quiet, y-quiet
		return x >= 0 && y >= 0 && x < code.Size && y < code.Size && code.Black(x, y)
	}
	size := code.Size + 2*quiet
	var b strings.Builder
	for y := 0; y < size; y += 2 {
		b.WriteString("\x1b[30;107m")
		for x := range size {
			b.WriteRune(halfBlock(black(x, y), black(x, y+1)))
		}
		b.WriteString("\x1b[0m\n")
	}
	_, err = io.WriteString(w, b.String())
	return err
}

func halfBlock(top, bottom bool) rune {
	switch {
	case top && bottom:
		return '█'
	case top:
		return '▀'
	case bottom:
		return '▄'
	}
	return ' '
}

// isTerminal reports whether what is written to w is seen by somebody.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
