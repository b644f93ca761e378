package txn

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// Validation runs the validation script of a repository memory (S4.1-01): a
// policy gate on the files that are about to be pushed, after normalisation
// and before the commit. It knows nothing of ledgers and extends nothing in
// them.
//
// The script runs in a Node process of its own, as a CommonJS program from
// standard input, with the memory's folder as its working directory. It
// refuses the push by an exit code other than zero.
type Validation struct {
	// Script is the JavaScript source, of at most 1 MiB.
	Script string

	// Timeout bounds the run; 0 is 30 seconds. At its end the whole process
	// group is killed. A process that the script put into a session of its own
	// is not in it: run jobs in a container that ends with them.
	Timeout time.Duration

	// Env is the whole environment of the script, besides PATH. A name that
	// looks like that of a credential, or that makes a process load other code,
	// is refused.
	Env map[string]string

	// Path is the script's PATH, and where node is looked up; empty is that of
	// this process.
	Path string

	// MaxOutput is how many bytes of output are kept; 0 is 64 KiB. The rest is
	// read and dropped.
	MaxOutput int
}

// Report is what a script said. Output is untrusted text: it may repeat the
// memory's content, so it belongs in no error and no log of identifiers.
type Report struct {
	Output    []byte // standard output and standard error as they came, up to MaxOutput
	Truncated bool
	Took      time.Duration
}

// ErrValidation is matched by every error of [Validation.Run]: whatever went
// wrong, nothing may be pushed.
var ErrValidation = errors.New("txn: validation script did not pass")

// ValidationError says why a script did not pass. It matches [ErrValidation].
type ValidationError struct {
	Why      Verdict
	ExitCode int    // with ExitedNonZero
	Signal   string // with Signaled
	cause    error
}

// Verdict is why a script did not pass.
type Verdict string

// How a script failed.
const (
	ExitedNonZero Verdict = "exit-code"
	Signaled      Verdict = "signal"
	TimedOut      Verdict = "timeout"
	CanceledRun   Verdict = "canceled"     // the caller's context ended
	NoNode        Verdict = "node-missing" // node is not on the PATH
	NotStarted    Verdict = "not-started"  // such as a folder that does not exist
	LeftBehind    Verdict = "left-behind"  // processes of the script outlived it
	BadScript     Verdict = "bad-script"   // empty, or too large
	BadEnv        Verdict = "bad-environment"
)

func (e *ValidationError) Error() string {
	text := ErrValidation.Error() + ": " + string(e.Why)
	switch e.Why {
	case ExitedNonZero:
		text += fmt.Sprintf(" %d", e.ExitCode)
	case Signaled:
		text += " " + e.Signal
	}
	return text
}

// Unwrap gives [ErrValidation] and, when the context ended the run, its error.
func (e *ValidationError) Unwrap() []error {
	if e.cause != nil {
		return []error{ErrValidation, e.cause}
	}
	return []error{ErrValidation}
}

const (
	maxScript         = 1 << 20
	validationTimeout = 30 * time.Second
	validationOutput  = 64 << 10
	groupDelay        = 500 * time.Millisecond // from the script's end to that of its output
)

// Run runs the script on the folder dir, which has no default. It fails closed: the error is nil
// only when the script ran to its end and exited with zero. The report is
// there whenever the script was started.
func (v Validation) Run(ctx context.Context, dir string) (*Report, error) {
	if v.Script == "" || len(v.Script) > maxScript {
		return nil, &ValidationError{Why: BadScript}
	}
	if dir == "" { // which to exec is the caller's own
		return nil, &ValidationError{Why: NotStarted}
	}
	env, err := v.environment()
	if err != nil {
		return nil, err
	}
	node, err := lookNode(v.path())
	if err != nil {
		return nil, &ValidationError{Why: NoNode}
	}
	timeout := v.Timeout
	if timeout <= 0 {
		timeout = validationTimeout
	}
	ctx, cancel := context.WithTimeoutCause(ctx, timeout, errValidationTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, node, "--input-type=commonjs", "-")
	cmd.Dir, cmd.Env, cmd.Stdin = dir, env, strings.NewReader(v.Script)
	output := &boundedOutput{left: v.MaxOutput}
	if output.left <= 0 {
		output.left = validationOutput
	}
	cmd.Stdout, cmd.Stderr = output, output
	cmd.WaitDelay = groupDelay
	isolate(cmd)
	began := time.Now()
	if cmd.Start() != nil {
		if ctx.Err() != nil {
			return nil, ended(ctx)
		}
		return nil, &ValidationError{Why: NotStarted}
	}
	err = cmd.Wait()
	killGroup(cmd)
	report := &Report{Output: output.kept, Truncated: output.dropped, Took: time.Since(began)}
	return report, verdict(ctx, cmd, err)
}

var errValidationTimeout = errors.New("txn: validation timeout")

func ended(ctx context.Context) error {
	if context.Cause(ctx) == errValidationTimeout {
		return &ValidationError{Why: TimedOut, cause: context.DeadlineExceeded}
	}
	return &ValidationError{Why: CanceledRun, cause: ctx.Err()}
}

func verdict(ctx context.Context, cmd *exec.Cmd, err error) error {
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return ended(ctx)
	case err == nil:
		return nil
	case errors.Is(err, exec.ErrWaitDelay):
		return &ValidationError{Why: LeftBehind}
	case !errors.As(err, &exit):
		return &ValidationError{Why: NotStarted} // such as a script that could not be handed over
	}
	if name := signalOf(cmd.ProcessState); name != "" {
		return &ValidationError{Why: Signaled, Signal: name}
	}
	return &ValidationError{Why: ExitedNonZero, ExitCode: exit.ExitCode()}
}

// environment returns the script's environment, which is what is listed and
// nothing of this process's but PATH.
func (v Validation) environment() ([]string, error) {
	env := append([]string{"PATH=" + v.path()}, systemEnvironment()...)
	for _, name := range slices.Sorted(maps.Keys(v.Env)) {
		value := v.Env[name]
		if name == "" || strings.ContainsAny(name, "=\x00") || strings.Contains(value, "\x00") || refusedName(name) {
			return nil, &ValidationError{Why: BadEnv}
		}
		env = append(env, name+"="+value)
	}
	return env, nil
}

// refusedName reports whether a variable's name is that of a credential, or of
// one that makes Node or the loader run other code.
func refusedName(name string) bool {
	name = strings.ReplaceAll(strings.ToUpper(name), "AUTHOR", "")
	return slices.ContainsFunc([]string{"TOKEN", "SECRET", "PASSW", "PASSPHRASE", "CREDENTIAL", "AUTH", "COOKIE", "APIKEY", "NODE_OPTIONS", "NODE_PATH", "NODE_REPL"},
		func(part string) bool { return strings.Contains(name, part) }) ||
		slices.ContainsFunc([]string{"LD_", "DYLD_", "OPENSSL_"}, func(start string) bool { return strings.HasPrefix(name, start) }) ||
		slices.ContainsFunc([]string{"_KEY", "_PAT"}, func(end string) bool { return strings.HasSuffix(name, end) })
}

// boundedOutput keeps the first bytes and drops the rest. exec writes to it
// from one goroutine, since it is both outputs.
type boundedOutput struct {
	left    int
	kept    []byte
	dropped bool
}

func (b *boundedOutput) Write(p []byte) (int, error) {
	n := min(len(p), b.left)
	b.kept = append(b.kept, p[:n]...)
	b.left -= n
	b.dropped = b.dropped || n < len(p)
	return len(p), nil
}
