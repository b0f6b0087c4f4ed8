package mcptask

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Install adds the extension to a server: its methods, answered from ledger,
// its capability, and tool calls that answer with a task (see [Answer]). It
// comes after every other receiving middleware. The logger hears of errors that
// clients are told to be internal.
func Install(server *mcp.Server, ledger Ledger, logger *slog.Logger) {
	e := &extension{ledger: ledger, log: logger}
	add(server, methodGet, e.get)
	add(server, methodUpdate, e.update)
	add(server, methodCancel, e.cancel)
	server.AddReceivingMiddleware(e.receive)
}

// add registers a method. It panics for a name that the library has itself: then
// the library speaks the extension, and this package is to go.
func add(server *mcp.Server, method string, handler func(context.Context, *params) (*result, error)) {
	err := mcp.AddReceivingCustomMethod(server, method,
		func(ctx context.Context, _ *mcp.ServerSession, p *params) (*result, error) { return handler(ctx, p) })
	if err != nil {
		panic(err)
	}
}

type extension struct {
	ledger Ledger
	log    *slog.Logger
}

// params are those of every method of the extension. They are read late: what
// is wrong with them is the client's error, with the code that says so.
type params struct {
	mcp.ParamsBase
	TaskID         json.RawMessage `json:"taskId"`
	InputResponses json.RawMessage `json:"inputResponses"`
}

// extraKey is where a method's handler finds what came with its request.
type extraKey struct{}

// Extra is what came with the request that a [Ledger] is asked for: the token,
// and the headers by which an HTTP exchange is known. It is nil for none.
func Extra(ctx context.Context) *mcp.RequestExtra {
	extra, _ := ctx.Value(extraKey{}).(*mcp.RequestExtra)
	return extra
}

// receive stands before the library's own handling of every message.
func (e *extension) receive(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		switch {
		case method == "tools/call" && Declared(req):
			s := &slot{}
			res, err := next(context.WithValue(ctx, slotKey{}, s), method, req)
			if err == nil && s.task != nil {
				return created(*s.task), nil
			}
			return res, err
		case method == "server/discover":
			res, err := next(ctx, method, req)
			if d, ok := res.(*mcp.DiscoverResult); ok && err == nil && d.Capabilities != nil {
				d.Capabilities.AddExtension(Extension, nil)
			}
			return res, err
		case !Named(method):
			return next(ctx, method, req)
		case !current(req):
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: fmt.Sprintf("%q needs the revision %s", method, firstRevision)}
		case !Declared(req):
			return nil, Missing()
		}
		return next(context.WithValue(ctx, extraKey{}, req.GetExtra()), method, req)
	}
}

func (e *extension) get(ctx context.Context, p *params) (*result, error) {
	id, err := p.id()
	if err != nil {
		return nil, err
	}
	t, err := e.ledger.Get(ctx, user(ctx), id)
	if err != nil {
		return nil, e.problem(ctx, methodGet, err)
	}
	r, err := detailed(t)
	if err != nil {
		return nil, e.problem(ctx, methodGet, err)
	}
	return r, nil
}

func (e *extension) update(ctx context.Context, p *params) (*result, error) {
	id, err := p.id()
	if err != nil {
		return nil, err
	}
	var responses map[string]any
	if json.Unmarshal(p.InputResponses, &responses) != nil || responses == nil {
		return nil, invalid("inputResponses must be an object")
	}
	if err := e.ledger.Update(ctx, user(ctx), id, responses); err != nil {
		return nil, e.problem(ctx, methodUpdate, err)
	}
	return acknowledged(), nil
}

func (e *extension) cancel(ctx context.Context, p *params) (*result, error) {
	id, err := p.id()
	if err != nil {
		return nil, err
	}
	if err := e.ledger.Cancel(ctx, user(ctx), id); err != nil {
		return nil, e.problem(ctx, methodCancel, err)
	}
	return acknowledged(), nil
}

// id is the task that a request is about.
func (p *params) id() (string, error) {
	var id string
	if p == nil || json.Unmarshal(p.TaskID, &id) != nil || id == "" {
		return "", invalid("taskId must be the id of a task")
	}
	return id, nil
}

// user is who the request's token belongs to.
func user(ctx context.Context) string {
	if extra := Extra(ctx); extra != nil && extra.TokenInfo != nil {
		return extra.TokenInfo.UserID
	}
	return ""
}

// problem is a ledger's error as the client is told it.
func (e *extension) problem(ctx context.Context, method string, err error) error {
	var told *jsonrpc.Error
	switch {
	case errors.Is(err, ErrUnknown):
		return invalid(ErrUnknown.Error())
	case errors.As(err, &told):
		return told
	}
	e.log.LogAttrs(ctx, slog.LevelError, "a task could not be served", slog.String("method", method), slog.Any("err", err))
	return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "the task could not be served; ask again"}
}

func invalid(text string) error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: text}
}
