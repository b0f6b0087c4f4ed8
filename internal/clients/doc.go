// Package clients runs real MCP clients against nod, as the programs that people
// install, and holds what they give back to their model against what nod said.
//
// A client needs a model to talk to. [Player] stands in for one and plays a [Script]: it
// speaks the interfaces of OpenAI (Responses and Chat Completions), Anthropic
// (Messages) and Google (Gemini), calls the tools that the script names, and
// keeps what the client told it of them. It is a server on loopback; no model
// and no network is behind it.
//
// The runs themselves are behind the build tag "clients", since they need some
// gigabyte of clients and two minutes: ./check --clients. They see no network
// but loopback: the test moves into a network namespace of its own first.
package clients
