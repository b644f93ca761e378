//go:build !unix

package gitbranch

import "os/exec"

// isolateGroup: there are no process groups here; the process itself is killed.
func isolateGroup(cmd *exec.Cmd) { cmd.Cancel = func() error { return cmd.Process.Kill() } }
