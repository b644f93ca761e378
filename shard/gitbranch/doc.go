// Package gitbranch keeps ledgers on the branches of a Git repository: one at a
// path or file:// URL on this machine, or one on an http://, https:// or ssh://
// server.
//
// [Open] a [Repository], then take a [Repository.Branch], or a
// [Repository.Reader] for a job that must not write:
//
//	repo, err := gitbranch.Open(ctx, gitbranch.Options{
//		URL:        "https://github.com/owner/name.git",
//		Credential: gitbranch.Token(token),
//		Cache:      "/var/cache/gitledger", // optional, makes the next run cheap
//	})
//	…
//	defer repo.Close()
//	branch, err := repo.Branch("ledgers/tasks")
//
// There is no working tree, no checkout and no index: trees are read and written
// as objects. This is the only package that links libgit2.
//
// # What a commit promises
//
// A Commit is one Git commit on top of the expected head, and a branch moves
// from that head or not at all. On a server, the head is compared with the one
// that the server advertises, and the server compares it again when it moves the
// reference. At a path, the reference is compared again under its lock. A branch
// that was deleted, rewound or overtaken meanwhile is ErrHeadMoved, and is
// neither made again nor overwritten. No push is ever forced.
//
// When Commit returns nil, a server has confirmed the new head, or, at a path,
// the objects and the reference were synced to the disk. ErrOutcomeUnknown means
// that a push left this machine and its confirmation did not arrive; whoever gets
// it takes a new snapshot. After every other error the branch is as it was. A
// change that leaves every file as it is makes no commit and returns the
// expected head, once it is known that the branch is there.
//
// A process that dies in a Commit leaves the old state or the new one. New
// objects without a reference are garbage, which git gc removes.
//
// # A lock that is left behind
//
// Git guards a reference by a lock file beside it. A writer holds it for
// milliseconds, and a Commit waits for that long. A process that was killed in
// between leaves it behind, and every later Commit fails with ErrLocked, while
// snapshots still work. The way out is by hand, because no program can tell a
// dead writer from a slow one on another machine: make sure that no process is
// writing to the repository, then delete
//
//	<repository>/refs/heads/ledgers/<name>.lock
//
// or, when the branch has been packed and deleted, <repository>/packed-refs.lock.
// On a server its operator does the same. Nothing is lost by it.
//
// # Cost
//
// A snapshot makes one request when nothing is new, else two; a commit makes
// two. What is transferred is what is new, if the cache is kept: libgit2 cannot
// fetch a part of a history, so the first fetch of a branch gets all of it. A
// cache may be shared by processes, may be deleted at any time, and is thrown
// away and fetched anew when it turns out to be damaged.
//
// Over ssh a snapshot is one connection and a commit another. It is the system's
// ssh program that connects; see Options.SSH.
//
// # Safety
//
// Every call obeys its context, and a server that goes silent cannot hold one
// back; an ssh process is killed with what it started. Credentials travel in a
// header, only to the origin of the URL, and no error or log record holds one,
// nor a URL, a path, or a text of libgit2, ssh or the server. Redirects are
// followed only for the first request of a conversation and only on the same
// origin. What a branch holds is not trusted: names, modes, sizes and counts are
// checked before content is read.
//
// Commits to a path run no hooks, and are refused with ErrRefused when the
// branch is checked out there.
package gitbranch
