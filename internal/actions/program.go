package actions

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
)

// A Program is the main of one job.
type Program struct {
	Name  string
	Usage string // what it is for, its arguments, what it reads and writes; shown by -h
	Flags func(*flag.FlagSet)
	Run   func(context.Context, *Call) error

	// Settings are environment variables that a flag can take the place of. A
	// credential is none of them: other processes can read arguments.
	Settings []Setting
}

// A Setting is a variable, the flag that takes its place, and what it is, with a
// name for the value in back quotes.
type Setting struct{ Variable, Flag, About string }

// What a runner hands to every step.
const (
	envOutput  = "GITHUB_OUTPUT"
	envSummary = "GITHUB_STEP_SUMMARY"
)

// System is the world around a program.
type System struct {
	Getenv         func(string) string
	Stdout, Stderr io.Writer
	Terminal       bool // somebody watches Stderr
}

// Main runs a program and ends the process with its exit code.
func Main(p Program) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	info, err := os.Stderr.Stat()
	code := p.Execute(ctx, os.Args[1:], System{
		Getenv: os.Getenv, Stdout: os.Stdout, Stderr: os.Stderr,
		Terminal: err == nil && info.Mode()&os.ModeCharDevice != 0,
	})
	stop()
	os.Exit(code)
}

// Execute runs a program and returns its exit code; see [ExitCodes].
func (p Program) Execute(ctx context.Context, args []string, s System) int {
	c := &Call{System: s, program: p.Name, inCI: s.Getenv("GITHUB_ACTIONS") == "true", given: map[string]*string{}}
	flags := flag.NewFlagSet(p.Name, flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.Usage = func() {}
	flags.BoolVar(&c.JSON, "json", false, "print the result, or the errors, as one line of JSON")
	for _, setting := range append([]Setting{
		{envOutput, "output", "append the step's outputs to this `file`"},
		{envSummary, "summary", "append a summary in Markdown to this `file`"},
	}, p.Settings...) {
		c.given[setting.Variable] = flags.String(setting.Flag, "", setting.About+"; else "+setting.Variable)
	}
	if p.Flags != nil {
		p.Flags(flags)
	}
	help := func(w io.Writer) {
		flags.SetOutput(w)
		fmt.Fprintf(w, "%s\nFlags:\n", p.Usage)
		flags.PrintDefaults()
		fmt.Fprintf(w, "\n%s", ExitCodes)
	}
	err := flags.Parse(args)
	if errors.Is(err, flag.ErrHelp) {
		help(s.Stdout)
		return exitDone
	}
	if err != nil {
		help(s.Stderr)
		return c.fail(Usage(err.Error() + ": see -h"))
	}
	c.args = flags.Args()
	if err := p.Run(ctx, c); err != nil {
		if as[usageError](err) && misplaced(flags) {
			err = Usage(err.Error() + "; flags come before the arguments")
		}
		return c.fail(err)
	}
	return exitDone
}

// misplaced reports whether an argument looks like one of the flags, which were
// not looked for any more behind the first argument.
func misplaced(flags *flag.FlagSet) bool {
	for _, arg := range flags.Args() {
		name, _, _ := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		if strings.HasPrefix(arg, "-") && flags.Lookup(name) != nil {
			return true
		}
	}
	return false
}

// A Call is one run of a program.
type Call struct {
	System
	JSON bool // the result is printed for machines

	program string
	inCI    bool
	args    []string
	given   map[string]*string // by flags, in place of these variables
	printed bool               // a result was
}

// Args returns the arguments, of which there must be none (then it returns nil) or
// exactly those that are named.
func (c *Call) Args(names ...string) ([]string, error) {
	if len(c.args) == 0 {
		return nil, nil
	}
	if len(c.args) != len(names) {
		return nil, Usage("the arguments are " + strings.Join(names, " ") + ", or none: see -h")
	}
	return c.args, nil
}

// Setting returns what the flag for an environment variable gives, else the
// variable, else fallback.
func (c *Call) Setting(variable, fallback string) string {
	if v := c.given[variable]; v != nil && *v != "" {
		return *v
	}
	if v := c.Getenv(variable); v != "" {
		return v
	}
	return fallback
}

// Progress says on a terminal what goes on, and nothing in CI.
func (c *Call) Progress(format string, args ...any) {
	if c.Terminal && !c.inCI {
		fmt.Fprintf(c.Stderr, "%s: %s\n", c.program, Text(fmt.Sprintf(format, args...), 200))
	}
}

// Print shows a line of the result, unless it is printed as JSON.
func (c *Call) Print(format string, args ...any) {
	if !c.JSON {
		fmt.Fprintln(c.Stdout, Text(fmt.Sprintf(format, args...), 500))
	}
}

// All returns the arguments, for a program that looks at them itself.
func (c *Call) All() []string { return c.args }
