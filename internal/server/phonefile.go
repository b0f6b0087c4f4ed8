package server

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"time"

	"nod.dev/nod"
)

// A calendar takes a file that was served over https, and an iPhone takes it in
// no other way. The phone leaves the file here and opens its address.

const (
	fileTTL       = 2 * time.Minute
	filesAPhone   = 4
	filesTogether = 256
	// maxFile is the largest such file, in bytes.
	maxFile = 16 << 10
)

// fileTypes are the media types that can be left, with the ending their names
// have. A page or a script of this origin must not be among them.
var fileTypes = map[string]string{"text/calendar": ".ics"}

var fileName = regexp.MustCompile(`^[A-Za-z0-9_-][A-Za-z0-9._-]{0,59}$`)

// phoneFile is a file that a phone left.
type phoneFile struct {
	name, kind, text string
}

// phonePutFile keeps a file for two minutes: POST /phone/file.
func (s *Server) phonePutFile(w http.ResponseWriter, r *http.Request, phone nod.Phone) {
	var q struct {
		Name string `json:"name"`
		Type string `json:"type"`
		Text string `json:"text"`
	}
	err := decode(w, r, &q)
	if err == nil {
		err = checkFile(q.Name, q.Type, q.Text)
	}
	if err != nil {
		s.fail(w, r, err)
		return
	}
	token, ok := s.files.put(phone.ID, phoneFile{q.Name, q.Type, q.Text})
	if !ok {
		s.fail(w, r, nod.Errorf(nod.CodeTooMany, "too many files wait to be opened", "try again in two minutes"))
		return
	}
	answer(w, http.StatusOK, map[string]string{"path": "/file/" + token + "/" + url.PathEscape(q.Name)})
}

func checkFile(name, kind, text string) error {
	ending, ok := fileTypes[kind]
	switch {
	case !ok:
		return nod.Errorf(nod.CodeInvalid, "files of this type are not kept", "text/calendar is")
	case !fileName.MatchString(name) || len(name) <= len(ending) || name[len(name)-len(ending):] != ending:
		return nod.Errorf(nod.CodeInvalid, "this is no name for the file", "letters, digits, dots and hyphens, at most 60, and "+ending+" at the end")
	case text == "" || len(text) > maxFile:
		return nod.Errorf(nod.CodeTooLarge, fmt.Sprintf("the file is empty or larger than %d KiB", maxFile>>10), "")
	}
	return nil
}

// serveDeposit answers a file that a phone left, to whoever knows its address:
// GET /file/{token}/{name}. A calendar may fetch it more than once.
func (s *Server) serveDeposit(w http.ResponseWriter, r *http.Request) {
	var f phoneFile
	err := s.guessing(r, func() error {
		found := s.files.use(r.PathValue("token"), func(_ nod.PhoneID, kept *phoneFile) { f = *kept })
		if !found || f.name != r.PathValue("name") {
			return nod.Errorf(nod.CodeNotFound, "this file is not here any more", "do it again in nod")
		}
		return nil
	})
	if err != nil {
		s.fail(w, r, err)
		return
	}
	w.Header().Set("Referrer-Policy", "no-referrer")
	handFile(w, r, f.kind+"; charset=utf-8", `inline; filename="`+f.name+`"`, []byte(f.text))
}
