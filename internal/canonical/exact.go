package canonical

import "math/big"

// carries reports whether a double holds the integer literal: it is the same
// number, or it is printed as the same text.
func carries(lit []byte) bool {
	if isPlainInteger(lit) || isCanonicalNumber(lit, true) || string(lit) == "-0" {
		return true
	}
	if len(lit) > 310 { // more digits than the largest double has
		return false
	}
	n, ok := new(big.Int).SetString(string(lit), 10)
	if !ok {
		return false
	}
	_, accuracy := new(big.Float).SetInt(n).Float64()
	return accuracy == big.Exact
}
