//go:build unix

package gitbranch

import (
	"os/exec"
	"syscall"
)

// isolateGroup gives a command a process group of its own, which is killed as a
// whole: ssh may have started a proxy.
func isolateGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
