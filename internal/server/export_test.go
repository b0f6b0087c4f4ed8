package server

// APIRoutes lists the HTTP API as the router has it: method, path, and the
// parameters that are read.
func APIRoutes() (routes []struct {
	Method, Path string
	Query        []string
}) {
	for _, r := range (&Server{}).apiRoutes() {
		routes = append(routes, struct {
			Method, Path string
			Query        []string
		}{r.method, r.path, r.query})
	}
	return routes
}

// Codes lists the error codes that have a status, with it.
func Codes() map[string]int {
	codes := map[string]int{}
	for code, status := range statuses {
		codes[string(code)] = status
	}
	return codes
}
