package ledger

import (
	"io"
	"io/fs"
	"path"
	"strings"
)

// inlineSchema compiles a schema that stands in the configuration.
func (d *declaration) inlineSchema(path *configPath, t *tree) *Schema {
	raw, err := canonicalJSON(t)
	if err == nil {
		var s *Schema
		if s, err = CompileSchema(raw); err == nil {
			return s
		}
	}
	d.fail(t.at, ProblemSchema, path, err.Error(), "correct the schema")
	return nil
}

// schemaFile compiles a schema that the configuration names by a path.
func (d *declaration) schemaFile(path *configPath, t *tree) *Schema {
	if strings.Contains(t.text, expressionMark) {
		return nil // reported already
	}
	if d.files == nil {
		d.fail(t.at, ProblemSchemaFile, path, "a schema path, but no repository to read it from", "state the schema inline")
		return nil
	}
	raw, why := readSchemaFile(d.files, t.text)
	if why != "" {
		d.fail(t.at, ProblemSchemaFile, path, why, "name a regular file of at most 1 MiB by its path from the repository's root, such as .github/schemas/runs.json")
		return nil
	}
	s, err := CompileSchema(raw)
	switch {
	case err != nil:
		d.fail(t.at, ProblemSchema, path, err.Error(), "correct the file")
		return nil
	case s.hasExpression():
		d.fail(t.at, ProblemExpression, path, "the file contains a workflow expression", "state the value itself")
		return nil
	}
	return s
}

// readSchemaFile reads a file below the root of fsys. It says why it cannot,
// without the path. No part of the path may be a symbolic link: where one leads
// is not known to an fs.FS.
func readSchemaFile(fsys fs.FS, name string) (raw []byte, why string) {
	if !fs.ValidPath(name) || name == "." || strings.ContainsAny(name, "\\:\x00") {
		return nil, "not a path inside the repository"
	}
	for i := range len(name) + 1 {
		if i < len(name) && name[i] != '/' {
			continue
		}
		info, err := lstat(fsys, name[:i])
		switch {
		case err != nil:
			return nil, "the file cannot be read"
		case info.Mode()&fs.ModeSymlink != 0:
			return nil, "the path leads through a symbolic link"
		case i < len(name) && !info.IsDir(), i == len(name) && !info.Mode().IsRegular():
			return nil, "not a regular file"
		case i == len(name) && info.Size() > MaxSchemaBytes:
			return nil, "the file is larger than 1 MiB"
		}
	}
	f, err := fsys.Open(name)
	if err != nil {
		return nil, "the file cannot be read"
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return nil, "not a regular file"
	}
	raw, err = io.ReadAll(io.LimitReader(f, MaxSchemaBytes+1))
	if err != nil {
		return nil, "the file cannot be read"
	}
	if len(raw) > MaxSchemaBytes {
		return nil, "the file is larger than 1 MiB"
	}
	return raw, ""
}

// lstat describes a file without following a link. A file system that cannot do
// so itself, such as one that wraps another, says it in the listing of the folder.
func lstat(fsys fs.FS, name string) (fs.FileInfo, error) {
	if links, ok := fsys.(fs.ReadLinkFS); ok {
		return links.Lstat(name)
	}
	entries, err := fs.ReadDir(fsys, path.Dir(name))
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if e.Name() == path.Base(name) {
			return e.Info()
		}
	}
	return nil, fs.ErrNotExist
}
