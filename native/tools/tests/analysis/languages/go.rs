use crate::support::{Project, references, symbols};

const STORE: &str = r#"// Copyright 2020 Somebody.

// Package store keeps things.
//
// In files.
package store

import (
	"errors"
	"fmt"

	nt "example.com/keeper/net"
)

// Limit is the most.
const Limit = 10

// What can go wrong.
var (
	// ErrFull means no room.
	ErrFull = errors.New("store is full")
	errGone = errors.New("gone")
)

// Store keeps things.
type Store struct {
	nt.Base
	*Index
	// Path is where.
	Path string
	client *nt.Client // talks
	size, age int
}

// Source is read.
type Source interface {
	// Read reads.
	Read(key string) (string, error)
}

type Option func(*Store)

// Open opens a store.
//
//go:noinline
func Open(path string, options ...Option) (*Store, error) {
	if path == "" {
		return nil, fmt.Errorf("path %q is empty", path)
	}
	store := &Store{Path: path}
	store.client = nt.NewClient()
	for _, option := range options {
		option(store)
	}
	client, err := nt.Dial("x")
	client.Fetch(err)
	return store, nil
}

// Put puts.
func (s *Store) Put(key string) error {
	if s.size > Limit {
		return ErrFull
	}
	s.client.Fetch(nil)
	s.Add(key)
	s.Reset()
	helper(key)
	return nil
}

func helper(key string) {
	panic("no key")
}

// Index finds.
type Index struct{}

func (i Index) Add(key string) {}
"#;

const NET: &str = r#"package net

type Base struct{}

func (Base) Reset() {}

type Client struct{}

func NewClient() *Client { return &Client{} }

func Dial(host string) (*Client, error) { return NewClient(), nil }

func (c *Client) Fetch(err error) {}
"#;

const MAIN: &str = r#"package main

import "example.com/keeper/store"

func main() {
	s, err := store.Open("a")
	_ = err
	s.Put("k")
	use(store.ErrFull)
}

func use(err error) {}
"#;

const TEST: &str = r#"package store

import "testing"

func TestOpen(t *testing.T) {
	s, _ := Open("x")
	s.Put("a")
	t.Fatal("x")
}
"#;

fn project() -> Project {
    Project::new(&[
        ("go.mod", "module example.com/keeper\n\ngo 1.22\n"),
        ("store/store.go", STORE),
        ("store/store_test.go", TEST),
        ("net/net.go", NET),
        ("cmd/keep/main.go", MAIN),
    ])
}

const SYMBOLS: &str = r##"
cmd/keep/main.go:5 [5-10] Function main
  func main()
cmd/keep/main.go:12 [12-12] Function use
  func use(err error)
net/net.go:3 [3-3] Struct Base exported
  type Base struct
net/net.go:5 [5-5] Method Base.Reset exported
  func (Base) Reset()
net/net.go:7 [7-7] Struct Client exported
  type Client struct
net/net.go:9 [9-9] Function NewClient exported
  func NewClient() *Client
net/net.go:11 [11-11] Function Dial exported
  func Dial(host string) (*Client, error)
net/net.go:13 [13-13] Method Client.Fetch exported
  func (c *Client) Fetch(err error)
store/store.go:16 [16-16] Constant Limit exported
  const Limit = 10
  doc 15-15: Limit is the most.
store/store.go:21 [21-21] Constant ErrFull exported
  var ErrFull = errors.New("store is full")
  doc 20-20: ErrFull means no room.
store/store.go:22 [22-22] Constant errGone
  var errGone = errors.New("gone")
store/store.go:26 [26-33] Struct Store exported
  type Store struct
  doc 25-25: Store keeps things.
  member Path@30: Path is where.
  member client@31: talks
  member size@32
  member age@32
store/store.go:36 [36-39] Interface Source exported
  type Source interface
  doc 35-35: Source is read.
store/store.go:38 [38-38] Method Source.Read exported
  Read(key string) (string, error)
  doc 37-37: Read reads.
store/store.go:41 [41-41] TypeAlias Option exported
  type Option func(*Store)
store/store.go:46 [46-58] Function Open exported
  func Open(path string, options ...Option) (*Store, error)
  doc 43-43: Open opens a store.
  fails fmt.Errorf@48 "path %q is empty"
store/store.go:61 [61-70] Method Store.Put exported
  func (s *Store) Put(key string) error
  doc 60-60: Put puts.
  fails ErrFull@63 "store is full"
store/store.go:72 [72-74] Function helper
  func helper(key string)
  fails panic@73 "no key"
store/store.go:77 [77-77] Struct Index exported
  type Index struct
  doc 76-76: Index finds.
store/store.go:79 [79-79] Method Index.Add exported
  func (i Index) Add(key string)
store/store_test.go:5 [5-9] Function TestOpen exported test
  func TestOpen(t *testing.T)
"##;

const REFERENCES: &str = r##"
cmd/keep/main.go:6 main Call store/store.go Open
cmd/keep/main.go:8 main Call store/store.go Store.Put
cmd/keep/main.go:9 main Call cmd/keep/main.go use
cmd/keep/main.go:9 main Use store/store.go ErrFull
net/net.go:5 Base.Reset Use net/net.go Base
net/net.go:9 NewClient Call net/net.go Client
net/net.go:9 NewClient Use net/net.go Client
net/net.go:11 Dial Use net/net.go Client
net/net.go:11 Dial Call net/net.go NewClient
net/net.go:13 Client.Fetch Use net/net.go Client
store/store.go:27 Store Extends net/net.go Base
store/store.go:28 Store Extends store/store.go Index
store/store.go:31 Store Use net/net.go Client
store/store.go:41 Option Use store/store.go Store
store/store.go:46 Open Use store/store.go Store
store/store.go:46 Open Use store/store.go Option
store/store.go:50 Open Call store/store.go Store
store/store.go:51 Open Call net/net.go NewClient
store/store.go:55 Open Call net/net.go Dial
store/store.go:56 Open Call net/net.go Client.Fetch
store/store.go:61 Store.Put Use store/store.go Store
store/store.go:62 Store.Put Use store/store.go Limit
store/store.go:63 Store.Put Use store/store.go ErrFull
store/store.go:65 Store.Put Call net/net.go Client.Fetch
store/store.go:66 Store.Put Call store/store.go Index.Add
store/store.go:67 Store.Put Call net/net.go Base.Reset
store/store.go:68 Store.Put Call store/store.go helper
store/store.go:79 Index.Add Use store/store.go Index
store/store_test.go:6 TestOpen Call store/store.go Open
store/store_test.go:7 TestOpen Call store/store.go Store.Put
"##;

#[test]
fn declarations_are_understood() {
    assert_eq!(symbols(&project().scan()).trim(), SYMBOLS.trim());
}

#[test]
fn uses_lead_to_the_declarations_that_they_mean() {
    assert_eq!(references(&project().scan()).trim(), REFERENCES.trim());
}

#[test]
fn what_a_function_says_that_only_calls_the_next_of_its_name_is_said_of_both() {
    let code = "package mill\n\n// Mill grinds.\ntype Mill struct{}\n\nvar m = &Mill{}\n\n// Grind grinds the corn.\nfunc Grind(n int) int { return m.Grind(n) }\n\nfunc (m *Mill) Grind(n int) int { return n }\n\n// Turn turns twice.\nfunc Turn(n int) int { return m.Turn(n) + m.Halt(n) }\n\nfunc (m *Mill) Turn(n int) int { return n }\n\nfunc (m *Mill) Halt(n int) int { return n }\n";
    let analysis = Project::new(&[("mill.go", code)]).scan();
    let told = analysis.symbols.iter().filter(|s| s.container.is_some() && s.doc.is_some());
    let told: Vec<&str> = told.map(|s| s.name.as_str()).collect();
    assert_eq!(told, ["Grind"]);
}
