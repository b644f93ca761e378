package main

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"errors"
	"html/template"
	"io"
	"os"
	"path/filepath"

	"github.com/gitledger/gitledger/internal/actions"
)

//go:embed page/page.html
var pageText string

//go:embed page/style.css
var style string

//go:embed page/script.js
var script string

// writePage writes the page to a file, as a whole or not at all. What is no
// regular file, such as a link or a pipe, is left alone.
func writePage(path string, v *view) error {
	if there, err := os.Lstat(path); err == nil && !there.Mode().IsRegular() {
		return errNoFile
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".explore-*.html")
	if err != nil {
		return err
	}
	err = errors.Join(render(f, v), f.Chmod(0o644), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}

var errNoFile = errors.New("there is something that is no file")

// render writes the page. It loads nothing: its policy allows its own script and
// style, by their digests, and nothing else.
func render(out io.Writer, v *view) error {
	page, err := template.New("page").Funcs(template.FuncMap{
		"visible": func(text string) string { return visible(text, true) },
		"short":   actions.Short,
		"size":    bytesText,
	}).Parse(pageText)
	if err != nil {
		return err
	}
	listed := map[string]bool{}
	for _, r := range v.Newest {
		listed[r.Short] = true
	}
	return page.Execute(out, map[string]any{
		"View": v, "Graph": drawGraph(v.graph), "Growth": drawGrowth(v.Growth), "Listed": listed,
		"Style": template.CSS(style), "Script": template.JS(script),
		"Policy": "default-src 'none'; style-src '" + digest(style) + "'; script-src '" + digest(script) + "'; base-uri 'none'; form-action 'none'",
	})
}

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}
