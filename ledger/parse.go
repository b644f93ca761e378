package ledger

import (
	"encoding/base64"
	"io/fs"
	"strings"

	"gopkg.in/yaml.v3"
)

// Parser reads declarations of tools.ledger. The zero Parser is ready to use
// and resolves no schema paths.
//
// Every method returns either valid ledgers, or all that is wrong as
// [Problems]. An input that declares no ledger gives no ledgers and no error.
type Parser struct {
	// Files is the repository's root, for schemas that are declared as a path.
	// Without it such a declaration is a problem. A path is relative to the
	// root, with forward slashes, and leads through no symbolic link to a regular
	// file of at most 1 MiB.
	Files fs.FS
}

// ParseYAML reads the ledgers of a workflow: a markdown workflow file with YAML
// between two lines of three hyphens, or a YAML document. Of it only
// tools.ledger matters; the legacy tools.repo-memory.ledger is refused (S7-09).
// The file may have 8 MiB, and the YAML in it 1 MiB. The error is a [Problems].
func ParseYAML(data []byte) (Configs, error) { return Parser{}.YAML(data) }

// ParseYAMLValue reads the value of tools.ledger alone, as YAML (or JSON) of at
// most 1 MiB. The error is a [Problems].
func ParseYAMLValue(data []byte) (Configs, error) { return Parser{}.YAMLValue(data) }

// ParseMap reads the value of tools.ledger as a compiler holds it after it has
// decoded YAML or JSON. nil is an empty declaration, as in "ledger:".
func ParseMap(value map[string]any) (Configs, error) { return Parser{}.Map(value) }

// ParseTools reads the value of tools: its ledger property, and it refuses the
// legacy ledger property of repo-memory (S7-09).
func ParseTools(tools map[string]any) (Configs, error) { return Parser{}.Tools(tools) }

// YAML is [ParseYAML] with the parser's settings.
func (p Parser) YAML(data []byte) (Configs, error) {
	d := p.declaration()
	root, r := d.document(data)
	if root == nil {
		return d.finish(nil)
	}
	if r.resolve(root).Kind != yaml.MappingNode {
		r.fail(root, ProblemWrongKind, whole(""), "not an object", "state tools.ledger in an object")
		return d.finish(nil)
	}
	path := whole("tools")
	_, tools := r.child(whole(""), root, "tools")
	if tools == nil {
		return d.finish(nil)
	}
	if _, memory := r.child(path, tools, "repo-memory"); memory != nil {
		r.legacy(path.property("repo-memory"), memory)
	}
	var out Configs
	if _, node := r.child(path, tools, "ledger"); node != nil {
		path := path.property("ledger")
		out = d.ledgers(path, r.read(path, node, 2))
	}
	return d.finish(out)
}

// YAMLValue is [ParseYAMLValue] with the parser's settings.
func (p Parser) YAMLValue(data []byte) (Configs, error) {
	d := p.declaration()
	path, t := whole("tools.ledger"), &tree{kind: kindNull}
	if root, r := d.document(data); root != nil {
		t = r.read(path, root, 0)
	}
	return d.finish(d.ledgers(path, t))
}

// Map is [ParseMap] with the parser's settings.
func (p Parser) Map(value map[string]any) (Configs, error) {
	d := p.declaration()
	r := goReader{report: d.report}
	path := whole("tools.ledger")
	return d.finish(d.ledgers(path, r.read(path, value, 0)))
}

// Tools is [ParseTools] with the parser's settings.
func (p Parser) Tools(tools map[string]any) (Configs, error) {
	d := p.declaration()
	r := goReader{report: d.report}
	if memory, ok := tools["repo-memory"]; ok {
		r.legacy(whole("tools.repo-memory"), memory)
	}
	var out Configs
	if value, ok := tools["ledger"]; ok {
		path := whole("tools.ledger")
		out = d.ledgers(path, r.read(path, value, 0))
	}
	return d.finish(out)
}

func (p Parser) declaration() declaration { return declaration{report: &report{}, files: p.Files} }

// document parses the YAML of a file. The node is nil when there is none or it
// cannot be parsed, which is reported.
func (d *declaration) document(data []byte) (*yaml.Node, *yamlReader) {
	if len(data) > maxFileBytes {
		d.add(Problem{Code: ProblemTooLarge, Text: "the file is larger than 8 MiB", Advice: "shorten it"})
		return nil, nil
	}
	text, offset := yamlText(data)
	root, problem := parseYAML(text, offset)
	if problem != nil {
		d.add(*problem)
	}
	return root, &yamlReader{report: d.report, offset: offset}
}

// decodeBase64 undoes the environment form, at most 96 KiB of it.
func decodeBase64(encoded string) ([]byte, Problems) {
	if len(encoded) > MaxEncodedBytes {
		return nil, Problems{{Code: ProblemTooLarge, Text: "the encoded configuration is larger than 96 KiB", Advice: "shorten the schemas"}}
	}
	data, err := base64.StdEncoding.Strict().DecodeString(encoded)
	if err != nil || strings.ContainsAny(encoded, "\r\n") { // which the decoder skips
		return nil, Problems{{Code: ProblemSyntax, Text: "not standard base64", Advice: "encode the JSON with padding and without line breaks"}}
	}
	return data, nil
}
