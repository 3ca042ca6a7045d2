use crate::support::{Project, references, symbols};

const STORE: &str = r#"/**
 * @fileoverview Keeps things.
 */
import { EventEmitter } from "events";
import type { Client } from "./net";
import { connect, LIMIT as MOST } from "./net.js";
import * as checks from "./checks";
import defaults from "./defaults";

/** Where things are. */
export class Store extends EventEmitter implements Source {
  /** How many. */
  private size: number = 0;
  readonly client: Client;
  #secret = 1;

  /**
   * Makes one.
   */
  constructor(private index: Index, client?: Client) {
    super();
    this.client = client ?? connect();
  }

  /** Puts. */
  async put<T>(key: string, value: T): Promise<Entry> {
    if (!key) throw new TypeError(`key of ${this.size} is empty`);
    checks.positive(MOST);
    this.client.fetch();
    this.index.add(key);
    this.touch();
    const made = makeEntry(key);
    return Promise.reject(new RangeError("no room left"));
  }

  private touch(): void {}

  get(key: string): string;
  get(key: string, other?: string): string { return key; }
}

export interface Source {
  /** Its name. */
  name: string;
  put(key: string, value: unknown): Promise<Entry>;
}

export type Entry = { key: string };

export enum Kind {
  /** No room. */
  Full = "full",
  Empty = 2,
}

class Index {
  add(key: string) { defaults.apply(key); }
}

/** Makes an entry. */
const makeEntry = (key: string): Entry => ({ key });

export const registry = { stores: [] };

function helper(put: () => void) { put(); }

export { helper as aid };
"#;

const NET: &str = r#"export class Client {
  fetch() {}
}
export function connect(): Client { return new Client(); }
export const LIMIT = 10;
"#;

const JS: &str = r#"/*!
 * Copyright (c) 2014 Somebody
 */

'use strict';

/**
 * Module dependencies.
 */

var http = require('http');
var util = require('./util');
const { flatten, deep: deepest } = require('./util');

/**
 * Application prototype.
 */

var app = exports = module.exports = {};

/**
 * Starts it.
 *
 * @param {Number} port
 */

app.listen = function listen(port) {
  var server = http.createServer(this);
  if (!port) throw new Error('port is ' + port);
  flatten([port]);
  deepest();
  util.flatten();
  this.handle(1);
  return function handle() { app.use(); };
};

app.handle = (n) => { lost(); };

app.use = function () {};
"#;

const UTIL: &str = r#"exports.flatten = function (list) { return list; };

exports.deep = deep;

function deep() {}

function View(name) { this.name = name; }

View.prototype.render = function render() { this.lookup(); };

View.prototype.lookup = function () {};
"#;

const INDEX: &str = "module.exports = require('./lib/app');\n";

const USER: &str = "import app from '../index.js';\nimport { Store as Keeper } from '../src/store';\n\nconst store = new Keeper();\napp.listen(1);\nfunction go() { const s = new Keeper(); s.put('a', 1); s.get('b'); s.on('x'); }\n";

fn project() -> Project {
    Project::new(&[
        ("package.json", "{\"name\": \"keeper\", \"main\": \"index.js\"}"),
        ("src/store.ts", STORE),
        ("src/net.ts", NET),
        ("src/checks.ts", "export function positive(n: number) {}\n"),
        ("src/defaults.ts", "const defaults = { apply(key: string) {} };\nexport default defaults;\n"),
        ("lib/app.js", JS),
        ("lib/util.js", UTIL),
        ("index.js", INDEX),
        ("test/user.test.mjs", USER),
    ])
}

#[test]
fn declarations_are_understood() {
    println!("{}", symbols(&project().scan()));
    println!("{}", references(&project().scan()));
}
