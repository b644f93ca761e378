//go:build race

package simulation

// usual is smaller under the race detector, which makes each seed slow.
const usual = 500
