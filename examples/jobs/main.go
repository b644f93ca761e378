// Command jobs shows what a workflow compiler does with package ledger: it
// reads the ledgers of workflow files and prints GitHub Actions YAML for the
// jobs around them. -h tells how to use it.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/gitledger/gitledger/ledger"
)

const usage = `usage: jobs [flags] WORKFLOW...

Reads the ledgers of workflow files, Markdown with front matter or YAML, and prints
GitHub Actions YAML for the jobs around them, or what these have in the environment.

  bin/jobs workflow.md                   the workflow's own jobs
  bin/jobs -maintenance a.md b.md        the shared maintenance pair
  bin/jobs -base64 workflow.md           GH_AW_LEDGER_CONFIG_BASE64
  bin/jobs -maintenance -base64 a.md b.md  GH_AW_LEDGER_COMPACTION_CONFIG

Flags:
`

func main() {
	if err := run(os.Args[1:], os.Stdout, os.Stderr); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "jobs:", err)
		os.Exit(1)
	}
}

func run(args []string, out, warnings io.Writer) error {
	flags := flag.NewFlagSet("jobs", flag.ContinueOnError)
	flags.SetOutput(warnings)
	maintenance := flags.Bool("maintenance", false, "print the maintenance workflow of all files together")
	encoded := flags.Bool("base64", false, "print the configuration in base64, as the environment of the jobs has it")
	root := flags.String("root", ".", "the repository's `folder`, for schema files")
	program := flags.String("program", "gitledger-job", "the `command` that runs a job")
	agent := flags.String("agent", "run-the-agent", "the `command` that runs the agent")
	flags.Usage = func() {
		fmt.Fprint(warnings, usage)
		flags.PrintDefaults()
	}
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() == 0 || !*maintenance && flags.NArg() != 1 {
		return errors.New("name one workflow file, or with -maintenance one or more: see -h")
	}
	workflows, err := read(*root, flags.Args())
	if err != nil {
		return err
	}
	if *encoded {
		return printEncoded(out, workflows, *maintenance)
	}
	r := renderer{program: *program, agent: *agent}
	if !*maintenance {
		text, err := r.workflow(workflows[0].ID, workflows[0].Ledgers)
		if err != nil {
			return err
		}
		_, err = out.Write(text)
		return err
	}
	merged, differences := ledger.Merge(workflows...)
	for _, d := range differences {
		fmt.Fprintln(warnings, "warning:", d)
	}
	text, err := r.maintenance(merged)
	if err != nil {
		return err
	}
	_, err = out.Write(text)
	return err
}

// printEncoded prints the value of ledger.EnvConfig, or of ledger.EnvMaintenance.
func printEncoded(out io.Writer, workflows []ledger.Workflow, maintenance bool) error {
	text, err := workflows[0].Ledgers.Base64()
	if maintenance {
		merged, _ := ledger.Merge(workflows...)
		text, err = merged.MaintenanceBase64()
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(out, text)
	return err
}

func read(root string, files []string) ([]ledger.Workflow, error) {
	parser := ledger.Parser{Files: os.DirFS(root)}
	var workflows []ledger.Workflow
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		configs, err := parser.YAML(data)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		name := filepath.Base(file)
		workflows = append(workflows, ledger.Workflow{ID: strings.TrimSuffix(name, filepath.Ext(name)), Ledgers: configs})
	}
	return workflows, nil
}
