//go:build !unix

package txn

import (
	"os"
	"os/exec"
)

// isolate: there are no process groups here; the process itself is killed.
func isolate(cmd *exec.Cmd) { cmd.Cancel = func() error { return killGroup(cmd) } }

func killGroup(cmd *exec.Cmd) error {
	if cmd.Process == nil {
		return nil
	}
	return cmd.Process.Kill()
}

func signalOf(*os.ProcessState) string { return "" }
