// Package mcpconfig knows how each MCP client is told of nod: what its
// configuration looks like, where the file lies on each system, how it names a
// secret without holding it, and how nod's entry gets into a file that belongs
// to the person.
//
// [Client.Snippet] gives the text to paste; [Write] puts it into the file. A
// file is edited as text, with its own parser only for the places: whatever is
// not nod's entry keeps every byte, comments and order included. Before and
// after are parsed and compared, and a file that would lose anything, or that
// cannot be parsed, is left as it is.
//
// The clients' own pages are the source of what is in clients.go: facts of
// Claude Code 2.1, Codex 0.171, Gemini CLI 0.61 and OpenCode 1.18 were tried
// with the programs, those of the others are as documented.
package mcpconfig
