//! Text that others wrote and that is shown.

/// Whether a character makes a terminal or an editor show something else than what is there: a control character
/// (C0, C1, DEL) that is no line break and no tab, or one of Unicode's directional overrides, embeddings and isolates.
pub fn is_display_control(c: char) -> bool {
    (c.is_control() && c != '\n' && c != '\t')
        || matches!(c, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}
