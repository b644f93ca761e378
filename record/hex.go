package record

import "encoding/binary"

const (
	eachByte = 0x0101010101010101
	lowBits  = 0x0f0f0f0f0f0f0f0f
)

// decodeHex8 decodes eight lower-case hexadecimal digits, which w holds with
// the first one lowest, into four bytes, the first one lowest. All eight are
// worked on at once: the identifiers of a record are a third of a short line.
// bad is not zero when w holds anything else.
func decodeHex8(w uint64) (v uint32, bad uint64) {
	letter := w >> 6 & eachByte // 'a' to 'f' have this bit, '0' to '9' do not
	n := w&lowBits + 9*letter
	above9 := (n + eachByte*(0x80-10)) >> 7 & eachByte
	bad = w ^ (n + eachByte*'0' + letter*('a'-'0'-10)) | above9 ^ letter | n&^lowBits
	n = (n<<4 | n>>8) & 0x00ff00ff00ff00ff
	n = (n | n>>8) & 0x0000ffff0000ffff
	return uint32(n | n>>16), bad
}

// decodeHex decodes lower-case hexadecimal digits, a multiple of eight that
// fills dst.
func decodeHex(dst, src []byte) bool {
	var bad uint64
	for len(src) >= 8 && len(dst) >= 4 {
		v, b := decodeHex8(binary.LittleEndian.Uint64(src))
		binary.LittleEndian.PutUint32(dst, v)
		bad |= b
		src, dst = src[8:], dst[4:]
	}
	return bad == 0 && len(src) == 0 && len(dst) == 0
}

// decodeUUID decodes the 36 characters of a lower-case UUID.
func decodeUUID(dst *[16]byte, b []byte) bool {
	if len(b) != uuidText || b[8] != '-' || b[13] != '-' || b[18] != '-' || b[23] != '-' {
		return false
	}
	var digits [32]byte
	copy(digits[:8], b[:8])
	copy(digits[8:12], b[9:13])
	copy(digits[12:16], b[14:18])
	copy(digits[16:20], b[19:23])
	copy(digits[20:], b[24:36])
	return decodeHex(dst[:], digits[:])
}
