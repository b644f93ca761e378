package gitbranch

import (
	"os"

	git "github.com/libgit2/git2go/v34"

	"github.com/gitledger/gitledger/shard"
)

// A commit to a repository on this machine is durable only when its objects and
// its reference are synced to the disk, which Git and libgit2 leave to the
// setting core.fsyncObjectFiles. libgit2's own switch for it holds for the whole
// process, and changing the repository's configuration is not ours to do; so the
// setting comes from a file of ours, laid over the repository's. libgit2 looks
// at it once, when it opens the objects and the references.
const durableConfig = "[core]\n\tfsyncObjectFiles = true\n"

// openLocal opens the repository at exactly path.
func openLocal(path string) (*handle, error) {
	repo, err := git.OpenRepositoryExtended(path, git.RepositoryOpenNoSearch, "")
	if err != nil {
		return nil, fail(shard.ErrUnavailable, "not a repository: %s", code(err))
	}
	h, err := durable(repo)
	if err != nil {
		repo.Free()
		return nil, err
	}
	return h, nil
}

func durable(repo *git.Repository) (*handle, error) {
	file, err := os.CreateTemp("", "gitledger-*.config")
	if err != nil {
		return nil, fail(shard.ErrUnavailable, "no temporary file")
	}
	defer os.Remove(file.Name())
	_, err = file.WriteString(durableConfig)
	if closed := file.Close(); err != nil || closed != nil {
		return nil, fail(shard.ErrUnavailable, "no temporary file")
	}
	config, err := repo.Config()
	if err != nil {
		return nil, unavailable(err)
	}
	defer config.Free()
	if err := config.AddFile(file.Name(), git.ConfigLevelApp, true); err != nil {
		return nil, unavailable(err)
	}
	head, err := repo.References.Lookup("HEAD") // opens the references
	if err != nil {
		return nil, unavailable(err)
	}
	head.Free()
	odb, err := repo.Odb()
	if err != nil {
		return nil, unavailable(err)
	}
	return &handle{repo: repo, odb: odb, loose: &loose{folders: objectFolders(repo.Path())}}, nil
}
