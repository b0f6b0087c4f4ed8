package client

import (
	"bufio"
	"io"
	"iter"
	"strings"
)

// maxEvent bounds one line of an event stream.
const maxEvent = 1 << 20

// block is one event of a stream of Server-Sent Events, as it came (WHATWG HTML,
// section 9.2.6).
type block struct{ id, kind, data string }

// blocks reads a stream. heard is called for each line, those that say nothing
// too. The error, if the stream did not just end, comes last.
func blocks(r io.Reader, heard func()) iter.Seq2[block, error] {
	return func(yield func(block, error) bool) {
		lines := bufio.NewScanner(r)
		lines.Buffer(make([]byte, 0, 4096), maxEvent)
		var b block
		for lines.Scan() {
			heard()
			line := lines.Text()
			if line == "" {
				if b.data != "" && !yield(b, nil) {
					return
				}
				b = block{}
				continue
			}
			field, value, _ := strings.Cut(line, ":")
			value = strings.TrimPrefix(value, " ")
			switch field {
			case "id":
				b.id = value
			case "event":
				b.kind = value
			case "data":
				if b.data != "" {
					b.data += "\n"
				}
				b.data += value
			}
		}
		if err := lines.Err(); err != nil {
			yield(block{}, err)
		}
	}
}
