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

#[test]
fn declarations_are_understood() {
    println!("{}", symbols(&project().scan()));
    println!("{}", references(&project().scan()));
}
