package main

import (
	"fmt"
	"slices"
	"text/tabwriter"

	"nod.dev/nod/spec"
)

// toolsCmd is "nod tools".
type toolsCmd struct {
	Tool []string `arg:"" optional:"" name:"tool" help:"Explain this tool, in one word or several."`
}

// Run lists the tools and what each needs, or explains one.
func (c *toolsCmd) Run(p *program) error {
	views, err := c.views(p)
	if err != nil {
		return err
	}
	if len(c.Tool) > 0 {
		return c.explain(p, views)
	}
	if p.global.JSON {
		return p.printJSON(map[string]any{"tools": views})
	}
	rows := [][]string{{"TOOL", "KIND", "NEEDS", "THE PHONE'S PERMISSION", "PHONES"}}
	for _, v := range views {
		rows = append(rows, []string{v.Name, kindWords(v), v.needs(), v.permission(), v.phones()})
	}
	return p.table(rows)
}

// views asks the gateway what this agent and the phones are.
func (c *toolsCmd) views(p *program) ([]toolView, error) {
	agent, err := p.agent()
	if err != nil {
		return nil, err
	}
	me, err := agent.Me(p.ctx)
	if err != nil {
		return nil, err
	}
	list, err := agent.Tools(p.ctx)
	if err != nil {
		return nil, err
	}
	phones, err := agent.Phones(p.ctx)
	if err != nil {
		return nil, err
	}
	if me.Paused || me.PausedAll {
		p.say("this agent is paused; until it is resumed on the phone every call is denied")
	}
	return toolViews(me, list, phones), nil
}

func kindWords(v toolView) string {
	if v.Private {
		return "read, private"
	}
	return string(v.Kind)
}

// explain prints what there is to know of one tool.
func (c *toolsCmd) explain(p *program, views []toolView) error {
	tools := contractTools()
	for _, v := range views {
		tools.add(v.Name, v.InputSchema)
	}
	name, err := tools.name(c.Tool)
	if err != nil {
		return usage(err)
	}
	if t, ok := spec.Get().Tool(name); ok {
		name = t.Name // and not its alias
	}
	v := views[slices.IndexFunc(views, func(v toolView) bool { return v.Name == name })]
	if p.global.JSON {
		return p.printJSON(v)
	}
	w := tabwriter.NewWriter(p.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "%s\n\n%s\n\n", v.Name, v.Description)
	fmt.Fprintf(w, "is\t%s, %s risk\n", kindWords(v), v.Risk)
	fmt.Fprintf(w, "needs\t%s\n", v.needs())
	if v.Permission != "" {
		fmt.Fprintf(w, "permission\t%s\n", v.permission())
	}
	fmt.Fprintf(w, "phones\t%s\n", v.phones())
	if err := w.Flush(); err != nil {
		return err
	}
	if err := p.argumentTable(v, tools[name]); err != nil {
		return err
	}
	if words := exampleOf(name); words != "" {
		_, err = fmt.Fprintf(p.stdout, "\nfor example: nod call %s\n", words)
	}
	return err
}

// argumentTable lists what a tool can be given.
func (p *program) argumentTable(v toolView, of toolArguments) error {
	if len(of.Properties) == 0 {
		_, err := fmt.Fprintln(p.stdout, "\nIt takes no arguments.")
		return err
	}
	fmt.Fprintln(p.stdout)
	rows := [][]string{{"ARGUMENT", "DEFAULT", "WHAT"}}
	for _, name := range argumentOrder(v.contract, of) {
		fallback := "-"
		if slices.Contains(of.Required, name) {
			fallback = "needed"
		} else if f, ok := v.contract.Field(name); ok && f.Default.Is {
			fallback = f.Default.String()
		}
		rows = append(rows, []string{name, fallback, of.Properties[name].About})
	}
	return p.table(rows)
}

// argumentOrder is the card's order, and then that of the names.
func argumentOrder(t spec.Tool, of toolArguments) []string {
	var names, rest []string
	for _, f := range t.Fields {
		if _, ok := of.Properties[f.Name]; ok {
			names = append(names, f.Name)
		}
	}
	for name := range of.Properties {
		if !slices.Contains(names, name) {
			rest = append(rest, name)
		}
	}
	slices.Sort(rest)
	return append(names, rest...)
}

// examples are calls as they are written, one for each tool. They stand on
// docs/tools.md too.
var examples = map[string]string{
	spec.ToolPhoneAction: "phone_action action=alarm time=07:30 label='wake up'",
	spec.ToolCallStatus:  "call_status call_id=call_ABC",
	spec.ToolCallCancel:  "call_cancel call_id=call_ABC",
	"clipboard_read":     "clipboard read",
	"clipboard_write":    "clipboard write text='Gate B12, 18:40'",
	"notify":             "notify title=Done body=Booked",
	"calendars":          "calendars",
	"calendar_list":      "calendar list from=2026-09-24",
	"calendar_create":    "calendar create title=Lunch start=2026-09-24T12:30 location='Café Aurora'",
	"calendar_update":    "calendar update id=42 start=2026-09-24T13:00",
	"calendar_delete":    "calendar delete id=42",
	"contacts_search":    "contacts search query=Ana",
	"location":           "location",
	"alarm_set":          "alarm set hour=7 minute=30 message=Train days=mon,tue",
	"timer_set":          "timer set minutes=10 message=Tea",
	"photo_pick":         "photo pick max=2",
	"phone_now":          "phone now",
}

func exampleOf(tool string) string { return examples[tool] }
