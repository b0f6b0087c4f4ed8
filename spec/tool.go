package spec

import (
	"encoding/json"
	"slices"
	"strconv"

	"nod.dev/nod"
)

// Permission is what the phone's own system asks the person for, once, before
// a tool can do anything. It is no consent to a call.
type Permission string

// The permissions.
const (
	PermissionNone          Permission = ""
	PermissionClipboard     Permission = "clipboard"
	PermissionNotifications Permission = "notifications"
	PermissionCalendar      Permission = "calendar"
	PermissionContacts      Permission = "contacts"
	PermissionLocation      Permission = "location"
	PermissionAlarm         Permission = "alarm"
	PermissionPicker        Permission = "picker" // the system's own picker: what the person picks is all there is to see
)

// Permissions are all that a tool can need.
var Permissions = []Permission{
	PermissionClipboard, PermissionNotifications, PermissionCalendar, PermissionContacts,
	PermissionLocation, PermissionAlarm, PermissionPicker,
}

// ToolField is an argument of a tool. The check leaves out what a call leaves
// out: a default is the phone's to apply, with [Tool.Int] and [Tool.Word], and
// the card's to tell.
type ToolField struct {
	Name string `json:"name"`
	Field
	Default Default `json:"default"`
}

// Field finds an argument of the tool.
func (t Tool) Field(name string) (ToolField, bool) {
	i := slices.IndexFunc(t.Fields, func(f ToolField) bool { return f.Name == name })
	if i < 0 {
		return ToolField{}, false
	}
	return t.Fields[i], true
}

// Int returns an integer of an action: what the call gave, or its default.
func (t Tool) Int(fields nod.Fields, name string) int64 {
	if n, ok := fields[name].(int64); ok {
		return n
	}
	f, _ := t.Field(name)
	return f.Default.Int
}

// Word returns a word of an action: what the call gave, or its default.
func (t Tool) Word(fields nod.Fields, name string) string {
	if s, ok := fields[name].(string); ok {
		return s
	}
	f, _ := t.Field(name)
	return f.Default.Word
}

// Default is what a field is where a call does not say: a number or a word.
type Default struct {
	Int  int64
	Word string
	Is   bool // whether there is one
}

// UnmarshalJSON reads a number or a word.
func (d *Default) UnmarshalJSON(data []byte) error {
	d.Is = true
	if data[0] == '"' {
		return json.Unmarshal(data, &d.Word)
	}
	return json.Unmarshal(data, &d.Int)
}

// String writes the default as a description does; empty where there is none.
func (d Default) String() string {
	switch {
	case !d.Is:
		return ""
	case d.Word != "":
		return d.Word
	}
	return strconv.FormatInt(d.Int, 10)
}
