package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"slices"

	"github.com/gitledger/gitledger/internal/actions"
	"github.com/gitledger/gitledger/ledger"
)

const usage = `usage: agent COMMAND [flags] [arguments]

What an agent does with its ledgers: it reads the databases that the prepare job
made, and it queues requests, which are stored after the run, if they pass
validation. It holds no credential and no repository, and writes one file only.

  query     run one statement of SQL that only reads
  records   find records without SQL
  tools     list the tools of the configuration
  call      queue one request
  prompt    print what an agent should be told about its ledgers
  mcp       serve all of this as tools, by the Model Context Protocol on stdio

agent COMMAND -h tells about each.

` + actions.ExitCodes

// envRequests names the safe-output file, which holds the lines of other tools, too.
const envRequests = "GH_AW_SAFE_OUTPUTS"

// exitUsage is the exit code for a command that does not exist.
const exitUsage = 2

// world is what a command sees of the process.
type world struct {
	actions.System
	stdin    io.Reader
	terminal bool // somebody watches Stdout
}

// A command is one word of the command line. Its arguments are those after the
// flags.
type command struct {
	usage string
	run   func(ctx context.Context, s *session, args []string) error
}

func commands() map[string]command {
	return map[string]command{
		"query":   {queryUsage, query},
		"records": {recordsUsage, records},
		"tools":   {toolsUsage, tools},
		"call":    {callUsage, call},
		"prompt":  {promptUsage, prompt},
		"mcp":     {mcpUsage, serve},
	}
}

// session is one run of a command.
type session struct {
	*actions.Call
	stdin   io.Reader
	configs ledger.Configs
	ledger  string // as -ledger names it; may be empty
	machine bool   // -json was given
	data    databases
	queue   queue
}

// execute runs the command line and returns the exit code.
func (w world) execute(ctx context.Context, args []string) int {
	if len(args) == 0 {
		fmt.Fprint(w.Stderr, usage)
		return exitUsage
	}
	if slices.Contains([]string{"-h", "-help", "--help", "help"}, args[0]) {
		fmt.Fprint(w.Stdout, usage)
		return 0
	}
	cmd, ok := commands()[args[0]]
	if !ok {
		fmt.Fprintln(w.Stderr, "agent: there is no such command: see agent -h")
		return exitUsage
	}
	return w.run(ctx, "agent "+args[0], cmd, args[1:])
}

func (w world) run(ctx context.Context, name string, cmd command, args []string) int {
	s := &session{stdin: w.stdin}
	defer s.data.close()
	var flags *flag.FlagSet
	return actions.Program{
		Name:  name,
		Usage: cmd.usage,
		Settings: []actions.Setting{
			actions.Ledgers(),
			{Variable: envRequests, Flag: "requests", About: "append requests to this `file`"},
		},
		Flags: func(f *flag.FlagSet) {
			flags = f
			f.StringVar(&s.ledger, "ledger", "", "the `name` of the ledger; not needed where there is one only")
			s.data.flags(f)
		},
		Run: func(ctx context.Context, c *actions.Call) (err error) {
			s.Call = c
			s.machine = c.JSON
			c.JSON = c.JSON || !w.terminal
			if s.configs, err = c.Configs(ledger.EnvConfig); err != nil {
				return err
			}
			s.data.configs = s.configs
			s.queue.configs = s.configs
			s.queue.path = c.Setting(envRequests, ledger.RequestsPath)
			return cmd.run(ctx, s, flags.Args())
		},
	}.Execute(ctx, args, w.System)
}
