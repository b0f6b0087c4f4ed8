// Package conformance holds nod's side of MCP against programs that others
// wrote: the protocol's own conformance suite, the Inspector, and the official
// clients for TypeScript and Python. All of it is tests.
//
// The suite calls tools, prompts and resources by name that no real server has.
// They are here (fixtures_test.go), on the HTTP stack that nod serves MCP by:
// packages site, auth, mcphttp and mcptask. Everything else runs against the
// real program, with a simulated phone and a scripted person.
//
// What it needs besides Go is in package.json and requirements.txt;
// "./check setup" installs it, and "./check conformance" runs it.
package conformance
