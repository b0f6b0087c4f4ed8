package host

import (
	"context"
	"errors"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"

	"nod.dev/nod"
	"nod.dev/nod/internal/wire"
)

// Subprotocol is the WebSocket subprotocol of the link.
const Subprotocol = "nod.1"

// Conn is one connection to the gateway, frame by frame. Read and Write may be
// called at the same time, each by one goroutine.
type Conn interface {
	Read(ctx context.Context) (wire.Frame, error)
	Write(ctx context.Context, f wire.Frame) error
	// Close says why, in a few words, and ends Read and Write.
	Close(reason string) error
}

// Dialer connects to the gateway's link.
type Dialer func(ctx context.Context, url string) (Conn, error)

// DialWebSocket is the [Dialer] of real life. client may be nil.
func DialWebSocket(client *http.Client) Dialer {
	return func(ctx context.Context, url string) (Conn, error) {
		ctx, cancel := context.WithTimeout(ctx, 15*time.Second)
		defer cancel()
		socket, _, err := websocket.Dial(ctx, url, &websocket.DialOptions{
			HTTPClient:   client,
			Subprotocols: []string{Subprotocol},
		})
		if err != nil {
			return nil, err
		}
		if socket.Subprotocol() != Subprotocol {
			socket.CloseNow()
			return nil, nod.Errorf(nod.CodeInvalid, "what answers at "+url+" does not speak "+Subprotocol, "see that the address is a nod gateway's")
		}
		socket.SetReadLimit(wire.MaxFrame)
		return &socketConn{socket: socket}, nil
	}
}

type socketConn struct {
	socket *websocket.Conn
	// over is set once the socket failed: there is nobody to say goodbye to, and
	// to wait for an answer would keep the next connection waiting.
	over atomic.Bool
}

func (c *socketConn) Read(ctx context.Context) (wire.Frame, error) {
	kind, data, err := c.socket.Read(ctx)
	if err != nil {
		c.over.Store(true)
		return wire.Frame{}, closedBecause(err)
	}
	if kind != websocket.MessageText {
		return wire.Frame{}, nod.Errorf(nod.CodeInvalid, "the gateway sent a frame that is not text", "")
	}
	return wire.ParseFrame(data)
}

func (c *socketConn) Write(ctx context.Context, f wire.Frame) error {
	data, err := wire.EncodeFrame(f)
	if err != nil {
		return err
	}
	return c.socket.Write(ctx, websocket.MessageText, data)
}

func (c *socketConn) Close(reason string) error {
	if c.over.Load() {
		return c.socket.CloseNow()
	}
	return c.socket.Close(websocket.StatusNormalClosure, cut(reason, 100))
}

// closedBecause keeps the gateway's own words where it closed the link.
func closedBecause(err error) error {
	var closed websocket.CloseError
	if errors.As(err, &closed) && closed.Reason != "" {
		return &nod.Error{Code: nod.CodeForbidden, Message: "the gateway closed the link: " + closed.Reason, Err: err}
	}
	return err
}
