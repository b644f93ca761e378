package canonical

// indexKey reports whether text is an array-index key and gives its value.
func indexKey(text []byte) (uint32, bool) {
	if len(text) == 0 || len(text) > 10 || text[0] == '0' && len(text) > 1 {
		return 0, false
	}
	var n uint64
	for _, c := range text {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + uint64(c-'0')
	}
	return uint32(n), n < 1<<32-1
}

// compareWritten compares two keys in written order.
func compareWritten(a, b []byte, sa, sb shape) int {
	i, okA := indexKey(a)
	j, okB := indexKey(b)
	switch {
	case okA && okB:
		return int(int64(i) - int64(j))
	case okA:
		return -1
	case okB:
		return 1
	}
	return compareShaped(a, b, sa, sb)
}

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
	switch c := b[i]; c {
	case '"':
		end, _ := checkString(b, i+1)
		if end < 0 {
			return -1
		}
		return end + 1
	case '{':
		return checkObject(b, i+1, depth, orders)
	case '[':
		return checkArray(b, i+1, depth, orders)
	case 't':
		return checkWord(b, i, "true")
	case 'f':
		return checkWord(b, i, "false")
	case 'n':
		return checkWord(b, i, "null")
	}
	end, integer := numberEnd(b, i)
	if end < 0 || !isCanonicalNumber(b[i:end], integer) {
		return -1
	}
	return end
}

func checkWord(b []byte, i int, word string) int {
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
	var prev []byte
	var prevShape shape
	for first := true; ; first = false {
		if i >= len(b) || b[i] != '"' {
			return -1
		}
		end, s := checkString(b, i+1)
		if end < 0 {
			return -1
		}
		key := b[i+1 : end]
		if !first {
			if *orders &= keyOrders(prev, key, prevShape, s); *orders == 0 {
				return -1
			}
		}
		prev, prevShape = key, s
		if i = end + 1; i >= len(b) || b[i] != ':' {
			return -1
		}
		if i = CheckValue(b, i+1, depth+1, orders); i < 0 || i >= len(b) {
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

// keyOrders returns the orders in which key b may follow key a.
func keyOrders(a, b []byte, sa, sb shape) Orders {
	var orders Orders
	if compareShaped(a, b, sa, sb) < 0 {
		orders = Plain
	}
	if !startsWithDigit(a) && !startsWithDigit(b) {
		return orders | orders>>1 // no index key: both orders agree
	}
	if compareWritten(a, b, sa, sb) < 0 {
		orders |= Written
	}
	return orders
}

func startsWithDigit(key []byte) bool {
	return len(key) > 0 && '0' <= key[0] && key[0] <= '9'
}
