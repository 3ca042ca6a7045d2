//! How a documentation sentence can be made a statement about the thing it documents.

use super::{prose::Sentence, wording::Wording};

/// Verbs that documentation begins with, in their base form.
const VERBS: &str = "\
    abort accept access acquire add adjust allocate allow analyse analyze append apply assert assign attach \
    attempt await begin bind block build cache calculate call cancel catch change check clear clone close \
    collect combine compare compile complete compress compute configure connect construct consume contain \
    control convert copy count create decide declare decode decompress define delegate delete deserialize \
    describe destroy detach detect determine disable discard dispatch display do drain drop emit enable \
    encapsulate encode end ensure enter escape estimate evaluate examine execute exit expand expose extend \
    extract fail fetch fill filter find finish flush force format forward free generate get give grow handle \
    hide hold identify implement imply import indicate infer inherit initialize initialise insert inspect install \
    interpret invoke issue iterate join keep launch let list listen load locate lock log look make manage \
    map mark match measure merge modify move negotiate normalize notify obtain offer open override parse \
    patch peek perform persist pop populate prepare prevent print process produce provide push put query \
    raise read rebuild receive record redirect reduce refer refresh register release reload remove rename \
    render replace report represent request require reserve reset resize resolve restore retrieve return \
    reverse rewrite run save scan schedule search select send serialize serve set show shrink shut signal \
    skip sort spawn specify split start stop store stream strip submit subscribe support suspend swap take \
    tell terminate test throw track transform translate traverse trigger trim truncate try turn undo unlock \
    unregister unwrap update forecast predict answer learn help simulate emulate monitor compose assemble attend delay work rely belong upload use validate verify visit wait wake walk watch wrap write yield";

/// Words that make a clause whole.
const FINITE: &str = "\
    is are was were has have had can will may must should would does do provides represents holds contains \
    allows implements acts serves defines describes supports lets consists manages needs requires takes \
    gives keeps stores returns makes uses works becomes comes belongs depends cannot performs wraps handles \
    creates accepts tracks adds extends offers specifies tells converts generates";

/// Words after which a verb belongs to a side clause.
const SIDE: &str = "\
    that which who whose where when for used to with by whether if while and or as given how what containing \
    representing holding providing describing you we they";

/// Words that what is done to begins with.
const OBJECTS: &str = "the a an all any its each what whether how";

/// `This class ...`, `This is ...`: words that stand for the documented thing.
const SELF_NOUNS: &str = "\
    class struct structure type trait interface module package crate library enum function method decorator \
    exception error object file macro builder iterator";

/// What a documentation sentence says about `label`, as a clause without a full stop and without a citation.
/// In Chinese the sentence is always quoted.
pub(crate) fn state(wording: Wording, label: &str, name: &str, sentence: &Sentence) -> String {
    let text = bare(&sentence.text);
    let salt = format!("{label}{text}");
    if !wording.is_chinese()
        && let Some(clause) = clause(label, name, text)
    {
        return clause;
    }
    wording.phrase("doc.says", &salt, &[("name", label), ("quote", &wording.quote(text))])
}

/// `a` or `an` before a name, by its sound.
pub(crate) fn article(name: &str) -> &'static str {
    let mut chars = name.chars();
    let (first, second) = (chars.next().unwrap_or('x'), chars.next());
    let lower = name.to_lowercase();
    let spelled =
        first.is_uppercase() && second.is_some_and(|c| c.is_uppercase() || c.is_ascii_digit());
    let you = ["uni", "use", "usa", "util", "utf", "ur", "eu", "one", "once", "ub"];
    let vowel = match first.to_ascii_uppercase() {
        letter if spelled => "AEFHILMNORSX".contains(letter),
        _ if lower.starts_with("hour") || lower.starts_with("honest") => true,
        'U' | 'E' | 'O'
            if you.iter().any(|y| lower.starts_with(y)) && !lower.starts_with("unin") =>
        {
            false
        }
        letter => "AEIOU".contains(letter),
    };
    if vowel { "an" } else { "a" }
}

/// A further sentence about the same thing: as it is where it stands alone, else quoted.
pub(crate) fn go_on(wording: Wording, turn: usize, sentence: &Sentence) -> String {
    let text = bare(&sentence.text);
    if !wording.is_chinese() {
        if is_whole(text) {
            return text.to_owned();
        }
        // `Changes to the file will be kept` begins with its subject.
        let is_noun = text.split_whitespace().take(13).any(|w| among("will can must should", w));
        if third_person(first_word(text)) && !is_noun {
            return format!("It {}", lower_first(text));
        }
    }
    let key = if turn == 1 { "doc.adds" } else { "doc.also" };
    wording.phrase(key, text, &[("quote", &wording.quote(text))])
}

/// A sentence for a list, after a name and a dash: without its full stop.
pub(crate) fn bare(text: &str) -> &str {
    let plain = text.trim_end();
    plain
        .strip_suffix("...")
        .map_or_else(|| plain.trim_end_matches(['.', '。', '!', '！']), |_| plain)
}

/// Whether a sentence only says for whom a thing isn't.
pub(crate) fn warns(text: &str) -> bool {
    [
        "should not be used by",
        "should not be called by",
        "is private API",
        "is not part of the public API",
        "is for internal use",
    ]
    .iter()
    .any(|warning| text.contains(warning))
}

/// Whether a text says no more of a thing than its name: `An Arrow object.`
fn names_alone(name: &str, text: &str) -> bool {
    let words = text.split_whitespace().skip(1).map(|w| w.trim_matches(['`', '.', ',', '"', '\'']));
    let is_empty = |w: &str| matches!(w, "object" | "instance" | "class" | "type" | "value");
    words.clone().all(|w| is_empty(w) || w.eq_ignore_ascii_case(name)) && words.count() > 0
}

/// Whether behind its article a text begins with the name and what looks like its verb.
fn names_subject(name: &str, text: &str) -> bool {
    let mut words = text.split_whitespace().skip(1);
    let subject = words.next().map(|w| w.trim_matches('`'));
    subject.is_some_and(|s| s.eq_ignore_ascii_case(name))
        && words.next().is_some_and(ends_like_verb)
}

/// Whether a text begins with the noun that the name ends with, of which there is also a verb: a `TimedRequest` is a
/// `Request that ends by itself`.
fn names_kind(name: &str, text: &str) -> bool {
    let mut words = text.split_whitespace();
    let first = words.next().unwrap_or_default();
    let kind = name.strip_suffix(first).is_some_and(|rest| rest.ends_with(char::is_lowercase));
    let takes = words.next().is_some_and(|w| among(OBJECTS, &w.to_ascii_lowercase()));
    kind && first.starts_with(char::is_uppercase) && !takes
}

/// The sentence as an English clause with `label` for its subject, if that can be done without changing its words.
fn clause(label: &str, name: &str, text: &str) -> Option<String> {
    let code = format!("`{label}`");
    let first = first_word(text);
    let plain_first = first.trim_matches(['`', ',', '.', ':', '\'', '"']);
    if !text.is_ascii() && text.chars().any(|c| matches!(c, '\u{3000}'..='\u{9fff}')) {
        return None;
    }
    let short = label.rsplit(['.', ':']).next().unwrap_or(label);
    let named = [label, name, short].iter().any(|n| n.eq_ignore_ascii_case(plain_first));
    // `run the jobs` is an order, even where the function is called `run`.
    let orders = named && among(VERBS, &plain_first.to_ascii_lowercase()) && {
        let object = text.split_whitespace().nth(1).unwrap_or_default();
        among(OBJECTS, &object.to_ascii_lowercase())
    };
    if named && !orders {
        let rest = text.get(first.len()..)?.trim_start();
        let verb = first_word(rest).to_ascii_lowercase();
        if among(FINITE, &verb) || third_person(&verb) || is_whole(rest) {
            return Some(format!("{code} {rest}"));
        }
        // `Run grinds the corn` is no order to run something; which of both `Run jobs` is can't be told.
        if ends_like_verb(&verb) {
            return None;
        }
    }
    match first {
        "This" | "It" | "These" => {
            let rest = text.get(first.len()..)?.trim_start();
            let noun = first_word(rest);
            let rest =
                if among(SELF_NOUNS, noun) { rest.get(noun.len()..)?.trim_start() } else { rest };
            let verb = first_word(rest);
            (first != "These" && (among(FINITE, verb) || third_person(verb)))
                .then(|| format!("{code} {rest}"))
        }
        "A" | "An" | "The" | "One" if is_whole(text) => Some(text.to_owned()),
        // `An Adder accumulates points`: the name is the subject already.
        "A" | "An" | "The" if names_subject(name, text) => {
            let rest = text.split_whitespace().skip(2).collect::<Vec<_>>().join(" ");
            Some(format!("{code} {rest}"))
        }
        "A" | "An" | "The" | "One" if has_auxiliary(text) || names_alone(short, text) => None,
        "A" | "An" | "The" | "One" if !has_verb(text) => {
            Some(format!("{code} is {}", lower_first(text)))
        }
        _ if third_person(first) => Some(format!("{code} {}", lower_first(text))),
        _ if among(VERBS, &first.to_ascii_lowercase())
            && !is_whole(text)
            && !names_kind(name, text) =>
        {
            third_person_of(text).map(|said| format!("{code} {said}"))
        }
        "Raised" | "Thrown" | "Called" | "Used" | "Returned" | "Invoked" | "Emitted"
        | "Created" => Some(format!("{code} is {}", lower_first(text))),
        "When" | "If" | "Each" | "Every" if is_whole(text) => Some(text.to_owned()),
        _ if is_whole(text) && text.contains(short) && !orders => Some(text.to_owned()),
        _ => None,
    }
}

/// Whether a word is in a list of words.
fn among(list: &str, word: &str) -> bool {
    list.split_whitespace().any(|w| w == word)
}

fn first_word(text: &str) -> &str {
    text.split_whitespace().next().unwrap_or_default()
}

fn lower_first(text: &str) -> String {
    let word = first_word(text);
    // An acronym or a name keeps its capitals.
    if word.chars().skip(1).any(char::is_uppercase) {
        return text.to_owned();
    }
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |c| c.to_lowercase().chain(chars).collect())
}

/// Whether the word is a verb such as `Returns`.
pub(crate) fn third_person(word: &str) -> bool {
    let word = word.to_ascii_lowercase();
    let Some(stem) = word.strip_suffix('s') else { return false };
    among(VERBS, stem)
        || stem.strip_suffix('e').is_some_and(|s| among(VERBS, s))
        || stem.strip_suffix("ie").is_some_and(|s| among(VERBS, &format!("{s}y")))
}

/// Whether a word before the first preposition may be a verb: then the words are no mere name of a thing.
fn has_verb(text: &str) -> bool {
    let joins =
        "of in for with to by on from that which and or as at into over used where when whose";
    let words = text.split_whitespace().skip(1).take_while(|w| !among(joins, w));
    let words: Vec<&str> = words.collect();
    // `settings control the form`: what several do.
    let plural = words.iter().zip(words.iter().skip(1));
    let plural = plural.filter(|(_, verb)| among(VERBS, verb)).any(|(noun, _)| noun.ends_with('s'));
    // `signer securely signs bytes`: between an adverb and a thing stands a verb.
    let after_adverb = words
        .windows(2)
        .any(|pair| matches!(pair, [a, v] if a.ends_with("ly") && v.ends_with('s')));
    // `allowlist restricts the hosts`: what takes an object is a verb.
    let takes = words.windows(2).any(|pair| {
        let [verb, object] = pair else { return false };
        ends_like_verb(verb) && among(OBJECTS, object)
    });
    plural || after_adverb || takes || words.into_iter().skip(1).any(third_person)
}

/// Whether a word has the ending of a verb such as `returns`, and of many a noun.
pub(crate) fn ends_like_verb(word: &str) -> bool {
    word.len() > 3
        && word.ends_with('s')
        && !word.ends_with("ss")
        && word.chars().all(|c| c.is_ascii_lowercase())
}

/// Whether an auxiliary verb stands in the main clause: then the words before it are no name of the thing alone.
fn has_auxiliary(text: &str) -> bool {
    let side = "that which who whose where when for if while to";
    let mut words = text.split_whitespace().skip(1).take_while(|w| !among(side, w));
    words.any(|w| among("is are was were has have had can will must should", w))
}

/// An order as what it makes of the one who obeys: `Send a request` gives `sends a request`. `None` where a second
/// verb would have to change too.
fn third_person_of(text: &str) -> Option<String> {
    let verb = first_word(text);
    let rest = text.get(verb.len()..)?;
    let words: Vec<&str> = rest.split_whitespace().map(|w| w.trim_end_matches(',')).collect();
    let joins = |w: &str| matches!(w, "and" | "or" | "then" | "but");
    let second = words.iter().zip(words.iter().skip(1)).any(|(a, b)| joins(a) && among(VERBS, b));
    let listed = rest.split(", ").skip(1).any(|part| among(VERBS, first_word(part)));
    // An order to the reader says what is to be done with a thing, not what it does.
    let forbids = verb == "Do" && words.first().is_some_and(|w| w.eq_ignore_ascii_case("not"));
    let to_reader = forbids
        || matches!(verb, "Use" | "Avoid" | "Prefer" | "Override" | "Call" | "Extend" | "Let");
    // `Reverse of dumps` names a thing.
    let is_noun = words.first() == Some(&"of");
    if to_reader || is_noun || second || listed || verb.chars().skip(1).any(char::is_uppercase) {
        return None;
    }
    let verb = verb.to_lowercase();
    let hissing = ["s", "x", "z", "ch", "sh", "o"].iter().any(|end| verb.ends_with(end));
    let vowel = ["ay", "ey", "oy", "uy"].iter().any(|end| verb.ends_with(end));
    Some(match verb.as_str() {
        "have" => format!("has{rest}"),
        _ if hissing => format!("{verb}es{rest}"),
        _ if verb.ends_with('y') && !vowel => format!("{}ies{rest}", verb.trim_end_matches('y')),
        _ => format!("{verb}s{rest}"),
    })
}

/// Whether a sentence leans on one before it: `These`, or `It` where the sentence before was left out.
pub(crate) fn points_back(text: &str, follows: bool) -> bool {
    let mut words = text.split_whitespace();
    let first = words.next().unwrap_or_default().trim_matches([',', '\'', ':']);
    let second = words.next().unwrap_or_default().trim_end_matches([',', ':']);
    match first {
        "This" => !among(SELF_NOUNS, second),
        "These" | "Those" | "That" | "They" | "Its" | "Their" | "Such" | "Here" | "There"
        | "Both" | "Another" | "Again" | "Thus" | "Next" | "Finally" | "Now" | "Then"
        | "Instead" | "Otherwise" => true,
        "Any" => second == "other",
        "The" => among("same above latter former other others", second),
        "In" | "Within" | "With" | "For" | "By" | "From" | "On" | "At" | "To" | "Under"
        | "After" | "Before" | "Because" | "Of" | "As" => {
            let noun = words.next().unwrap_or_default().trim_matches([',', '.']);
            among("these those such them it", second)
                || (second == "this" && !among(SELF_NOUNS, noun))
        }
        "It" | "It's" => !follows,
        "If" | "When" | "Since" | "While" => among("this that these those", second) && !follows,
        _ => false,
    }
}

/// Whether a sentence begins in a place or state that one before it tells of: `Within the function, use it`.
pub(crate) fn sets_a_scene(text: &str) -> bool {
    ["In the ", "Within the ", "Inside the ", "With the ", "From the "]
        .iter()
        .any(|opening| text.starts_with(opening))
}

/// Whether the sentence has a main verb: one that comes before any word that opens a side clause.
fn is_whole(text: &str) -> bool {
    // The first word is the subject, or a verb without one.
    for word in text.split_whitespace().skip(1).take(13) {
        let word = word.trim_matches([',', '.', ';', ':', '(', ')']).to_ascii_lowercase();
        if among(FINITE, &word) {
            return true;
        }
        if among(SIDE, &word) {
            return false;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use ouro_core::Language;

    fn said(label: &str, text: &str) -> String {
        let sentence = Sentence { text: text.to_owned(), start: 1, end: 1 };
        state(Wording::new(Language::English, 0), label, label, &sentence)
    }

    #[test]
    fn a_doc_sentence_becomes_a_statement_in_good_english() {
        let cases = [
            ("LruCache", "An LRU Cache.", "`LruCache` is an LRU Cache"),
            (
                "Arrow",
                "An `Arrow` object.",
                "The documentation of `Arrow` reads: “An `Arrow` object”",
            ),
            ("Session", "Provides cookie persistence.", "`Session` provides cookie persistence"),
            ("Command", "Command is just that, a command.", "`Command` is just that, a command"),
            ("send", "Send a given PreparedRequest.", "`send` sends a given PreparedRequest"),
            (
                "Flask",
                "The flask object implements a WSGI application.",
                "The flask object implements a WSGI application",
            ),
            (
                "Gson",
                "This is the main class for using Gson.",
                "`Gson` is the main class for using Gson",
            ),
            ("X", "This class provides a thing.", "`X` provides a thing"),
            ("X", "A type that is used by others.", "`X` is a type that is used by others"),
            ("X", "An X is sent here.", "An X is sent here"),
        ];
        let plural = said("X", "A thing's settings control the form of it.");
        assert!(plural.contains('“'), "{plural}");
        let quoted =
            said("X", "A frozen instance or attribute have been attempted to be modified.");
        assert!(quoted.contains('“'), "{quoted}");
        for (label, text, wanted) in cases {
            assert_eq!(said(label, text), wanted);
        }
    }

    #[test]
    fn a_name_behind_its_article_is_the_subject() {
        assert_eq!(
            said("Adder", "An Adder accumulates points on a curve."),
            "`Adder` accumulates points on a curve"
        );
        assert_eq!(said("Adder", "An adder of points."), "`Adder` is an adder of points");
    }

    #[test]
    fn an_order_that_begins_with_the_name_is_an_order() {
        assert_eq!(said("Mill.run", "run the wheels."), "`Mill.run` runs the wheels");
        let whole = said("Mill.run", "run the wheels.. this is private for now.");
        assert!(whole.contains("“run the wheels"), "{whole}");
        assert!(said("Mill.Run", "Run grinds the corn.").contains("“Run grinds"));
        assert_eq!(said("Mill.run", "run is the start of it."), "`Mill.run` is the start of it");
    }

    #[test]
    fn the_article_before_a_name_follows_its_sound() {
        for name in ["Element", "Own", "HTMLParser", "Update", "RNG", "Uninstaller"] {
            assert_eq!(article(name), "an", "{name}");
        }
        for name in ["Session", "User", "Unit", "URL", "Once", "TLS", "Url"] {
            assert_eq!(article(name), "a", "{name}");
        }
    }

    #[test]
    fn what_has_no_grammar_to_build_on_is_quoted() {
        assert!(
            said("X", "Base class for all adapters.").contains("“Base class for all adapters”")
        );
        assert!(said("X", "这是一个缓存。").contains("“这是一个缓存”"));
    }

    #[test]
    fn the_noun_of_a_name_is_no_verb() {
        let told = said("TimedRequest", "Request extension that ends by itself.");
        assert!(told.ends_with("“Request extension that ends by itself”"), "{told}");
        assert_eq!(said("TimedRequest", "Request the page."), "`TimedRequest` requests the page");
        assert_eq!(said("send", "Send a page to all."), "`send` sends a page to all");
    }

    #[test]
    fn what_is_no_statement_about_the_thing_is_quoted() {
        for text in [
            "Use this builder to construct a thing.",
            "Do NOT use any class in this package.",
            "An efficient server implies a lower cost.",
            "Load a template by name and return it.",
            "A signer securely signs bytes.",
            "The allowlist restricts the hosts that may be called.",
            "Reverse of `dumps`, raises an error.",
        ] {
            let told = said("Thing", text);
            assert!(told.ends_with('”') && told.contains(bare(text)), "{told}");
        }
    }

    #[test]
    fn a_noun_that_looks_like_a_verb_is_no_verb_where_another_follows() {
        let wording = Wording::new(Language::English, 0);
        let go =
            |text: &str| go_on(wording, 0, &Sentence { text: text.to_owned(), start: 1, end: 1 });
        let noun = "Changes to the file system will only be made in the overlay";
        assert!(go(noun).contains(&format!("“{noun}”")), "{}", go(noun));
        assert_eq!(go("Returns the value of a key"), "It returns the value of a key");
    }

    #[test]
    fn a_sentence_that_leans_on_another_is_known() {
        for (text, follows, wanted) in [
            ("This will send everything.", true, true),
            ("This class sends everything.", false, false),
            ("It keeps cookies.", true, false),
            ("It keeps cookies.", false, true),
            ("Its size is fixed.", true, true),
            ("Any other operation will raise an error.", true, true),
            ("Any operation will raise an error.", true, false),
            ("Otherwise, the default is used.", true, true),
            ("If this is not wanted, say so.", false, true),
            ("If this is not wanted, say so.", true, false),
            ("The same holds for files.", true, true),
            ("With these, a file is read.", true, true),
            ("In this module, files are read.", true, false),
            ("In this case files are read.", true, true),
            ("Cookies are kept.", false, false),
        ] {
            assert_eq!(points_back(text, follows), wanted, "{text}");
        }
    }
}
