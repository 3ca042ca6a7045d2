//! Where the readers of a library come in: what its examples work with, what its errors are, what is followed first.

use ouro_core::{Language, LearningRecord};

use crate::stage::Stage;

async fn learn(files: &[(&str, &str)]) -> Vec<LearningRecord> {
    Stage::of(files).learn(40, Language::English).await
}

/// The first answer whose topic begins so.
fn about<'r>(records: &'r [LearningRecord], topic: &str) -> &'r str {
    let of = |r: &&LearningRecord| r.topic.as_ref().is_some_and(|t| t.subject.starts_with(topic));
    records.iter().find(of).map_or("", |r| r.answer.as_str())
}

/// A store whose transactions more of the code works with than with the store itself.
const STORE: &str = "// Package farm keeps grain.\npackage farm\n\nimport \"errors\"\n\n// Silo keeps the grain of a farm.\ntype Silo struct{ held int }\n\n\
    // Open opens the silo at a place.\nfunc Open(place string) (s *Silo, err error) {\n\treturn &Silo{}, nil\n}\n\n\
    // Fill lets a load of grain into the silo.\nfunc (s *Silo) Fill(load int) error {\n\tb := Batch{}\n\tb.Weigh(load)\n\treturn nil\n}\n\n\
    // Batch is grain that came at once.\ntype Batch struct{ weight int }\n\n// Weigh weighs the batch.\nfunc (b *Batch) Weigh(n int) int {\n\tb.weight = n\n\treturn n\n}\n\n\
    // Sift sifts the batch.\nfunc (b *Batch) Sift(n int) int {\n\tb.weight -= n\n\treturn n\n}\n\n// ErrWet is returned for grain that is too wet to keep.\nvar ErrWet = errors.New(\"the grain is wet\")\n";
const USERS: &str = "package farm\n\nfunc one(b *Batch) int { return b.Weigh(1) + b.Sift(1) }\n\nfunc two(b *Batch) int { return b.Weigh(2) + b.Sift(2) }\n\n\
    func three() int {\n\tb := Batch{}\n\treturn b.Weigh(3)\n}\n\nfunc four() int {\n\tb := Batch{}\n\treturn b.Sift(4)\n}\n";
const SILO_README: &str = "# farm\n\nKeeps grain in one piece, batch by batch: each Batch is weighed.\n\n```go\ns, err := farm.Open(\"yard\")\nif err != nil {\n\treturn err\n}\ns.Fill(3)\n```\n";

#[tokio::test]
async fn what_the_first_example_opens_is_read_first_and_its_calls_are_known() {
    // A helper of the tests has a type of the same name.
    let double = "package fake\n\n// Silo stands for one in tests.\ntype Silo struct{}\n";
    let records = learn(&[
        ("go.mod", "module example.com/farm\n"),
        ("README.md", SILO_README),
        ("silo.go", STORE),
        ("users.go", USERS),
        ("internal/fake/silo.go", double),
    ])
    .await;
    let overview = about(&records, "overview");
    assert!(overview.contains("the struct `Silo` (`silo.go:7`)"), "{overview}");
    let usage = about(&records, "usage");
    assert!(usage.contains("- `Fill`: lets a load of grain into the silo (`silo.go"), "{usage}");
}

#[tokio::test]
async fn the_result_of_a_function_is_not_read_before_what_does_the_work() {
    let readme = SILO_README.replace("farm.Open", "farm.Fetch");
    let store = STORE.replace("Open opens", "Fetch fetches").replace("func Open", "func Fetch");
    let files = [
        ("go.mod", "module example.com/farm\n"),
        ("README.md", readme.as_str()),
        ("silo.go", store.as_str()),
        ("users.go", USERS),
    ];
    let records = learn(&files).await;
    let overview = about(&records, "overview");
    assert!(overview.contains("the struct `Batch` (`silo.go"), "{overview}");
}

#[tokio::test]
async fn an_example_of_one_call_is_told_with_what_that_hands_out() {
    let readme = SILO_README.replace("s.Fill(3)\n", "use(s)\n");
    let batch = "// Turned is a batch that lies the other way.\nfunc (s *Silo) Turned() int {\n\treturn 1\n}\n";
    let store = STORE
        .replace("\treturn &Silo{}, nil\n", "\tprepare(place)\n\treturn &Silo{}, nil\n")
        + "\n// prepare sweeps the place where a silo stands.\nfunc prepare(place string) int {\n\tn := len(place)\n\treturn n\n}\n\n"
        + batch;
    let files =
        [("go.mod", "module example.com/farm\n"), ("README.md", &readme), ("silo.go", &store)];
    let records = learn(&files).await;
    let usage = about(&records, "usage");
    assert!(usage.contains("- `Silo`: keeps the grain of a farm (`silo.go:6-7`)"), "{usage}");
}

#[tokio::test]
async fn an_archive_of_java_is_introduced_by_the_readme_in_its_metadata() {
    let page = "package press;\n\n/** A page that was printed. */\npublic class Page {\n    /** The words on it. */\n    public String words() {\n        return \"\";\n    }\n\n    \
        /** Finds a word on the page. */\n    public int find(String word) {\n        return 1;\n    }\n\n    /** Finds a word behind a place. */\n    public int find(String word, int from) {\n        return from;\n    }\n}\n";
    let press = "package press;\n\n/** Prints pages. */\npublic class Press {\n    /** Prints a text. */\n    public static Page print(String text) {\n        return new Page();\n    }\n\n    \
        /** Prints a text in a size. */\n    public static Page print(String text, int size) {\n        return new Page();\n    }\n}\n";
    let readme = "# press\n\nPrints pages from text.\n\n```java\nPage page = Press.print(\"news\", 12);\nint at = page.find(\"word\");\n```\n";
    let records = learn(&[
        ("META-INF/README.md", readme),
        ("press/Page.java", page),
        ("press/Press.java", press),
    ])
    .await;
    let usage = about(&records, "usage");
    assert!(
        usage.contains("Prints a text in a size") || usage.contains("prints a text in a size"),
        "{usage}"
    );
    assert!(
        usage.contains("Finds a word on the page") || usage.contains("finds a word on the page"),
        "{usage}"
    );
    assert!(!usage.contains("behind a place"), "{usage}");
}

#[tokio::test]
async fn what_only_a_program_beside_the_library_fails_with_is_not_told_of_the_library() {
    let tool = "package main\n\nimport \"example.com/farm/cmd/farm/command\"\n\nfunc main() { command.Run(1) }\n";
    let command = "package command\n\nimport \"errors\"\n\n// ErrUsage is returned where the program is called wrongly.\nvar ErrUsage = errors.New(\"wrong use\")\n\n\
        // Run runs the program.\nfunc Run(n int) error {\n\tif n > 3 {\n\t\treturn ErrUsage\n\t}\n\treturn nil\n}\n";
    let silo = STORE
        .replace("\tb := Batch{}\n", "\tif load > 9 {\n\t\treturn ErrWet\n\t}\n\tb := Batch{}\n")
        + "\n// ErrShut is returned by a silo that is shut.\nvar ErrShut = errors.New(\"the silo is shut\")\n\n// Empty lets all out.\nfunc (s *Silo) Empty() error {\n\tif s.held < 0 {\n\t\treturn ErrShut\n\t}\n\treturn nil\n}\n";
    let records = learn(&[
        ("go.mod", "module example.com/farm\n"),
        ("silo.go", &silo),
        ("cmd/farm/main.go", tool),
        ("cmd/farm/command/run.go", command),
    ])
    .await;
    let errors = about(&records, "errors");
    assert!(errors.contains("- `ErrWet`") && !errors.contains("- `ErrUsage`"), "{errors}");
}

#[tokio::test]
async fn a_check_that_only_tests_make_is_no_failure() {
    let code = "//! Rings bells.\n\n/// A bell in a tower.\npub struct Bell {\n    rung: u32,\n}\n\nimpl Bell {\n    /// Makes a bell that hangs still.\n    pub fn new() -> Self {\n        Self { rung: 0 }\n    }\n\n    \
        /// Rings the bell once.\n    pub fn ring(&mut self, times: u32) {\n        #[cfg(test)]\n        {\n            if times > 2 {\n                panic!(\"tests ring no bell for long\");\n            }\n        }\n        self.rung += times;\n    }\n\n    \
        /// Stops the bell.\n    pub fn stop(&mut self) {\n        if self.rung == 0 {\n            panic!(\"the bell hangs still\");\n        }\n        self.rung = 0;\n    }\n}\n";
    let manifest = "[package]\nname = \"belfry\"\nversion = \"1.0.0\"\n";
    let records = learn(&[("Cargo.toml", manifest), ("src/lib.rs", code)]).await;
    let all = records.iter().map(|r| r.answer.as_str()).collect::<String>();
    assert!(all.contains("the bell hangs still"), "{all}");
    assert!(!all.contains("no bell for long"), "{all}");
}

#[tokio::test]
async fn a_builder_of_many_is_named_with_the_type_that_it_builds() {
    let made = |name: &str| {
        let setters: String = ["Width", "Height", "Colour", "Depth", "Weight"]
            .iter()
            .map(|part| format!("\n        /** Sets the {part} of the {name}. */\n        fun set{part}(value: Int): Builder {{\n            held = value\n            return this\n        }}\n"))
            .collect();
        format!(
            "package yard\n\n/** A {name} in the yard. */\nclass {name}(val held: Int) {{\n    /** Builds one. */\n    class Builder {{\n        var held = 0\n{setters}    }}\n}}\n"
        )
    };
    let (gate, fence) = (made("Gate"), made("Fence"));
    let records =
        learn(&[("yard/Gate.kt", gate.as_str()), ("yard/Fence.kt", fence.as_str())]).await;
    let options = records.iter().find(|r| r.topic.as_ref().unwrap().subject.starts_with("options"));
    let options = options.unwrap_or_else(|| {
        panic!("{:#?}", records.iter().map(|r| &r.question).collect::<Vec<_>>())
    });
    assert!(
        options.question.contains("`Gate.Builder`") || options.question.contains("`Fence.Builder`"),
        "{options:?}"
    );
}

/// What sends in two forms: the one for asynchronous callers stands first and has as many steps.
#[tokio::test]
async fn of_two_forms_the_plain_one_is_followed() {
    let steps = "        weigh(parcel)\n        label(parcel)\n        sort(parcel)\n        stamp(parcel)\n        self.last = parcel\n        self.count += 1\n        return parcel\n";
    let form = |prefix: &str, mark: &str| {
        format!(
            "\n\nclass {prefix}Post:\n    \"\"\"Sends parcels.\"\"\"\n\n    {mark}def __call__(self, parcel):\n{steps}"
        )
    };
    let helpers: String = ["weigh", "label", "sort", "stamp"]
        .iter()
        .map(|name| format!("\n\ndef {name}(parcel):\n    \"\"\"{name} a parcel by hand.\"\"\"\n    parcel = parcel + 1\n    return parcel\n"))
        .collect();
    let code = format!(
        "\"\"\"Sends parcels everywhere.\"\"\"\n{}{}{helpers}",
        form("Async", "async "),
        form("", ""),
    );
    let manifest = "[project]\nname = \"letters\"\nversion = \"1.0.0\"\n";
    let records = learn(&[("pyproject.toml", manifest), ("letters/__init__.py", &code)]).await;
    let flows = records.iter().map(|r| r.topic.as_ref().unwrap().subject.as_str());
    let first = flows.into_iter().find(|subject| subject.starts_with("flow")).unwrap();
    assert!(first.ends_with("#Post.__call__"), "{first}");
}

#[tokio::test]
async fn what_nobody_is_led_to_is_followed_behind_what_the_library_consists_of() {
    let steps = ["one", "two", "three"];
    let helpers: String = steps
        .iter()
        .map(|name| format!("/// Takes step {name} of all.\nfn {name}(at: u32) -> u32 {{\n    let next = at + 1;\n    next\n}}\n\n"))
        .collect();
    let thing = |name: &str, what: &str| {
        format!(
            "/// {what}\npub struct {name} {{\n    held: u32,\n}}\n\nimpl {name} {{\n    /// Turns it around.\n    pub fn turn(&self) -> u32 {{\n        self.held\n    }}\n\n    /// Lifts it up.\n    pub fn lift(&self) -> u32 {{\n        self.held\n    }}\n}}\n\n"
        )
    };
    let aside = "/// The state of what is kept.\npub struct State {\n    held: u32,\n}\n\nimpl State {\n    /// The time that is left.\n    pub fn left(&self) -> u32 {\n        let first = one(self.held);\n        if first > 3 {\n            return first;\n        }\n        let second = two(first);\n        three(second)\n    }\n}\n\n";
    let code = format!(
        "//! Keeps stones.\n\n{}{}{aside}{helpers}",
        thing("Quarry", "A quarry with its stones."),
        thing("Stone", "A stone of the quarry."),
    );
    let manifest = "[package]\nname = \"quarry\"\nversion = \"1.0.0\"\n";
    let records = learn(&[("Cargo.toml", manifest), ("src/lib.rs", &code)]).await;
    let topics: Vec<&str> =
        records.iter().map(|r| r.topic.as_ref().unwrap().subject.as_str()).collect();
    let place = |end: &str| topics.iter().position(|t| t.ends_with(end));
    assert!(place("#State.left").is_some(), "{topics:?}");
    assert!(place("#Stone") < place("#State.left"), "{topics:?}");
}

#[tokio::test]
async fn a_program_that_shows_the_use_of_a_library_is_not_followed_as_its_main_work() {
    let tool = "// Command farm shows a silo at work.\npackage main\n\nimport \"example.com/farm\"\n\n// fill fills a silo.\nfunc fill(n int) int {\n\ts := n + 1\n\treturn s\n}\n\n\
        // wait waits for rain.\nfunc wait(n int) int {\n\ts := n + 2\n\treturn s\n}\n\n// tell tells what happened.\nfunc tell(n int) int {\n\ts := n + 3\n\treturn s\n}\n\n\
        func main() {\n\tfarm.Open(\"yard\")\n\ta := fill(1)\n\tb := wait(a)\n\ttell(b)\n}\n";
    let work = "package farm\n\n// Load loads a silo from carts.\nfunc Load(s *Silo, n int) int {\n\ta := lift(n)\n\tb := tip(a)\n\tc := sweep(b)\n\ts.held = c\n\n\tif c > 9 {\n\t\treturn 9\n\t}\n\n\treturn c\n}\n\n\
        // lift lifts a cart.\nfunc lift(n int) int {\n\ts := n + 1\n\treturn s\n}\n\n// tip tips a cart.\nfunc tip(n int) int {\n\ts := n + 2\n\treturn s\n}\n\n// sweep sweeps the yard.\nfunc sweep(n int) int {\n\ts := n + 3\n\treturn s\n}\n";
    let records = learn(&[
        ("go.mod", "module example.com/farm\n"),
        ("silo.go", STORE),
        ("work.go", work),
        ("cmd/farm/main.go", tool),
    ])
    .await;
    let flows = records.iter().map(|r| r.topic.as_ref().unwrap().subject.as_str());
    let first = flows.into_iter().find(|subject| subject.starts_with("flow")).unwrap();
    assert_eq!(first, "flow:work.go#Load");
}

#[tokio::test]
async fn a_decorator_is_known_with_its_package_before_it() {
    let code = "\"\"\"Sends parcels in the night.\"\"\"\n\n\ndef courier(function):\n    \"\"\"Hand a function to the couriers of the night.\"\"\"\n    function.handed = True\n    return function\n";
    let readme = "# night\n\nSends parcels in the night.\n\n## Usage\n\n```python\nimport night\n\n\n@night.courier\ndef bring(parcel):\n    print(parcel)\n```\n";
    let manifest = "[project]\nname = \"night\"\nversion = \"1.0.0\"\n";
    let records =
        learn(&[("pyproject.toml", manifest), ("README.md", readme), ("night/__init__.py", code)])
            .await;
    let usage = about(&records, "usage");
    assert!(usage.contains("- `courier`: Hand a function to the couriers"), "{usage}");
}

#[tokio::test]
async fn what_a_package_begins_with_is_told_by_its_forms_where_it_says_nothing_of_itself() {
    let fields: String = (0..9).map(|n| format!("  field{n}: number;\n")).collect();
    let declared = format!(
        "/** What was found. */\nexport interface Found {{\n  /** Where it lay. */\n  place: number;\n  /** What it was. */\n  what: string;\n}}\n\n\
         export class Spade {{\n{fields}  clean(water: number): void;\n  sharpen(stone: string): Spade;\n  dig(depth: number): Found;\n}}\n"
    );
    let built = "const a = class {\n  clean(water) {\n    this.field0 = water\n  }\n  sharpen(stone) {\n    return this\n  }\n  dig(depth) {\n    return depth\n  }\n}\nexport { a as Spade }\n";
    let readme =
        "# spade\n\nDigs for things.\n\n```js\nconst spade = new Spade()\nspade.dig(3)\n```\n";
    let package = "{\"name\": \"spade\", \"version\": \"1.0.0\", \"main\": \"dist/spade.mjs\", \"types\": \"dist/spade.d.ts\"}\n";
    let records = learn(&[
        ("package.json", package),
        ("README.md", readme),
        ("dist/spade.d.ts", &declared),
        ("dist/spade.mjs", built),
    ])
    .await;
    let topics: Vec<&str> =
        records.iter().map(|r| r.topic.as_ref().unwrap().subject.as_str()).collect();
    let place = |end: &str| topics.iter().position(|t| t.ends_with(end));
    assert!(place("#Spade").is_some() && place("#Spade") < place("#Found"), "{topics:?}");
    let answer = about(&records, "symbol:dist/spade");
    assert!(answer.contains("`dig("), "{answer}");
}

/// The overview of a package whose two classes, with so many functions each, are built in two ways.
async fn built_in_two_ways(functions: usize) -> String {
    let class = |name: &str| {
        let functions: String = (0..functions)
            .map(|n| {
                format!(
                    "  /** Turns it by {n}. */\n  turn{n}(times) {{\n    return times + {n}\n  }}\n"
                )
            })
            .collect();
        format!("/** A {name} that turns in the wind. */\nclass {name} {{\n{functions}}}\n\n")
    };
    let built = class("Sail") + &class("Vane");
    let (common, module) = (
        format!("{built}module.exports = {{ Sail, Vane }}\n"),
        format!("{built}export {{ Sail, Vane }}\n"),
    );
    let package =
        "{\"name\": \"windmill\", \"version\": \"1.0.0\", \"main\": \"dist/windmill.cjs\"}\n";
    let records = learn(&[
        ("package.json", package),
        ("README.md", "# windmill\n\nTurns in the wind all year.\n"),
        ("dist/windmill.cjs", &common),
        ("dist/windmill.mjs", &module),
    ])
    .await;
    about(&records, "overview").to_owned()
}

#[tokio::test]
async fn what_is_built_in_two_ways_is_told_once() {
    // All that a small package declares, or the types of a larger one.
    for functions in [2, 8] {
        let overview = built_in_two_ways(functions).await;
        let told = |name: &str| {
            overview.lines().filter(|l| l.starts_with("- ") && l.contains(name)).count()
        };
        assert_eq!((told("`Sail`"), told("`Vane`")), (1, 1), "{overview}");
    }
}

#[tokio::test]
async fn what_a_type_keeps_to_itself_is_not_followed_first() {
    let steps = ["paint", "frame", "hang"].map(|name| {
        format!("\n\ndef {name}(picture):\n    \"\"\"{name} a picture with care.\"\"\"\n    picture = picture + 1\n    return picture\n")
    });
    let code = format!(
        "\"\"\"Shows pictures.\"\"\"\n\n\nclass Wall:\n    \"\"\"A wall with pictures on it.\"\"\"\n\n    def show(self, picture):\n        \"\"\"Show a picture to all.\"\"\"\n        return picture\n\n    \
         def hide(self, picture):\n        \"\"\"Hide a picture from all.\"\"\"\n        return picture\n\n    def _arrange(self, picture):\n        \"\"\"Arrange the wall anew.\"\"\"\n        picture = paint(picture)\n        \
         picture = frame(picture)\n        self.held = picture\n        self.count = 1\n        return hang(picture)\n\n\nclass Lamp:\n    \"\"\"A lamp that lights a wall.\"\"\"\n\n    def light(self, wall):\n        \"\"\"Light a wall.\"\"\"\n        return wall\n\n    \
         def dim(self, wall):\n        \"\"\"Dim the light on a wall.\"\"\"\n        return wall\n{}",
        steps.concat()
    );
    let manifest = "[project]\nname = \"gallery\"\nversion = \"1.0.0\"\n";
    let records = learn(&[("pyproject.toml", manifest), ("gallery/__init__.py", &code)]).await;
    let topics: Vec<&str> =
        records.iter().map(|r| r.topic.as_ref().unwrap().subject.as_str()).collect();
    let place = |end: &str| topics.iter().position(|t| t.ends_with(end));
    assert!(place("#Wall._arrange").is_some(), "{topics:?}");
    assert!(place("#Lamp") < place("#Wall._arrange"), "{topics:?}");
}

#[tokio::test]
async fn an_example_leads_to_what_a_crate_hands_on_under_another_name() {
    let works = "/// A mill with all that belongs to it.\npub struct Works {\n    stones: u32,\n}\n\nimpl Works {\n    /// Sets a mill up that stands still.\n    pub fn new() -> Self {\n        Self { stones: 2 }\n    }\n\n    \
        /// Grinds a sack of grain.\n    pub fn grind(&self, sack: u32) -> u32 {\n        sack * self.stones\n    }\n}\n";
    let readme = "# mill\n\nGrinds grain between stones.\n\n```rust\nuse mill::Mill;\n\nlet mill = Mill::new();\nlet flour = mill.grind(3);\n```\n";
    let records = learn(&[
        ("Cargo.toml", "[package]\nname = \"mill\"\nversion = \"1.0.0\"\n"),
        ("README.md", readme),
        ("src/lib.rs", "//! Grinds grain.\n\nmod works;\n\npub use works::Works as Mill;\n"),
        ("src/works.rs", works),
    ])
    .await;
    let usage = about(&records, "usage");
    assert!(
        usage.contains("`Works`: A mill with all that belongs to it (`src/works.rs:1-2`)"),
        "{usage}"
    );
    assert!(usage.contains("- `grind`: Grinds a sack of grain (`src/works.rs"), "{usage}");
    assert_eq!(usage.matches("- `Works`").count(), 1, "{usage}");
    assert!(
        usage.contains("`Mill` is the name under which `Works` is handed on (`src/lib.rs:5`)"),
        "{usage}"
    );
}
