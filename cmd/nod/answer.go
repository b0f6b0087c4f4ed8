package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"nod.dev/nod"
	"nod.dev/nod/client"
	"nod.dev/nod/internal/fence"
	"nod.dev/nod/spec"
)

// answerFlags say what of a call's answer goes where.
type answerFlags struct {
	Raw  bool   `help:"Print only the JSON that the phone read or gave back, for scripts; all else goes to stderr."`
	Save string `help:"Fetch photos into this folder, each into a file of its own and never over one that is there." type:"path" placeholder:"DIR"`
}

// answered is a call with where its photos were saved.
type answered struct {
	client.Call
	Saved []string `json:"saved,omitempty"`
}

// show prints what became of a call, and saves its photos where that is wanted.
// An answer whose photos cannot be saved is printed all the same.
func (f answerFlags) show(p *program, agent *client.Client, call client.Call) error {
	out := answered{Call: call}
	var saveErr error
	if f.Save != "" {
		out.Saved, saveErr = savePhotos(p, agent, call, f.Save)
	}
	return errors.Join(f.print(p, out), saveErr)
}

func (f answerFlags) print(p *program, out answered) error {
	switch {
	case f.Raw:
		for _, name := range out.Saved {
			p.say("saved %s", name)
		}
		if out.Data == "" {
			_, err := fmt.Fprintln(p.stderr, out.Text)
			return err
		}
		// Others wrote what is in it: it is printed without what a terminal obeys.
		_, err := fmt.Fprintln(p.stdout, fence.Clean(out.Data))
		return err
	case p.global.JSON && len(out.Saved) > 0:
		return p.printJSON(out)
	case p.global.JSON:
		return p.printJSON(out.Call)
	}
	lines := []string{out.Text}
	for n, a := range out.Attachments {
		lines = append(lines, spec.Get().Text(spec.TextPhoto, map[string]string{
			"count": strconv.Itoa(n + 1), "total": strconv.Itoa(len(out.Attachments)),
			"path": a.Path, "url": strings.TrimRight(p.global.URL, "/") + a.URL,
		}))
	}
	for _, name := range out.Saved {
		lines = append(lines, "Saved as "+name)
	}
	_, err := fmt.Fprintln(p.stdout, strings.Join(lines, "\n"))
	return err
}

// ready makes the folder for photos, so that nobody picks what cannot be kept.
func (f answerFlags) ready() error {
	if f.Save == "" {
		return nil
	}
	err := os.MkdirAll(f.Save, 0o700)
	if err == nil {
		var probe *os.File
		if probe, err = os.CreateTemp(f.Save, ".nod-*"); err == nil {
			err = errors.Join(probe.Close(), os.Remove(probe.Name()))
		}
	}
	if err != nil {
		return &nod.Error{Code: nod.CodeInvalid, Message: "photos cannot be saved in " + f.Save, Hint: "name a folder of yours with --save", Err: err}
	}
	return nil
}

// savePhotos fetches a call's photos into a folder. It returns the files it made,
// also where a later one could not be.
func savePhotos(p *program, agent *client.Client, call client.Call, folder string) ([]string, error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, fmt.Errorf("saving the photos: %w", err)
	}
	defer root.Close()
	var saved []string
	for n, a := range call.Attachments {
		photo, err := agent.Attachment(p.ctx, call.ID, n)
		if err != nil {
			return saved, err
		}
		name, err := saveNew(root, photoName(a, n), photo)
		if err != nil {
			return saved, fmt.Errorf("saving photo %d: %w", n+1, err)
		}
		saved = append(saved, filepath.Join(folder, name))
	}
	return saved, nil
}

// plainName is what a file may be called, whoever named it.
var plainName = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9._-]{0,99}$`)

func photoName(a client.Attachment, n int) string {
	if plainName.MatchString(a.Name) {
		return a.Name
	}
	ext := map[string]string{"image/png": ".png", "image/webp": ".webp"}[a.Mime]
	return fmt.Sprintf("photo-%d%s", n+1, cmp.Or(ext, ".jpg"))
}

// saveNew writes a file that was not there, for this account alone. One of that
// name stays, and the new one gets a number.
func saveNew(root *os.Root, name string, content []byte) (string, error) {
	base, ext := strings.TrimSuffix(name, filepath.Ext(name)), filepath.Ext(name)
	for n := 2; ; n++ {
		file, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if errors.Is(err, fs.ErrExist) && n < 10000 {
			name = fmt.Sprintf("%s-%d%s", base, n, ext)
			continue
		}
		if err != nil {
			return "", err
		}
		_, err = file.Write(content)
		if err = errors.Join(err, file.Close()); err != nil {
			_ = root.Remove(name) // half a photo is none
		}
		return name, err
	}
}

// nothingRead reports whether a read that the phone carried out was not handed
// over: it is not kept any longer, or the agent may not have it any more.
func nothingRead(c client.Call) bool {
	t, ok := spec.Get().Tool(c.Tool)
	return ok && c.Outcome == nod.Done && t.Kind == nod.Read && !t.Gateway && c.Data == ""
}
