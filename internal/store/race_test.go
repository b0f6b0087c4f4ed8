//go:build race

package store_test

const race = true
