package host

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"nod.dev/nod"
	"nod.dev/nod/internal/host/device"
)

// Times of an upload: one that is not answered is tried again, more slowly each
// time, as long as the result may still come.
const (
	uploadTry   = 20 * time.Second
	uploadPause = 500 * time.Millisecond
)

// upload sends the nth blob of a call, by the token of its go.
func (h *host) upload(ctx context.Context, card Card, n int, b device.Blob) error {
	at, err := url.JoinPath(h.cfg.Identity.Gateway, "link", "blob", string(card.Call), strconv.Itoa(n))
	if err != nil {
		return err
	}
	if card.upload == "" {
		return nod.Errorf(nod.CodeForbidden, "the gateway allowed no blobs with this call", "")
	}
	for pause, again := uploadPause, false; ; pause, again = 2*pause, true {
		status, err := h.put(ctx, at, card.upload, b)
		switch {
		case err == nil && status == http.StatusNoContent:
			return nil
		case err == nil && status == http.StatusConflict && again:
			return nil // the first one arrived, and its answer did not
		case err == nil && status < 500 && status != http.StatusTooManyRequests && status != http.StatusRequestTimeout:
			return nod.Errorf(nod.CodeForbidden, fmt.Sprintf("the gateway answered %d", status), "")
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
	}
}

func (h *host) put(ctx context.Context, at, token string, b device.Blob) (status int, err error) {
	ctx, cancel := context.WithTimeout(ctx, uploadTry)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPut, at, bytes.NewReader(b.Bytes))
	if err != nil {
		return 0, err
	}
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Content-Type", b.Mime)
	resp, err := h.cfg.Client.Do(req)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, 64<<10)) // so that the connection can be used again
	return resp.StatusCode, nil
}
