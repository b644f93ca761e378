//go:build !unix

package txn

const (
	noFollow = 0
	noWait   = 0
)

func syncFolder(string) error { return nil } // a folder cannot be synced here
