use ouro_core::analysis::SymbolKind;

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
        (
            "src/defaults.ts",
            "const defaults = { apply(key: string) {} };\nexport default defaults;\n",
        ),
        ("lib/app.js", JS),
        ("lib/util.js", UTIL),
        ("index.js", INDEX),
        ("test/user.test.mjs", USER),
    ])
}

const SYMBOLS: &str = r##"
lib/app.js:19 [19-19] Constant app exported
  var app = exports = module.exports = {}
  doc 16-16: Application prototype.
lib/app.js:27 [27-35] Method app.listen exported
  app.listen = function listen(port)
  doc 22-24: Starts it. /  / @param {Number} port
  fails Error@29 "port is …"
lib/app.js:37 [37-37] Method app.handle exported
  app.handle = (n) =>
lib/app.js:39 [39-39] Method app.use exported
  app.use = function ()
lib/util.js:1 [1-1] Function flatten exported
  exports.flatten = function (list)
lib/util.js:5 [5-5] Function deep exported
  function deep()
lib/util.js:7 [7-7] Function View
  function View(name)
lib/util.js:9 [9-9] Method View.render
  View.prototype.render = function render()
lib/util.js:11 [11-11] Method View.lookup
  View.prototype.lookup = function ()
src/checks.ts:1 [1-1] Function positive exported
  function positive(n: number)
src/defaults.ts:1 [1-1] Constant defaults exported
  const defaults = { apply(key: string) {} }
src/defaults.ts:1 [1-1] Method defaults.apply exported
  apply(key: string)
src/net.ts:1 [1-3] Class Client exported
  class Client
src/net.ts:2 [2-2] Method Client.fetch exported
  fetch()
src/net.ts:4 [4-4] Function connect exported
  function connect(): Client
src/net.ts:5 [5-5] Constant LIMIT exported
  const LIMIT = 10
src/store.ts:11 [11-40] Class Store exported
  class Store extends EventEmitter implements Source
  doc 10-10: Where things are.
  member size@13: How many.
  member client@14
  member #secret@15
src/store.ts:20 [20-23] Method Store.constructor exported
  constructor(private index: Index, client?: Client)
  doc 18-18: Makes one.
src/store.ts:26 [26-34] Method Store.put exported
  async put<T>(key: string, value: T): Promise<Entry>
  doc 25-25: Puts.
  fails TypeError@27 "key of ${this.size} is empty"
  fails RangeError@33 "no room left"
src/store.ts:36 [36-36] Method Store.touch
  private touch(): void
src/store.ts:39 [39-39] Method Store.get exported
  get(key: string, other?: string): string
src/store.ts:42 [42-46] Interface Source exported
  interface Source
  member name@44: Its name.
src/store.ts:45 [45-45] Method Source.put exported
  put(key: string, value: unknown): Promise<Entry>
src/store.ts:48 [48-48] TypeAlias Entry exported
  type Entry = { key: string }
  member key@48
src/store.ts:50 [50-54] Enum Kind exported
  enum Kind
  member Full@52: No room.
  member Empty@53
src/store.ts:56 [56-58] Class Index
  class Index
src/store.ts:57 [57-57] Method Index.add
  add(key: string)
src/store.ts:61 [61-61] Function makeEntry
  const makeEntry = (key: string): Entry =>
  doc 60-60: Makes an entry.
src/store.ts:63 [63-63] Constant registry exported
  const registry = { stores: [] }
src/store.ts:65 [65-65] Function helper exported
  function helper(put: () => void)
test/user.test.mjs:4 [4-4] Constant store test
  const store = new Keeper()
test/user.test.mjs:6 [6-6] Function go test
  function go()
"##;

const REFERENCES: &str = r##"
index.js:1 - Import lib/app.js app
lib/app.js:13 - Import lib/util.js flatten
lib/app.js:13 - Import lib/util.js deep
lib/app.js:30 app.listen Call lib/util.js flatten
lib/app.js:31 app.listen Call lib/util.js deep
lib/app.js:32 app.listen Call lib/util.js flatten
lib/app.js:33 app.listen Call lib/app.js app.handle
lib/app.js:34 app.listen Call lib/app.js app.use
lib/util.js:3 - Use lib/util.js deep
lib/util.js:9 View.render Use lib/util.js View
lib/util.js:9 View.render Call lib/util.js View.lookup
lib/util.js:11 View.lookup Use lib/util.js View
src/net.ts:4 connect Call src/net.ts Client
src/net.ts:4 connect Use src/net.ts Client
src/store.ts:5 - Import src/net.ts Client
src/store.ts:6 - Import src/net.ts connect
src/store.ts:6 - Import src/net.ts LIMIT
src/store.ts:8 - Import src/defaults.ts defaults
src/store.ts:11 Store Extends src/store.ts Source
src/store.ts:14 Store Use src/net.ts Client
src/store.ts:20 Store.constructor Use src/net.ts Client
src/store.ts:20 Store.constructor Use src/store.ts Index
src/store.ts:22 Store.constructor Call src/net.ts connect
src/store.ts:26 Store.put Use src/store.ts Entry
src/store.ts:28 Store.put Call src/checks.ts positive
src/store.ts:28 Store.put Use src/net.ts LIMIT
src/store.ts:29 Store.put Call src/net.ts Client.fetch
src/store.ts:30 Store.put Call src/store.ts Index.add
src/store.ts:31 Store.put Call src/store.ts Store.touch
src/store.ts:32 Store.put Call src/store.ts makeEntry
src/store.ts:45 Source.put Use src/store.ts Entry
src/store.ts:57 Index.add Call src/defaults.ts defaults.apply
src/store.ts:61 makeEntry Use src/store.ts Entry
test/user.test.mjs:1 - Import lib/app.js app
test/user.test.mjs:2 - Import src/store.ts Store
test/user.test.mjs:4 store Call src/store.ts Store
test/user.test.mjs:5 - Call lib/app.js app.listen
test/user.test.mjs:6 go Call src/store.ts Store
test/user.test.mjs:6 go Call src/store.ts Store.put
test/user.test.mjs:6 go Call src/store.ts Store.get
"##;

#[test]
fn declarations_are_understood() {
    assert_eq!(symbols(&project().scan()).trim(), SYMBOLS.trim());
}

#[test]
fn uses_lead_to_the_declarations_that_they_mean() {
    assert_eq!(references(&project().scan()).trim(), REFERENCES.trim());
}

/// What a CommonJS module hands on without a variable of its own has a name all the same.
#[test]
fn what_is_assigned_to_the_exports_is_declared() {
    let server = "const Reply = require('./reply');\n\n/**\n * Serves.\n */\nmodule.exports = class Server extends Base {\n  \
                  /** Starts. */\n  listen(port) { return Reply.send(port); }\n};\n\nexports.Late = class {};\n";
    let reply = "/**\n * What is sent.\n */\nmodule.exports = {\n  /** Sends. */\n  send(port) { close(); URL(port); },\n\n  close: () => {},\n\n  get URL() {},\n};\n";
    let user =
        "const Server = require('./server');\n\nfunction main() { new Server().listen(1); }\n";
    let project = Project::new(&[("server.js", server), ("reply.js", reply), ("user.js", user)]);
    let found = project.scan();
    assert_eq!(
        symbols(&found).trim(),
        "reply.js:6 [6-6] Function send exported\n  send(port)\n  doc 5-5: Sends.\n\
         reply.js:8 [8-8] Function close exported\n  close: () =>\n\
         reply.js:10 [10-10] Function URL exported\n  get URL()\n\
         server.js:6 [6-9] Class Server exported\n  class Server extends Base\n  doc 4-4: Serves.\n\
         server.js:8 [8-8] Method Server.listen exported\n  listen(port)\n  doc 7-7: Starts.\n\
         user.js:3 [3-3] Function main\n  function main()"
    );
    let calls = references(&found);
    assert!(calls.contains("server.js:8 Server.listen Call reply.js send"), "{calls}");
    assert!(
        !calls.contains("reply.js:6"),
        "what is set on the exports has no name of its own: {calls}"
    );
    assert!(calls.contains("user.js:3 main Call server.js Server.listen"), "{calls}");
}

/// A script may be one function whose parts share what it was given.
#[test]
fn the_documented_functions_of_a_function_are_its_parts() {
    let common = "/** Makes what every platform shares. */\nfunction setup(env) {\n  /** Makes a logger. */\n  \
                  function create(name) { return enabled(name); }\n\n  /** Whether a name is on. */\n  function enabled(name) {\n    \
                  /** Deeper ones are nobody's business. */\n    function deep() {}\n    return deep() || own(name);\n  }\n\n  \
                  function own() {}\n  return create;\n}\n\nmodule.exports = setup;\n";
    let other = "/** Another. */\nfunction create() {}\n\nmodule.exports = { create };\n";
    let found = Project::new(&[("common.js", common), ("other.js", other)]).scan();
    assert_eq!(
        symbols(&found).trim(),
        "common.js:2 [2-15] Function setup exported\n  function setup(env)\n  doc 1-1: Makes what every platform shares.\n\
         common.js:4 [4-4] Function setup.create\n  function create(name)\n  doc 3-3: Makes a logger.\n\
         common.js:7 [7-11] Function setup.enabled\n  function enabled(name)\n  doc 6-6: Whether a name is on.\n\
         other.js:2 [2-2] Function create exported\n  function create()\n  doc 1-1: Another."
    );
    let calls = references(&found);
    assert!(calls.contains("common.js:4 setup.create Call common.js setup.enabled"), "{calls}");
    assert!(!calls.contains("Call other.js create"), "{calls}");
}

/// The documentation of a file's declarations: `name: text`.
fn docs(path: &str, text: &str) -> Vec<String> {
    let analysis = Project::new(&[(path, text)]).scan();
    let told = analysis.symbols.iter().filter_map(|s| Some((&s.name, s.doc.as_ref()?)));
    told.map(|(name, doc)| format!("{name}: {}", doc.text.lines().next().unwrap())).collect()
}

#[test]
fn a_heading_above_an_empty_line_documents_nothing() {
    let close = "/**\n * Reads tides from tables.\n */\n\nfunction read() {}\n\n// Helpers\n\nfunction help() {}\n\n/**\n * Everything below writes.\n */\n\nfunction write() {}\n\n/** Closes the table. */\nfunction close() {}\n";
    assert_eq!(docs("a.js", close), ["close: Closes the table."]);
    // Where documentation stands apart by habit, it is what has a body that it speaks of.
    let airy = "/**\n * Tides of all harbours.\n */\n\nvar limit = 2;\n\n/**\n * Module variables.\n */\n\nvar count = 1;\n\n/**\n * Reads a tide.\n *\n * @param {String} text\n */\n\nfunction read(text) {}\n\n/**\n * Closes the table.\n */\n\nfunction close() {}\n";
    assert_eq!(docs("b.js", airy), ["read: Reads a tide.", "close: Closes the table."]);
    let java = "package a;\n\n/** Tides. */\n\npublic class Tide {\n  /** Numbers. */\n\n  int count;\n\n  /** Adds one. @param a what */\n\n  void add(int a) {}\n}\n";
    // Javadoc takes it for the documentation, however far apart it stands.
    assert_eq!(docs("A.java", java), ["Tide: Tides.", "add: Adds one. @param a what"]);
}

#[test]
fn words_in_line_comments_right_above_a_function_or_type_document_it() {
    let code = "// Called when the tide turns,\n// once for each harbour.\nexport function turn() {}\n\n// TODO make it faster\nfunction wait() {}\n\n// old();\n// return old;\nfunction next() {}\n\n// Helpers\nfunction help() {}\n\n// Holds what a harbour knows\n// eslint-disable-next-line max-len\nclass Harbour {\n  // Opens the gate of the harbour\n  open() {}\n\n  size = 1 // how large it is\n  close() {}\n}\n\n// Most boats in one harbour\nconst most = 2\n\n// Stands apart from what follows\n\nfunction last() {}\n";
    let told = [
        "turn: Called when the tide turns,",
        "Harbour: Holds what a harbour knows",
        "open: Opens the gate of the harbour",
    ];
    assert_eq!(docs("a.js", code), told);
    assert_eq!(
        docs("A.java", "package a;\n\n// Holds what a harbour knows\nclass A {}\n"),
        [""; 0]
    );
}

#[test]
fn a_field_that_holds_a_function_is_a_method() {
    let code = "export class Maker {\n  /** Makes a thing of another. */\n  make: Make = (base, recipe) => {\n    return this.help(base)\n  }\n\n  help = function (base) { return base }\n  size = 1\n}\n";
    for path in ["a.ts", "a.js"] {
        let code = if path == "a.js" { code.replace(": Make", "") } else { code.to_owned() };
        let analysis = Project::new(&[(path, &code)]).scan();
        let methods: Vec<&str> = analysis
            .symbols
            .iter()
            .filter(|s| s.kind == SymbolKind::Method && s.exported)
            .map(|s| s.name.as_str())
            .collect();
        assert_eq!(methods, ["make", "help"], "{path}");
        let members: Vec<&str> =
            analysis.symbols[0].members.iter().map(|m| m.name.as_str()).collect();
        assert_eq!(members, ["size"], "{path}");
        assert!(references(&analysis).contains("Maker.make Call"), "{}", references(&analysis));
    }
}

#[test]
fn an_entry_leads_to_what_it_hands_on() {
    let cases: [(&[(&str, &str)], &str); 5] = [
        (
            &[
                ("index.js", "'use strict'\nmodule.exports = require('./lib/make')\n"),
                (
                    "lib/make.js",
                    "exports = module.exports = createMill\nfunction createMill() {}\nexports.other = function () {}\n",
                ),
            ],
            "createMill",
        ),
        (
            &[
                ("index.js", "const Mill = require('./lib/mill')\nmodule.exports = Mill\n"),
                ("lib/mill.js", "class Mill {}\nmodule.exports = Mill\n"),
            ],
            "Mill",
        ),
        (
            &[
                ("index.js", "export { default } from './lib/mill.js'\n"),
                ("lib/mill.js", "export default function mill() {}\n"),
            ],
            "mill",
        ),
        (&[("index.js", "export default class Mill {}\n")], "Mill"),
        (&[("index.js", "module.exports = { a, b }\nfunction a() {}\nfunction b() {}\n")], ""),
    ];
    for (files, wanted) in cases {
        let manifest = ("package.json", "{\"name\": \"mill\", \"main\": \"index.js\"}");
        let analysis = Project::new(&[&[manifest], files].concat()).scan();
        let exports = analysis.entry_points[0].exports;
        let name = exports.map_or("", |id| analysis.symbols[id].name.as_str());
        assert_eq!(name, wanted, "{files:?}");
    }
}

#[test]
fn what_an_entry_hands_on_of_other_files_is_imported_by_it() {
    let analysis = Project::new(&[
        ("package.json", "{\"name\": \"mill\", \"main\": \"index.js\"}"),
        ("index.js", "export * from './lib/all.js'\n"),
        ("lib/all.js", "export * from './grind.js'\nexport { sift as sieve } from './sift.js'\n"),
        ("lib/grind.js", "export function grind() {}\nfunction hidden() {}\n"),
        ("lib/sift.js", "export function sift() {}\n"),
    ])
    .scan();
    let told = references(&analysis);
    assert!(told.contains("index.js:1 - Import lib/grind.js grind\n"), "{told}");
    assert!(!told.contains("hidden"), "{told}");
}
