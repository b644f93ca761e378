package replay

import "iter"

// pile is a list that grows without ever being copied, so that a long one
// takes no more memory than what is in it.
type pile[T any] struct {
	parts [][]T
	n     int
}

const pilePart = 1024 // entries of a part

func (p *pile[T]) add(v T) {
	if p.n%pilePart == 0 {
		p.parts = append(p.parts[:p.n/pilePart], make([]T, 0, pilePart))
	}
	last := &p.parts[p.n/pilePart]
	*last = append((*last)[:p.n%pilePart], v)
	p.n++
}

// from yields the entries from the i-th on.
func (p *pile[T]) from(i int) iter.Seq[*T] {
	return func(yield func(*T) bool) {
		for ; i < p.n; i++ {
			if !yield(&p.parts[i/pilePart][i%pilePart]) {
				return
			}
		}
	}
}

// cut removes the entries from the i-th on.
func (p *pile[T]) cut(i int) { p.n = i }
