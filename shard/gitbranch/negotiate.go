package gitbranch

import (
	"bytes"
	"fmt"

	git "github.com/libgit2/git2go/v34"
)

// libgit2 offers its commits twenty at a time and makes a request for each
// twenty, newest first over all branches it has. That costs requests, and when
// the cache holds several ledgers the twenty may all be of another one, so that
// the whole history would come again. negotiate answers such a round without
// the server: it acknowledges the commits we would like to offer, which libgit2
// then repeats in the request that asks for the pack. A server that lacks them
// ignores them, so nothing is lost when the branch was rewound.
func negotiate(request []byte, offers []git.Oid) (reply []byte, ok bool) {
	if closing(request) {
		return nil, false
	}
	if !bytes.HasSuffix(request, []byte("0000")) || !bytes.Contains(firstLine(request), []byte("multi_ack")) {
		return nil, false // without multi_ack the conversation is another one
	}
	var out bytes.Buffer
	for _, id := range offers {
		out.WriteString(packet("ACK " + id.String() + " common\n"))
	}
	out.WriteString("0008NAK\n")
	return out.Bytes(), true
}

// closing reports whether a request ends a negotiation and asks for the pack.
func closing(request []byte) bool {
	return bytes.HasSuffix(request, []byte("0009done\n")) || bytes.HasSuffix(request, []byte("0008done"))
}

// packet puts the length before a line.
func packet(line string) string { return fmt.Sprintf("%04x%s", len(line)+4, line) }

func firstLine(b []byte) []byte {
	line, _, _ := bytes.Cut(b, []byte("\n"))
	return line
}
