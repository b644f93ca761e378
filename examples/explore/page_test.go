//go:build cgo && unix

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
)

// pageOf writes the page of a ledger and opens it.
func pageOf(t *testing.T, b *browser, o options) (page string) {
	t.Helper()
	o.html, o.newest = filepath.Join(t.TempDir(), "page.html"), 10
	if code, _, errs := run(t, o, false); code != 0 {
		t.Fatal(errs)
	}
	b.open(o.html)
	return o.html
}

// harmless checks that a page says nothing wrong, asks for nothing, runs nothing
// of the ledger's, and fits on a phone. GITLEDGER_PICTURES names a folder for
// pictures of it.
func harmless(t *testing.T, b *browser, page, name string) {
	t.Helper()
	if got := b.eval("String(window.hacked) + document.querySelectorAll('img, script:not(:last-of-type), a:not([href^=\"#r-\"])').length"); got != "undefined0" {
		t.Errorf("%s: %v", name, got)
	}
	for _, r := range b.eval("document.documentElement.textContent").(string) {
		if !unicode.IsPrint(r) && r != '\n' && r != '\t' {
			t.Errorf("%s: the page holds %U", name, r)
			break
		}
	}
	if got := b.eval("Array.from(document.querySelectorAll('a')).filter((a) => !document.getElementById(a.getAttribute('href').slice(1))).length"); got != 0.0 {
		t.Errorf("%s: %v links lead nowhere", name, got)
	}
	for _, scheme := range []string{"light", "dark"} {
		b.scheme(scheme)
		for _, width := range []int{390, 1200} {
			b.size(width, 800)
			if got := b.eval("document.documentElement.scrollWidth"); got.(float64) > float64(width) {
				t.Errorf("%s: the page is %v wide on a screen of %d", name, got, width)
			}
			if to := os.Getenv("GITLEDGER_PICTURES"); to != "" {
				b.shot(filepath.Join(to, fmt.Sprintf("%s-%s-%d.png", name, scheme, width)), width, 2000)
			}
		}
	}
	if err := b.complaints(page); err != nil {
		t.Errorf("%s: %v", name, err)
	}
}

func TestPage(t *testing.T) {
	path, config := newRepository(t)
	b := newBrowser(t)
	for _, name := range []string{"findings", "knowledge", "audit", "absent"} {
		o := options{repo: path, ledger: name, config: config}
		if name == "absent" {
			o.config = ""
		}
		page := pageOf(t, b, o)
		if got := b.eval("document.querySelector('h1').textContent"); got != name {
			t.Errorf("%s: the title is %v", name, got)
		}
		if name != "absent" && b.eval("document.body.textContent.includes('<script>window.hacked=1')") != true {
			t.Errorf("%s: the attack is not shown as text", name)
		}
		harmless(t, b, page, name)
	}
	// A note shows what was voted.
	pageOf(t, b, options{repo: path, ledger: "knowledge", config: config})
	if got := b.eval("[document.querySelector('.votes strong').textContent, document.querySelectorAll('details li').length, document.querySelector('.cites code').textContent].join()"); got != "+1,1,Makefile:3" {
		t.Errorf("the note: %v", got)
	}
}

func TestPageAtWork(t *testing.T) {
	path, config := newRepository(t)
	b := newBrowser(t)
	page := pageOf(t, b, options{repo: path, ledger: "findings", config: config})
	shown := func() any {
		return b.eval("document.querySelectorAll('#state tbody tr:not([hidden])').length + ' ' + document.getElementById('found').textContent")
	}
	if got := shown(); got != "12 " {
		t.Errorf("before a search: %v", got)
	}
	if got := b.eval("[document.querySelectorAll('.graph circle').length, document.querySelectorAll('.graph a').length, document.querySelectorAll('.graph .head').length, document.querySelectorAll('.growth .line').length].join()"); got != "12,10,1,1" {
		t.Errorf("the graph: %v", got)
	}
	// A person types: a slash leads to the search, words narrow it, Escape ends it,
	// and the next tab stop is what can be scrolled.
	b.press("/", "/")
	for _, c := range "f-11" {
		b.press(string(c), string(c))
	}
	if got := shown(); got != "1 2 of 22" { // a row of state, and a record
		t.Errorf("a search: %v", got)
	}
	// A link leads to a record that the search hides.
	b.eval("location.hash = Array.from(document.querySelectorAll('[data-row][hidden]')).findLast((row) => row.id).id")
	if got := b.eval("new Promise((done) => requestAnimationFrame(() => setTimeout(() => done(document.querySelector(':target').hidden))))"); got != false {
		t.Errorf("the link leads to what cannot be seen: %v", got)
	}
	b.press("/", "/")
	for _, c := range "zzz" {
		b.press(string(c), string(c))
	}
	if got := shown(); got != "0 0 of 22" {
		t.Errorf("a search for nothing: %v", got)
	}
	b.press("Escape", "")
	if got := shown(); got != "12 " {
		t.Errorf("after the search: %v", got)
	}
	b.press("Tab", "")
	if got := b.eval("document.activeElement.getAttribute('aria-label')"); got != "State" {
		t.Errorf("the next tab stop is %v", got)
	}
	background := func(scheme string) any {
		b.scheme(scheme)
		return b.eval("getComputedStyle(document.body).backgroundColor")
	}
	if light, dark := background("light"), background("dark"); light != "rgb(255, 255, 255)" || dark != "rgb(13, 17, 23)" {
		t.Errorf("backgrounds %v and %v", light, dark)
	}
	if err := b.complaints(page); err != nil {
		t.Error(err)
	}
	// The policy holds: a script that is not the page's own does not run, and the
	// complaint about it is noticed.
	b.eval("{ const s = document.createElement('script'); s.textContent = 'window.hacked = 4'; document.body.append(s); const i = new Image(); i.src = 'http://127.0.0.1:1/x'; document.body.append(i) }")
	if got := b.eval("String(window.hacked)"); got != "undefined" {
		t.Errorf("a foreign script ran: %v", got)
	}
	if err := b.complaints(page); err == nil || !strings.Contains(err.Error(), "Content Security Policy") {
		t.Errorf("a violation goes unnoticed: %v", err)
	}
}
