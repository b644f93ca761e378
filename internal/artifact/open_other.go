//go:build !unix

package artifact

// openFlags: there are none; that the file is still the one that was looked at
// is checked after it was opened.
const openFlags = 0

// syncFolder: folders cannot be synced here.
func syncFolder(string) error { return nil }
