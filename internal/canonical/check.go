package canonical

// Check reports in which orders b is one canonical value, and nothing else,
// whose outermost value has the given depth. The result is zero when it is
// canonical in none.
func Check(b []byte, depth int) Orders {
	orders := Written | Plain
	if end := CheckValue(b, 0, depth, &orders); end != len(b) {
		return 0
	}
	return orders
}

// CheckValue checks the canonical value at b[i:] and returns its end, or -1.
// It narrows orders to those that every object of it is in.
func CheckValue(b []byte, i, depth int, orders *Orders) int {
	if i >= len(b) || depth > MaxDepth {
		return -1
	}
	switch b[i] {
	case '"':
		_, end := checkString(b, i+1)
		return end
	case '{':
		return checkObject(b, i+1, depth, orders)
	case '[':
		return checkArray(b, i+1, depth, orders)
	case 't':
		return wordEnd(b, i, "true")
	case 'f':
		return wordEnd(b, i, "false")
	case 'n':
		return wordEnd(b, i, "null")
	}
	end, integer := numberEnd(b, i)
	if end < 0 || !isCanonicalNumber(b[i:end], integer) {
		return -1
	}
	return end
}

// wordEnd returns the end of the word at b[i:], or -1 when it is not there.
func wordEnd(b []byte, i int, word string) int {
	if end := i + len(word); end <= len(b) && string(b[i:end]) == word {
		return end
	}
	return -1
}

func checkArray(b []byte, i, depth int, orders *Orders) int {
	if i < len(b) && b[i] == ']' {
		return i + 1
	}
	for {
		if i = CheckValue(b, i, depth+1, orders); i < 0 || i >= len(b) {
			return -1
		}
		switch b[i] {
		case ',':
			i++
		case ']':
			return i + 1
		default:
			return -1
		}
	}
}

func checkObject(b []byte, i, depth int, orders *Orders) int {
	if i < len(b) && b[i] == '}' {
		return i + 1
	}
	var previous text
	for first := true; ; first = false {
		if i >= len(b) || b[i] != '"' {
			return -1
		}
		key, end := checkString(b, i+1)
		if end < 0 || end >= len(b) || b[end] != ':' {
			return -1
		}
		if !first {
			if *orders &= ordersOf(previous, key); *orders == 0 {
				return -1
			}
		}
		previous = key
		if i = CheckValue(b, end+1, depth+1, orders); i < 0 || i >= len(b) {
			return -1
		}
		switch b[i] {
		case ',':
			i++
		case '}':
			return i + 1
		default:
			return -1
		}
	}
}
