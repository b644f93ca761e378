package actions

import (
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"strings"
)

const (
	maxAnnotations = 10 // of a kind that GitHub shows for one step
	maxMessage     = 2000
)

// Warning annotates the run; the program goes on.
func (c *Call) Warning(format string, args ...any) {
	c.annotate("warning", fmt.Sprintf(format, args...))
}

// annotate writes a workflow command, in which nothing of the text is a command.
func (c *Call) annotate(level, text string) {
	text = Text(text, maxMessage)
	if !c.inCI {
		fmt.Fprintf(c.Stderr, "%s: %s: %s\n", c.program, level, text)
		return
	}
	title := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C").Replace(c.program)
	text = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(text)
	fmt.Fprintf(c.Stderr, "::%s title=%s::%s\n", level, title, text)
}

// failure is what a program prints with -json when it has no result to print.
type failure struct {
	ExitCode int      `json:"exit_code"`
	Errors   []string `json:"errors"`
	Advice   string   `json:"advice,omitempty"`
}

// fail says in each way what went wrong and what to do about it, and returns the
// exit code. An error of several parts has one on each line.
func (c *Call) fail(err error) int {
	f := failure{ExitCode: Code(err), Advice: Advice(err)}
	for line := range strings.SplitSeq(err.Error(), "\n") {
		f.Errors = append(f.Errors, Text(line, maxMessage))
	}
	list := ""
	for i, line := range f.Errors {
		if i == maxAnnotations-1 && len(f.Errors) > maxAnnotations {
			line = fmt.Sprintf("and %d more", len(f.Errors)-i)
		}
		c.annotate("error", line)
		list += "- " + Markdown(line) + "\n"
		if i == maxAnnotations-1 {
			break
		}
	}
	if f.Advice != "" {
		c.annotate("notice", f.Advice)
		list += "\n" + Markdown(f.Advice) + "\n"
	}
	if c.JSON && !c.printed {
		_ = c.Result(f) // it says nothing that the exit code does not
	}
	if err := c.Summary("### " + c.program + " failed\n\n" + list); err != nil {
		c.annotate("warning", err.Error())
	}
	return f.ExitCode
}

// Result prints a value as one line of JSON, if that is asked for. A program that
// prints none and fails has its errors printed instead.
func (c *Call) Result(v any) error {
	if !c.JSON {
		return nil
	}
	c.printed = true
	line, err := plainJSON(v)
	if err != nil {
		return errors.New("the result has no JSON form")
	}
	if _, err = fmt.Fprintln(c.Stdout, line); err != nil {
		return errors.New("the result cannot be printed")
	}
	return nil
}

// Output sets an output of the step, when there is one.
func (c *Call) Output(name, value string) error {
	file := c.Setting(envOutput, "")
	if file == "" {
		return nil
	}
	line := name + "=" + value + "\n"
	if strings.ContainsAny(value, "\r\n") {
		delimiter := rand.Text() // so that no value can end itself
		line = name + "<<" + delimiter + "\n" + value + "\n" + delimiter + "\n"
	}
	return appendTo(file, line)
}

// Summary adds Markdown to the summary of the step, when there is one.
func (c *Call) Summary(markdown string) error {
	file := c.Setting(envSummary, "")
	if file == "" {
		return nil
	}
	return appendTo(file, markdown+"\n")
}

// Summarised reports whether somebody reads a summary, for who would have to read
// a branch to write it.
func (c *Call) Summarised() bool { return c.Setting(envSummary, "") != "" }

func appendTo(file, text string) error {
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return errWrite
	}
	_, err = f.WriteString(text)
	if closing := f.Close(); err != nil || closing != nil {
		return errWrite
	}
	return nil
}

var errWrite = errors.New("cannot write an output or the summary of the step")
