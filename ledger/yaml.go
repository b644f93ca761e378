package ledger

import (
	"bytes"
	"regexp"
	"strconv"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// Bounds on a file that is read as YAML.
const (
	maxFileBytes = 8 << 20 // a workflow file, with its markdown
	maxYAMLBytes = 1 << 20 // the YAML in it
)

// yamlText finds the YAML of a file: the front matter between two lines of
// three hyphens, or the whole file. It also returns how many lines precede it.
func yamlText(data []byte) (text []byte, offset int) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	first, rest, found := bytes.Cut(data, []byte("\n"))
	if !found || !isFence(first) {
		return data, 0
	}
	for at := 0; at < len(rest); {
		line, next := rest[at:], len(rest)
		if end := bytes.IndexByte(line, '\n'); end >= 0 {
			line, next = line[:end], at+end+1
		}
		if isFence(line) {
			return rest[:at], 1
		}
		at = next
	}
	return data, 0
}

func isFence(line []byte) bool { return string(bytes.TrimRight(line, " \t\r")) == "---" }

// parseYAML parses one YAML document. The node is nil when it is empty.
func parseYAML(text []byte, offset int) (root *yaml.Node, problem *Problem) {
	bad := func(line int, why string) (*yaml.Node, *Problem) {
		p := &Problem{Code: ProblemSyntax, Text: why, Advice: "correct the YAML"}
		if line > 0 {
			p.Line, p.Column = line+offset, firstColumn(text, line)
		}
		return nil, p
	}
	if len(text) > maxYAMLBytes {
		return nil, &Problem{Code: ProblemTooLarge, Text: "the YAML is larger than 1 MiB", Advice: "keep large schemas in files of their own"}
	}
	if line := invalidLine(text); line > 0 {
		return bad(line, "bytes that are not UTF-8 text")
	}
	// The reader is known to have panicked on malformed input before; such
	// input is a problem of the file, not of the program.
	defer func() {
		if recover() != nil {
			root, problem = bad(0, "not valid YAML")
		}
	}()
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	var document yaml.Node
	if err := decoder.Decode(&document); err != nil {
		if isEmpty(text) {
			return nil, nil
		}
		return bad(errorLine(err), "not valid YAML")
	}
	var second yaml.Node
	if decoder.Decode(&second) == nil {
		return bad(second.Line, "more than one YAML document")
	}
	if document.Kind != yaml.DocumentNode || len(document.Content) != 1 {
		return nil, nil
	}
	return document.Content[0], nil
}

// isEmpty reports whether text holds nothing but blank lines, comments and fences.
func isEmpty(text []byte) bool {
	for line := range bytes.Lines(text) {
		line = bytes.TrimSpace(line)
		if len(line) > 0 && line[0] != '#' && !isFence(line) && string(line) != "..." {
			return false
		}
	}
	return true
}

// errorLine takes the line, and nothing else, from a message of the YAML reader.
func errorLine(err error) int {
	match := regexp.MustCompile(`\bline ([0-9]{1,9}):`).FindStringSubmatch(err.Error())
	if match == nil {
		return 1
	}
	line, _ := strconv.Atoi(match[1])
	return max(line, 1)
}

// firstColumn is the column of a line's first character that is not a blank.
func firstColumn(text []byte, line int) int {
	for range line - 1 {
		_, rest, found := bytes.Cut(text, []byte("\n"))
		if !found {
			return 1
		}
		text = rest
	}
	column := 1
	for column <= len(text) && (text[column-1] == ' ' || text[column-1] == '\t') {
		column++
	}
	return column
}

// invalidLine is the first line that is not UTF-8, or 0.
func invalidLine(text []byte) int {
	if utf8.Valid(text) {
		return 0
	}
	n := 0
	for line := range bytes.Lines(text) {
		if n++; !utf8.Valid(line) {
			return n
		}
	}
	return 0
}
