package main

import (
	"bytes"
	"errors"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/gitledger/gitledger/ledger"
)

// renderer writes job descriptions as GitHub Actions YAML. A real compiler
// would pin its actions by commit, and add the steps that install its program.
type renderer struct {
	program string // runs a job: its name and arguments follow
	agent   string // runs the agent
}

const (
	uploadAction   = "actions/upload-artifact@v4"
	downloadAction = "actions/download-artifact@v4"
	runner         = "ubuntu-latest"
)

// workflow renders the jobs of one workflow, without maintenance.
func (r renderer) workflow(name string, configs ledger.Configs) ([]byte, error) {
	jobs, err := ledger.Jobs(configs)
	if err != nil {
		return nil, err
	}
	if jobs == nil {
		return nil, errors.New("the workflow declares no ledger")
	}
	on := mapping("workflow_dispatch", nil)
	return r.render(name, on, jobs[:4])
}

// maintenance renders the plan and apply jobs.
func (r renderer) maintenance(configs ledger.Configs) ([]byte, error) {
	jobs, err := ledger.MaintenanceJobs(configs)
	if err != nil {
		return nil, err
	}
	if jobs == nil {
		return nil, errors.New("compaction is enabled for no ledger")
	}
	on := mapping(
		"schedule", sequence(mapping("cron", "37 3 * * *")),
		"workflow_dispatch", mapping("inputs", mapping(
			"operation", mapping("description", "What to do", "type", "choice", "options", sequence(ledger.CompactOperation), "default", ledger.CompactOperation),
			"ledger", mapping("description", "The ledger to compact; empty for all", "type", "string", "required", false),
		)),
	)
	return r.render("Agentic Maintenance", on, jobs)
}

func (r renderer) render(name string, on *yaml.Node, jobs []ledger.Job) ([]byte, error) {
	hosts := mapping()
	for len(jobs) > 0 { // the jobs of one host follow each other
		n := 1
		for n < len(jobs) && jobs[n].Host == jobs[0].Host {
			n++
		}
		add(hosts, jobs[0].Host, r.host(jobs[:n]))
		jobs = jobs[n:]
	}
	document := mapping("name", name, "on", on, "permissions", mapping(), "jobs", hosts)
	var b bytes.Buffer
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	if err := e.Encode(document); err != nil {
		return nil, err
	}
	return b.Bytes(), e.Close()
}

// host renders one workflow job from the jobs that run in it.
func (r renderer) host(jobs []ledger.Job) *yaml.Node {
	host := mapping()
	steps := sequence()
	permissions, outputs, env := mapping(), mapping(), mapping()
	for _, j := range jobs {
		for _, p := range j.Permissions {
			set(permissions, p.Scope, p.Access)
		}
		for _, o := range j.Outputs {
			set(outputs, o.Name, o.Value)
		}
		for _, v := range j.Environment {
			set(env, v.Name, v.Value)
		}
		steps.Content = append(steps.Content, r.steps(j)...)
	}
	if needs := jobs[0].Needs; len(needs) > 0 {
		list := sequence()
		for _, n := range needs {
			list.Content = append(list.Content, scalar(n))
		}
		add(host, "needs", list)
	}
	if condition := jobs[0].Condition; condition != "" {
		add(host, "if", scalar("${{ "+condition+" }}"))
	}
	add(host, "runs-on", scalar(runner))
	add(host, "permissions", permissions)
	if len(outputs.Content) > 0 {
		add(host, "outputs", outputs)
	}
	if len(env.Content) > 0 {
		add(host, "env", env)
	}
	add(host, "steps", steps)
	return host
}

// steps renders what one job does. Its credentials go to its own steps, so that
// they do not reach the others of the same host.
func (r renderer) steps(j ledger.Job) []*yaml.Node {
	var out []*yaml.Node
	for _, a := range j.Consumes {
		out = append(out, mapping("name", "Download "+a.Name, "uses", downloadAction,
			"with", mapping("name", a.Name, "path", folder(a.Path))))
	}
	if j.RunsAgent {
		out = append(out, mapping("name", "Run the agent", "run", r.agent))
	}
	for _, s := range j.Steps {
		out = append(out, r.step(j, s))
	}
	for _, a := range j.Produces {
		out = append(out, mapping("name", "Upload "+a.Name, "if", "${{ !cancelled() }}", "uses", uploadAction,
			"with", mapping("name", a.Name, "path", a.Path, "if-no-files-found", "ignore")))
	}
	return out
}

func (r renderer) step(j ledger.Job, s ledger.Step) *yaml.Node {
	env := mapping()
	for _, v := range s.Environment {
		set(env, v.Name, v.Value)
	}
	for _, c := range j.Credentials {
		set(env, c.Variable, c.Source)
	}
	step := mapping()
	if s.ID != "" {
		add(step, "id", scalar(s.ID))
	}
	add(step, "name", scalar(s.Name))
	if s.Condition != "" {
		add(step, "if", scalar("${{ "+s.Condition+" }}"))
	}
	if s.ContinueOnError {
		add(step, "continue-on-error", scalar(true))
	}
	if len(env.Content) > 0 {
		add(step, "env", env)
	}
	add(step, "run", scalar(command(r.program, s.Arguments)))
	return step
}

// folder is where an artifact of that path is downloaded to: an uploaded file
// comes out under its own name, the files of a folder directly.
func folder(path string) string {
	slash := strings.LastIndexByte(path, '/')
	if slash > 0 && strings.Contains(path[slash:], ".") {
		return path[:slash]
	}
	return path
}

// command quotes arguments for a POSIX shell.
func command(program string, arguments []string) string {
	words := []string{program}
	for _, a := range arguments {
		words = append(words, "'"+strings.ReplaceAll(a, "'", `'\''`)+"'")
	}
	return strings.Join(words, " ")
}
