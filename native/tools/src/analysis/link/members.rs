//! Which type a declaration belongs to, and what types inherit.

use std::collections::{HashMap, HashSet, VecDeque};

use ouro_core::analysis::{ReferenceKind, SymbolKind};

use super::{
    project::{SymbolId, Value},
    resolve::{MAX_SUPERTYPES, Place, Resolver},
};

impl<'a> Resolver<'a> {
    pub(super) fn add_owners(&mut self) {
        for (id, unit) in self.project.units.iter().enumerate() {
            let owners = unit
                .code
                .scopes
                .iter()
                .map(|scope| {
                    let symbol = scope.symbol.map(|s| unit.first_symbol + s as usize);
                    let own = symbol.filter(|s| matches!(self.project.value(*s), Value::Type(_)));
                    own.or_else(|| {
                        let place = Place { unit: id, scope: scope.parent, line: 0 };
                        match self.type_named(place, unit.code.string(scope.owner?), 0) {
                            Value::Type(owner) => Some(owner),
                            _ => None,
                        }
                    })
                })
                .collect();
            self.owners.push(owners);
        }
        for (id, unit) in self.project.units.iter().enumerate() {
            for (at, scope) in unit.code.scopes.iter().enumerate() {
                let Ok(at) = u32::try_from(at) else { continue };
                let own = self.owner(id, at);
                if let Some(own) = own {
                    self.scopes_of.entry(own).or_default().push((id, at));
                }
                let Some(symbol) = scope.symbol.map(|s| unit.first_symbol + s as usize) else {
                    continue;
                };
                let owner = if scope.owner.is_some() {
                    own
                } else {
                    scope.parent.and_then(|p| self.owner(id, p))
                };
                let Some(found) = self.project.symbol(symbol) else { continue };
                if let Some(owner) = owner {
                    self.members.entry((owner, found.name.as_str())).or_default().push(symbol);
                    self.owner_of.insert(symbol, owner);
                }
                if found.kind == SymbolKind::Method {
                    self.methods.entry(found.name.as_str()).or_default().push(symbol);
                }
            }
        }
    }

    pub(super) fn add_supertypes(&mut self) {
        let mut supertypes: HashMap<SymbolId, Vec<SymbolId>> = HashMap::new();
        for (id, unit) in self.project.units.iter().enumerate() {
            for reference in
                unit.code.references.iter().filter(|r| r.kind == ReferenceKind::Extends)
            {
                let heir = unit
                    .code
                    .scopes_outwards(reference.scope)
                    .find_map(|(scope, _)| self.owner(id, scope));
                if let (Some(heir), Some(parent)) = (heir, self.resolve(id, reference))
                    && heir != parent
                {
                    supertypes.entry(heir).or_default().push(parent);
                }
            }
        }
        self.supertypes = supertypes;
    }

    /// The member of a type or of what it inherits from.
    pub(super) fn member(&self, owner: SymbolId, name: &str) -> Option<SymbolId> {
        self.member_taking(owner, name, None)
    }

    /// The member of a type or of what it inherits from that takes so many arguments. Of several that do, none is
    /// meant for certain.
    pub(super) fn member_taking(
        &self,
        owner: SymbolId,
        name: &str,
        arguments: Option<u8>,
    ) -> Option<SymbolId> {
        let mut seen = HashSet::new();
        let mut waiting = VecDeque::from([owner]);
        while let Some(at) = waiting.pop_front() {
            if !seen.insert(at) || seen.len() > MAX_SUPERTYPES {
                continue;
            }
            let forms = self.members.get(&(at, name)).map_or(&[][..], Vec::as_slice);
            match arguments.filter(|_| forms.len() > 1) {
                None if !forms.is_empty() => return forms.first().copied(),
                None => {}
                Some(count) => {
                    let takes = |id: &&SymbolId| {
                        let symbol = self.project.symbol(**id);
                        symbol.is_some_and(|s| takes(&s.signature, &s.name, count))
                    };
                    let mut fitting = forms.iter().filter(takes);
                    match (fitting.next(), fitting.next()) {
                        (Some(only), None) => return Some(*only),
                        // An inherited one may be meant.
                        (None, _) => {}
                        _ => return None,
                    }
                }
            }
            waiting.extend(self.supertypes.get(&at).into_iter().flatten());
        }
        None
    }

    pub(super) fn inherits(&self, heir: SymbolId, ancestor: SymbolId) -> bool {
        let mut waiting = vec![heir];
        let mut seen = HashSet::new();
        while let Some(at) = waiting.pop() {
            if at == ancestor {
                return true;
            }
            if seen.insert(at) && seen.len() <= MAX_SUPERTYPES {
                waiting.extend(self.supertypes.get(&at).into_iter().flatten());
            }
        }
        false
    }
}

/// Whether a method with this signature can be called with so many arguments on a value of its type, which Rust and
/// Python list before them.
pub(super) fn takes_beside_self(signature: &str, name: &str, arguments: u8) -> bool {
    let first = parameters(signature, name)
        .and_then(|list| list.get(1..)?.split([',', ')', ':']).next())
        .and_then(|first| first.split_whitespace().next_back());
    let is_self = first.is_some_and(|f| matches!(f.trim_start_matches('&'), "self" | "cls"));
    takes(signature, name, arguments.saturating_add(u8::from(is_self)))
}

/// The parameters in a signature, from the bracket before them.
fn parameters<'s>(signature: &'s str, name: &str) -> Option<&'s str> {
    let open = signature.find(&format!("{name}("))? + name.len();
    signature.get(open..)
}

/// Whether a function with this signature can be called with so many arguments.
fn takes(signature: &str, name: &str, arguments: u8) -> bool {
    let Some(list) = parameters(signature, name) else { return true };
    let (mut depth, mut count, mut optional, mut is_filled) = (0_i32, 0_u32, 0_u32, false);
    let mut previous = ' ';
    for c in list.chars() {
        match c {
            '(' | '[' | '{' | '<' => depth += 1,
            // The arrow of a function type closes nothing.
            '>' if previous == '-' => {}
            ')' | ']' | '}' | '>' => depth -= 1,
            ',' if depth == 1 => count += 1,
            '=' if depth == 1 => optional += 1,
            _ if depth >= 1 && !c.is_whitespace() => is_filled = true,
            _ => {}
        }
        previous = c;
        if depth == 0 {
            break;
        }
    }
    let is_open = ["...", "vararg ", "(*", ", *"].iter().any(|any| list.contains(any));
    if depth != 0 || is_open {
        return true;
    }
    let most = if is_filled { count + 1 } else { 0 };
    (most.saturating_sub(optional)..=most).contains(&u32::from(arguments))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_method_takes_as_many_arguments_as_it_has_parameters_beside_itself() {
        for (signature, name, taken) in [
            ("func (f *Font) Bounds(scale fixed.Int) fixed.Rectangle", "Bounds", &[1][..]),
            ("func (b *Box) Put(name string, thing *Thing)", "Put", &[2]),
            ("func (b *Box) Log(format string, values ...any)", "Log", &[0, 1, 2, 3]),
            ("pub fn remove(&mut self, key: &K) -> Option<V>", "remove", &[1]),
            ("fn drain<R: Range>(&mut self, range: R)", "drain", &[0, 1, 2, 3]),
            ("def send(self, request, timeout=None)", "send", &[1, 2]),
            ("def send(self, *requests)", "send", &[0, 1, 2, 3]),
            ("def make(cls)", "make", &[0]),
            ("public void put(String key, Map<String, List<T>> all)", "put", &[2]),
            ("fun pad(width: Int, fill: Char = ' ')", "pad", &[1, 2]),
        ] {
            let takes: Vec<u8> =
                (0..4).filter(|n| takes_beside_self(signature, name, *n)).collect();
            assert_eq!(takes, taken, "{signature}");
        }
    }
}
