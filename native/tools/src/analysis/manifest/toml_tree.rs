//! TOML with places: a thin layer over the parser's spans.

use ouro_core::analysis::CitedText;
use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

use super::{cited, line_of};

/// A table of a TOML file.
#[derive(Debug, Clone, Copy)]
pub(super) struct Table<'t> {
    text: &'t str,
    table: &'t DeTable<'t>,
}

/// Parses a text and hands its root table on; `None` if it is no TOML.
pub(super) fn with_root<T>(text: &str, use_it: impl FnOnce(Table<'_>) -> T) -> Option<T> {
    let root = DeTable::parse(text).ok()?;
    Some(use_it(Table { text, table: root.get_ref() }))
}

impl<'t> Table<'t> {
    /// The table of this key; dots lead further in.
    pub(super) fn table(&self, path: &str) -> Option<Self> {
        path.split('.').try_fold(*self, |at, key| match at.table.get(key)?.get_ref() {
            DeValue::Table(table) => Some(Self { table, ..at }),
            _ => None,
        })
    }

    /// The tables of an array of tables.
    pub(super) fn tables(&self, key: &str) -> Vec<Self> {
        let Some(DeValue::Array(list)) = self.table.get(key).map(Spanned::get_ref) else {
            return Vec::new();
        };
        list.iter()
            .filter_map(|value| match value.get_ref() {
                DeValue::Table(table) => Some(Self { table, ..*self }),
                _ => None,
            })
            .collect()
    }

    /// The string of this key, with its line.
    pub(super) fn string(&self, key: &str) -> Option<CitedText> {
        self.cite(self.table.get(key)?)
    }

    /// The strings of an array, with their lines.
    pub(super) fn strings(&self, key: &str) -> Vec<CitedText> {
        match self.table.get(key).map(Spanned::get_ref) {
            Some(DeValue::Array(list)) => {
                list.iter().filter_map(|value| self.cite(value)).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Every key with its line, and its value if that is a string or table.
    pub(super) fn entries(
        &self,
    ) -> impl Iterator<Item = (&'t str, u32, Option<String>, Option<Self>)> + use<'t> {
        let (text, table) = (self.text, self.table);
        table.iter().map(move |(key, value)| {
            let line = line_of(text, key.span().start);
            let string = match value.get_ref() {
                DeValue::String(string) => Some(string.to_string()),
                _ => None,
            };
            let inner = match value.get_ref() {
                DeValue::Table(table) => Some(Self { text, table }),
                _ => None,
            };
            (key.get_ref().as_ref(), line, string, inner)
        })
    }

    fn cite(&self, value: &Spanned<DeValue<'_>>) -> Option<CitedText> {
        match value.get_ref() {
            DeValue::String(string) => {
                Some(cited(string.to_string(), line_of(self.text, value.span().start)))
            }
            _ => None,
        }
    }
}
