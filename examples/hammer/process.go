package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
)

// process is a process that hammer started.
type process struct {
	cmd     *exec.Cmd
	stdin   io.Closer
	stderr  strings.Builder
	orders  orders
	killed  bool
	stopped bool
}

// message is an event of a process, or its end when event is nil.
type message struct {
	from  *process
	event *event
	err   error // how it ended
}

// start starts this program again, with orders. What it reports goes to into.
func start(o orders, into chan<- message) (*process, error) {
	text, err := json.Marshal(o)
	if err != nil {
		return nil, errors.New("the orders cannot be written")
	}
	program, err := os.Executable()
	if err != nil {
		return nil, errors.New("this program's own file is not known")
	}
	p := &process{cmd: exec.Command(program), orders: o}
	p.cmd.Env = append(os.Environ(), ordersVariable+"="+string(text))
	p.cmd.Stderr = &p.stderr
	stdout, err := p.cmd.StdoutPipe()
	if err == nil {
		p.stdin, err = p.cmd.StdinPipe()
	}
	if err == nil {
		err = p.cmd.Start()
	}
	if err != nil {
		return nil, errors.New("a process cannot be started")
	}
	go func() {
		// A killed process may leave a part of a line, which says nothing.
		for lines := bufio.NewReader(stdout); ; {
			line, err := lines.ReadBytes('\n')
			if err != nil {
				break
			}
			var e event
			if err := json.Unmarshal(line, &e); err != nil {
				e = event{Broken: "a process reported something unreadable"}
			}
			into <- message{from: p, event: &e}
		}
		into <- message{from: p, err: p.cmd.Wait()}
	}()
	return p, nil
}

// stop tells the process to end after what it is doing.
func (p *process) stop() {
	if !p.stopped {
		p.stopped = true
		p.stdin.Close()
	}
}

// kill ends the process at once.
func (p *process) kill() {
	p.killed = true
	p.cmd.Process.Kill()
}
