package main

import "gopkg.in/yaml.v3"

// mapping makes a YAML object of names and values in turn, in their order. A
// value is a node, or what scalar takes; nil is null.
func mapping(pairs ...any) *yaml.Node {
	m := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
	for i := 0; i+1 < len(pairs); i += 2 {
		add(m, pairs[i].(string), node(pairs[i+1]))
	}
	return m
}

func sequence(items ...any) *yaml.Node {
	s := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
	for _, item := range items {
		s.Content = append(s.Content, node(item))
	}
	return s
}

func node(value any) *yaml.Node {
	if n, ok := value.(*yaml.Node); ok {
		return n
	}
	return scalar(value)
}

// scalar makes a YAML scalar; the encoder quotes it where it must.
func scalar(value any) *yaml.Node {
	n := &yaml.Node{}
	if err := n.Encode(value); err != nil {
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null", Value: "null"}
	}
	return n
}

func add(m *yaml.Node, name string, value *yaml.Node) {
	m.Content = append(m.Content, scalar(name), value)
}

// set adds a text, or replaces it.
func set(m *yaml.Node, name, value string) {
	for i := 0; i+1 < len(m.Content); i += 2 {
		if m.Content[i].Value == name {
			m.Content[i+1] = scalar(value)
			return
		}
	}
	add(m, name, scalar(value))
}
