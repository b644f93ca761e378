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
	// Without it such a declaration is a problem.
	Files fs.FS
}

// ParseYAML reads the ledgers of a workflow: a markdown workflow file with YAML
// between two lines of three hyphens, or a YAML document. Of it only
// tools.ledger matters; the legacy tools.repo-memory.ledger is refused (S7-09).
func ParseYAML(data []byte) (Configs, error) { return Parser{}.YAML(data) }

// ParseYAMLValue reads the value of tools.ledger alone, as YAML (or JSON).
func ParseYAMLValue(data []byte) (Configs, error) { return Parser{}.YAMLValue(data) }

// ParseMap reads the value of tools.ledger as a compiler holds it after it has
// decoded YAML or JSON. nil is an empty declaration, as in "ledger:".
func ParseMap(value map[string]any) (Configs, error) { return Parser{}.Map(value) }

// ParseTools reads the value of tools: its ledger property, and it refuses the
// legacy ledger property of repo-memory (S7-09).
func ParseTools(tools map[string]any) (Configs, error) { return Parser{}.Tools(tools) }

// YAML is [ParseYAML] with the parser's settings.
func (p Parser) YAML(data []byte) (Configs, error) {
	root, r, err := p.document(data)
	if root == nil || err != nil {
		return nil, err
	}
	if r.resolve(root).Kind != yaml.MappingNode {
		r.fail(root, ProblemWrongKind, "", "not an object", "state tools.ledger in an object")
		return nil, r.problems.err()
	}
	tools := r.child("", root, "tools")
	if tools == nil || r.resolve(tools).Kind != yaml.MappingNode {
		return nil, r.problems.err()
	}
	d := declaration{files: p.Files}
	if memory := r.child("tools", tools, "repo-memory"); memory != nil {
		d.legacy(r.read("tools.repo-memory", memory, 2))
	}
	var out Configs
	if node := r.child("tools", tools, "ledger"); node != nil {
		out = d.ledgers(r.read("tools.ledger", node, 2))
	}
	return d.finish(out, r.problems)
}

// YAMLValue is [ParseYAMLValue] with the parser's settings.
func (p Parser) YAMLValue(data []byte) (Configs, error) {
	root, r, err := p.document(data)
	if err != nil {
		return nil, err
	}
	t := &tree{kind: kindNull}
	if root != nil {
		t = r.read("tools.ledger", root, 0)
	}
	d := declaration{files: p.Files}
	return d.finish(d.ledgers(t), r.problems)
}

// Map is [ParseMap] with the parser's settings.
func (p Parser) Map(value map[string]any) (Configs, error) {
	var r goReader
	d := declaration{files: p.Files}
	return d.finish(d.ledgers(r.read("tools.ledger", value, 0)), r.problems)
}

// Tools is [ParseTools] with the parser's settings.
func (p Parser) Tools(tools map[string]any) (Configs, error) {
	var r goReader
	d := declaration{files: p.Files}
	if memory, ok := tools["repo-memory"]; ok {
		d.legacy(r.read("tools.repo-memory", memory, 0))
	}
	var out Configs
	if value, ok := tools["ledger"]; ok {
		out = d.ledgers(r.read("tools.ledger", value, 0))
	}
	return d.finish(out, r.problems)
}

// document parses the YAML of a file.
func (p Parser) document(data []byte) (*yaml.Node, *yamlReader, error) {
	if len(data) > maxFileBytes {
		return nil, nil, Problems{{Code: ProblemTooLarge, Text: "the file is larger than 8 MiB", Advice: "shorten it"}}
	}
	text, offset := yamlText(data)
	root, problems := parseYAML(text, offset)
	return root, &yamlReader{offset: offset}, problems.err()
}

// child finds one property of a mapping of which the others do not matter.
func (r *yamlReader) child(path string, n *yaml.Node, name string) *yaml.Node {
	n = r.resolve(n)
	if n.Kind != yaml.MappingNode {
		return nil
	}
	var found *yaml.Node
	for i := 0; i+1 < len(n.Content); i += 2 {
		if key, ok := keyName(r.resolve(n.Content[i])); !ok || key != name {
			continue
		}
		if found != nil {
			r.fail(n.Content[i], ProblemDuplicate, join(path, name), "occurs twice", "state it once")
			break
		}
		found = n.Content[i+1]
	}
	return found
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
