// Package repo holds the checks of the repository itself, all of them tests:
// that packages import only what the design lets them, that names are the
// project's words, that files stay small, and that every example in
// spec/protocol.md is what nod really sends.
package repo
