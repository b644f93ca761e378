package actions

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"unicode"
)

// Warning annotates the run; the program goes on.
func (c *Call) Warning(format string, args ...any) {
	c.annotate("warning", fmt.Sprintf(format, args...))
}

// annotate writes a workflow command, in which nothing of the text is a command.
func (c *Call) annotate(level, text string) {
	if !c.inCI {
		fmt.Fprintf(c.Stderr, "%s: %s\n", c.program, Text(text, 2000))
		return
	}
	title := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C").Replace(c.program)
	text = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(Text(text, 2000))
	fmt.Fprintf(c.Stderr, "::%s title=%s::%s\n", level, title, text)
}

// Result prints a value as one line of JSON, if that is asked for.
func (c *Call) Result(v any) error {
	if !c.JSON {
		return nil
	}
	return json.NewEncoder(c.Stdout).Encode(v)
}

// Output sets an output of the step, when there is one.
func (c *Call) Output(name, value string) error {
	file := c.Getenv("GITHUB_OUTPUT")
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
	file := c.Getenv("GITHUB_STEP_SUMMARY")
	if file == "" {
		return nil
	}
	return appendTo(file, markdown+"\n")
}

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

var errWrite = fmt.Errorf("cannot write an output or the summary of the step")

// Text makes text that may come from strangers safe to print on one line: control
// and format characters do not reach the terminal, no workflow command is left
// of it, and it is cut after so many characters.
func Text(text string, most int) string {
	var b strings.Builder
	n := 0
	for _, r := range text {
		if n++; n > most {
			b.WriteRune('…')
			break
		}
		if !unicode.IsPrint(r) {
			r = '·'
		}
		b.WriteRune(r)
	}
	// A runner takes "::" for a command at a line's start, and "##[" anywhere in it.
	clean := strings.ReplaceAll(b.String(), "##[", "##·[")
	if strings.HasPrefix(strings.TrimLeft(clean, " "), "::") {
		clean = "·" + clean
	}
	return clean
}
