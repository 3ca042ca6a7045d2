//! UTF-16 code units into scalar values, however they are cut.

const REPLACEMENT: u32 = 0xFFFD;

/// Holds the first half of a pair until the second arrives. A lone half is U+FFFD.
#[derive(Debug, Clone, Default)]
pub(crate) struct Utf16Decoder {
    high: Option<u16>,
}

impl Utf16Decoder {
    /// Whether the next code unit is a character by itself, as nearly all are: it need not be pushed.
    #[inline]
    pub(crate) fn is_whole(&self, unit: u16) -> bool {
        self.high.is_none() && unit & 0xF800 != 0xD800
    }

    /// Takes one code unit; hands the scalar values it completes to `take`: none, one or two.
    pub(crate) fn push(&mut self, unit: u16, mut take: impl FnMut(u32)) {
        let low = (0xDC00..0xE000).contains(&unit);
        match self.high.take() {
            Some(high) if low => {
                take(0x10000 + ((u32::from(high) & 0x3FF) << 10 | (u32::from(unit) & 0x3FF)));
                return;
            }
            Some(_) => take(REPLACEMENT),
            None => {}
        }
        if (0xD800..0xDC00).contains(&unit) {
            self.high = Some(unit);
        } else {
            take(if low { REPLACEMENT } else { u32::from(unit) });
        }
    }

    /// The scalar values that `units` complete.
    #[inline]
    pub(crate) fn decode(&mut self, units: &[u16]) -> impl Iterator<Item = u32> {
        let mut units = units.iter();
        let mut second = None;
        std::iter::from_fn(move || {
            if let Some(c) = second.take() {
                return Some(c);
            }
            loop {
                let &unit = units.next()?;
                if self.is_whole(unit) {
                    return Some(u32::from(unit));
                }
                let mut first = None;
                self.push(
                    unit,
                    |c| {
                        if first.is_none() { first = Some(c) } else { second = Some(c) }
                    },
                );
                if first.is_some() {
                    return first;
                }
            }
        })
    }

    /// Gives up on a half that waits: text of another form follows.
    pub(crate) fn flush(&mut self) -> Option<u32> {
        self.high.take().map(|_| REPLACEMENT)
    }
}
