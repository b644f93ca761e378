package ledger

import (
	"errors"
	"io"
	"io/fs"
	"strings"
)

// inlineSchema compiles a schema that stands in the configuration.
func (d *declaration) inlineSchema(path string, t *tree) *Schema {
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
func (d *declaration) schemaFile(path string, t *tree) *Schema {
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
	if err := findExpression(raw); err != nil {
		d.fail(t.at, ProblemExpression, path, "the file contains a workflow expression", "state the value itself")
		return nil
	}
	s, err := CompileSchema(raw)
	if err != nil {
		d.fail(t.at, ProblemSchema, path, err.Error(), "correct the file")
		return nil
	}
	return s
}

// findExpression refuses a schema file that holds "${{", however it is escaped.
func findExpression(raw []byte) error {
	t, _ := readJSON(raw)
	if t == nil {
		return nil // CompileSchema says what is wrong
	}
	var d declaration
	d.expressions("", t)
	if len(d.problems) > 0 {
		return errors.New("expression")
	}
	return nil
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
		info, err := fs.Lstat(fsys, name[:i])
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
