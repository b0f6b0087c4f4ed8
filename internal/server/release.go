package server

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"nod.dev/nod"
	"nod.dev/nod/client"
	"nod.dev/nod/internal/fence"
	"nod.dev/nod/internal/gateway"
	"nod.dev/nod/spec"
)

// release is what a call's agent is given in the answer to a question about that
// one call: how it ended and, where the phone read something, that. Lists, events
// and the log hold none of it.
type release struct {
	// text is all that the agent is told, with what was read between its marks.
	text string
	// data is what was read, as the phone sent it; files are what came with it.
	data  string
	files []gateway.ReleasedBlob
	// whole is true unless something is there that the agent was not given.
	whole bool
}

// release takes what the phone read for a call that has ended, the one way there
// is. What is withheld from its agent, or gone, is said in words; an error is
// nod's own fault.
func (s *Server) release(ctx context.Context, c nod.Call) (release, error) {
	out := release{text: s.told(c), whole: true}
	if !c.Final() || !c.Data {
		return out, nil
	}
	got, err := s.gateway.Release(ctx, c.Agent, c.ID)
	switch {
	case nod.CodeOf(err) == nod.CodeForbidden:
		out.text, out.whole = s.withheld(err), false
	case err != nil:
		return out, err
	case got.Gone && c.Kind == nod.Act:
		// That it was done is the whole truth of it.
	case got.Gone:
		out.text = s.spec.Text(spec.TextDoneDataGone, nil)
	default:
		out.data, out.files = got.Text, got.Blobs
		out.text += "\n\n" + s.spec.Text(spec.TextDataLabel, nil) + "\n" + fence.Wrap(rand.Text(), got.Text)
	}
	return out, nil
}

// withheld says that and why what a phone read is not handed out.
func (s *Server) withheld(err error) string {
	_, why := explain(err)
	return s.spec.Text(spec.TextDataWithheld, map[string]string{"reason": sentence(why)})
}

// sentence is an error for whoever reads a text.
func sentence(problem client.Error) string {
	text := problem.Message + "."
	if problem.Hint != "" {
		text += " What to do: " + problem.Hint + "."
	}
	return text
}

// maxResult bounds a whole answer over MCP, in bytes: clients are known that
// refuse one of more than a mebibyte (mobile-mcp#87), and its picture with it.
const maxResult = 1_000_000

// envelope is what an answer has beside its content, at the most: the message it
// is in, or the task.
const envelope = 4 << 10

// contents is what was released as MCP carries it: the text, then a sentence for
// each picture and the picture itself, as long as there is room for it. Each can
// be fetched by its link as well, for the clients that show no pictures.
func (s *Server) contents(c nod.Call, out release) []mcp.Content {
	list := []mcp.Content{&mcp.TextContent{Text: out.text}}
	if len(out.files) == 0 {
		return list
	}
	left := maxResult - envelope - size(list[0])
	said := make([][2]*mcp.TextContent, len(out.files)) // with the picture, and without
	for n, f := range out.files {
		said[n] = [2]*mcp.TextContent{s.photoText(spec.TextPhoto, c, f, n, len(out.files)), s.photoText(spec.TextPhotoNotHere, c, f, n, len(out.files))}
		left -= max(size(said[n][0]), size(said[n][1]))
	}
	for n, f := range out.files {
		cost := base64.StdEncoding.EncodedLen(len(f.Bytes)) + size(&mcp.ImageContent{MIMEType: f.Mime})
		if cost > left {
			list = append(list, said[n][1])
			continue
		}
		left -= cost
		list = append(list, said[n][0], &mcp.ImageContent{Data: f.Bytes, MIMEType: f.Mime})
	}
	return list
}

// size is how many bytes a content takes in an answer.
func size(c mcp.Content) int {
	b, err := json.Marshal(c)
	if err != nil {
		return maxResult // then nothing has room beside it
	}
	return len(b) + len(",")
}

// photoText says where the nth picture is. Nothing in it is the phone's own word:
// the gateway names what it keeps.
func (s *Server) photoText(key string, c nod.Call, f gateway.ReleasedBlob, n, total int) *mcp.TextContent {
	return &mcp.TextContent{Text: s.spec.Text(key, map[string]string{
		"count": strconv.Itoa(n + 1), "total": strconv.Itoa(total), "path": f.Path, "url": s.base() + attachmentPath(c.ID, n),
	})}
}

// attachmentPath is where the HTTP API has the nth file of a call.
func attachmentPath(id nod.CallID, n int) string {
	return fmt.Sprintf("/v1/calls/%s/attachments/%d", id, n)
}

// albumsTogether is how many answers can be made at one time of calls that brought
// pictures: each has all of them in memory until it stands.
const albumsTogether = 4

// album waits until there is room for all that a call brought.
func (s *Server) album(ctx context.Context, c nod.Call) (leave func(), err error) {
	if tool, _ := s.spec.Tool(c.Tool); !c.Data || tool.Blobs == 0 {
		return func() {}, nil
	}
	select {
	case s.albums <- struct{}{}:
		return func() { <-s.albums }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// single is the answer of the HTTP API to a question about one call, and whether
// it holds all that there is to be told.
func (s *Server) single(ctx context.Context, c nod.Call) (client.Call, bool, error) {
	leave, err := s.album(ctx, c)
	if err != nil {
		return client.Call{}, false, err
	}
	defer leave()
	out, err := s.release(ctx, c)
	if err != nil {
		return client.Call{}, false, err
	}
	v := s.view(c)
	v.Text, v.Data = out.text, out.data
	for n, f := range out.files {
		v.Attachments = append(v.Attachments, client.Attachment{
			Name: f.Name, Path: f.Path, Mime: f.Mime, Bytes: len(f.Bytes), Width: f.Width, Height: f.Height, URL: attachmentPath(c.ID, n),
		})
	}
	return v, out.whole, nil
}

// result is a call as MCP answers it, the whole truth as text, and whether it is
// all that there is to be told.
func (s *Server) result(ctx context.Context, c nod.Call) (r *mcp.CallToolResult, whole bool, err error) {
	leave, err := s.album(ctx, c)
	if err != nil {
		return nil, false, err
	}
	defer leave()
	out, err := s.release(ctx, c)
	if err != nil {
		return nil, false, err
	}
	return about(c, &mcp.CallToolResult{Content: s.contents(c, out), IsError: isError(c)}), out.whole, nil
}
