//! Windows of MSMs that were measured on a device, which its policies prefer to those of their model.
//!
//! A row is for a scalar field, since sums in both groups of a curve share digits, a number of scalars, and a
//! number of multiples of each base. It serves sizes within a factor of two, the nearest row first, and calls
//! whose multiples leave the same shapes to choose from.

use crate::vocabulary::{DigitShape, widest_window, windows_of};

/// The fastest window of an MSM of some size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MeasuredWindow {
    /// The scalar field's name.
    pub field: String,
    /// What identifies the kernels that were measured; a row of others is not used.
    pub kernels: String,
    /// Scalars.
    pub n: u64,
    /// Most multiples of each base that the shapes to choose from had; 1 where there were none.
    pub most: u32,
    /// The window, in bits.
    pub window: u32,
    /// What the MSM took with it.
    pub nanoseconds: u64,
}

/// What was measured on a device.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MeasuredWindows {
    rows: Vec<MeasuredWindow>,
}

/// Names and hashes, as they stand in a table.
fn is_word(text: &str) -> bool {
    (1..=64).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

impl MeasuredWindow {
    /// The row of a text, if it is one.
    fn parse(line: &str) -> Option<Self> {
        let words: Vec<&str> = line.split(' ').collect();
        let [field, kernels, n, most, window, nanoseconds] = words[..] else { return None };
        let row = MeasuredWindow {
            field: field.to_owned(),
            kernels: kernels.to_owned(),
            n: n.parse().ok()?,
            most: most.parse().ok()?,
            window: window.parse().ok()?,
            nanoseconds: nanoseconds.parse().ok()?,
        };
        row.is_sound().then_some(row)
    }

    /// What was measured.
    fn key(&self) -> (&str, &str, u64, u32) {
        (&self.field, &self.kernels, self.n, self.most)
    }

    /// Whether plans can use it as it is.
    fn is_sound(&self) -> bool {
        let window = (2..=widest_window(self.most)).contains(&self.window);
        is_word(&self.field) && is_word(&self.kernels) && self.n > 0 && self.most > 0 && window
    }

    fn line(&self) -> String {
        let MeasuredWindow { field, kernels, n, most, window, nanoseconds } = self;
        format!("{field} {kernels} {n} {most} {window} {nanoseconds}\n")
    }

    /// The shape of digits of `bits` bits where at most so many multiples are wanted, if the row tells
    /// anything about that: as many were measured; or fewer or more, but of the window all share one set of
    /// buckets, so that neither limit decided.
    fn shape(&self, bits: u32, most: u32) -> Option<DigitShape> {
        // No shape has more multiples than the narrowest windows.
        let clamp = |most: u32| most.clamp(1, windows_of(bits, 2));
        let (own, most) = (clamp(self.most), clamp(most));
        let shape = DigitShape::with_multiples(bits, self.window, own);
        let all = own > 1 && shape.sets == 1 && shape.multiples <= most;
        (own == most || all).then_some(shape)
    }
}

impl MeasuredWindows {
    /// Adds a row, in place of one for the same. Rows that no plan could use are left out.
    pub fn insert(&mut self, row: MeasuredWindow) {
        if row.is_sound() {
            self.rows.retain(|other| other.key() != row.key());
            self.rows.push(row);
            self.rows.sort_by(|a, b| a.key().cmp(&b.key()));
        }
    }

    /// The rows, sorted.
    pub fn rows(&self) -> &[MeasuredWindow] {
        &self.rows
    }

    /// Whether what was measured here and there took less time here, all together; not where nothing was.
    pub fn take_less_than(&self, other: &MeasuredWindows) -> bool {
        let same = |row: &MeasuredWindow| {
            let of = |other: &&MeasuredWindow| other.key() == row.key();
            Some((row.nanoseconds, other.rows.iter().find(of)?.nanoseconds))
        };
        let times = self.rows.iter().filter_map(same);
        let sum = |(a, b): (u128, u128), (own, other)| (a + u128::from(own), b + u128::from(other));
        let (own, other) = times.fold((0, 0), sum);
        own < other
    }

    /// Whether there are rows of a field.
    pub(crate) fn know(&self, field: &str) -> bool {
        self.rows.iter().any(|row| row.field == field)
    }

    /// The shape of the digits of `n` scalars of a field of `bits` bits with at most so many multiples of
    /// each base, by the row of the nearest size, no more than twice or less than half of `n`; of two as near
    /// the smaller. `None` where there is none.
    pub(crate) fn shape(
        &self,
        (field, bits): (&str, u32),
        kernels: &str,
        n: usize,
        most: u32,
    ) -> Option<DigitShape> {
        let n = n as u64;
        let near = |row: &&MeasuredWindow| row.n <= n.saturating_mul(2) && n <= row.n.saturating_mul(2);
        let rows = self.rows.iter().filter(|row| row.field == field && row.kernels == kernels).filter(near);
        let shapes = rows.filter_map(|row| Some((row.n, row.shape(bits, most)?)));
        // a/b < c/d as a·d < c·b; sizes of rows ascend, and the first of equals is taken.
        let distance = |row: u64| (u128::from(row.max(n)), u128::from(row.min(n)));
        let nearer = |(a, b): (u128, u128), (c, d): (u128, u128)| (a * d).cmp(&(c * b));
        shapes.min_by(|a, b| nearer(distance(a.0), distance(b.0))).map(|(_, shape)| shape)
    }

    /// Lines of text, one a row.
    pub(crate) fn print(&self) -> String {
        self.rows.iter().map(MeasuredWindow::line).collect()
    }

    /// What [`print`](Self::print) wrote; `None` where a line is anything else.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let mut windows = MeasuredWindows::default();
        for line in text.lines() {
            windows.insert(MeasuredWindow::parse(line)?);
        }
        Some(windows)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vocabulary::DigitMap;

    fn row(n: u64, most: u32, window: u32) -> MeasuredWindow {
        MeasuredWindow { field: "f".into(), kernels: "k".into(), n, most, window, nanoseconds: 5 }
    }

    fn table(rows: &[(u64, u32, u32)]) -> MeasuredWindows {
        let mut windows = MeasuredWindows::default();
        rows.iter().for_each(|&(n, most, window)| windows.insert(row(n, most, window)));
        windows
    }

    #[test]
    fn the_nearest_size_within_a_factor_of_two_decides() {
        let windows = table(&[(1000, 1, 7), (4000, 1, 9)]);
        let window = |n| windows.shape(("f", 254), "k", n, 1).map(|shape| shape.window);
        assert_eq!([499, 500, 1000, 1999].map(window), [None, Some(7), Some(7), Some(7)]);
        assert_eq!([2000, 2001, 8000, 8001, 0].map(window), [Some(7), Some(9), Some(9), None, None]);
        assert_eq!(window(usize::MAX), None);
        assert_eq!(windows.shape(("g", 254), "k", 1000, 1), None);
        assert_eq!(windows.shape(("f", 254), "l", 1000, 1), None, "other kernels");
        assert_eq!(windows.shape(("f", 254), "k", 1000, 1), Some(DigitShape::new(254, 7)));
        assert_eq!(table(&[(8, 1, 7), (8, 1, 8)]).rows(), [row(8, 1, 8)]);
    }

    #[test]
    fn tables_are_compared_by_what_both_have() {
        let taking = |rows: &[(u64, u64)]| {
            let mut windows = MeasuredWindows::default();
            rows.iter().for_each(|&(n, nanoseconds)| {
                windows.insert(MeasuredWindow { nanoseconds, ..row(n, 1, 7) });
            });
            windows
        };
        let (a, b) = (taking(&[(1, 5), (2, 9), (3, 1)]), taking(&[(1, 6), (2, 9), (4, 0)]));
        assert!(a.take_less_than(&b) && !b.take_less_than(&a));
        assert!(!a.take_less_than(&a));
        assert!(!taking(&[(3, 1)]).take_less_than(&b), "nothing in common");
        let most = taking(&[(1, u64::MAX), (2, u64::MAX)]);
        assert!(a.take_less_than(&most) && !most.take_less_than(&a));
    }

    #[test]
    fn rows_with_multiples_serve_what_they_were_measured_for() {
        // 255 bits in windows of 17 are 15: one set of buckets, by 15 multiples.
        let windows = table(&[(100, 40, 17)]);
        let shape = |most| windows.shape(("f", 254), "k", 100, most);
        assert_eq!([1, 14].map(shape), [None; 2]);
        let all = DigitShape { window: 17, sets: 1, multiples: 15, map: DigitMap::Signed };
        assert_eq!([15, 40, 41, u32::MAX].map(shape), [Some(all); 4]);
        // With four there are four sets: that limit decided.
        let windows = table(&[(100, 4, 17), (100, 1, 9)]);
        let shape = |most| windows.shape(("f", 254), "k", 100, most);
        assert_eq!([3, 5, 15].map(shape), [None; 3]);
        assert_eq!(shape(4), Some(DigitShape::with_multiples(254, 17, 4)));
        assert_eq!(shape(1), Some(DigitShape::new(254, 9)));
    }

    #[test]
    fn texts_come_back_and_others_are_refused() {
        let windows = table(&[(1, 1, 2), (8, 1, 17), (8, 2, 24), (u64::MAX, u32::MAX, 20)]);
        assert_eq!(MeasuredWindows::parse(&windows.print()), Some(windows));
        assert_eq!(MeasuredWindows::parse(""), Some(MeasuredWindows::default()));
        let good = "f k 8 1 7 5";
        assert!(MeasuredWindows::parse(good).is_some());
        for bad in [
            "",
            "f k 8 1 7",
            "f k 8 1 7 5 6",
            "f k 0 1 7 5",
            "f k 8 0 7 5",
            "f k 8 1 1 5",
            "f k 8 1 18 5",
            "f k 8 2 25 5",
            "f k -8 1 7 5",
            "f k 8 1 7 x",
            "f- k 8 1 7 5",
            " k 8 1 7 5",
        ] {
            assert_eq!(MeasuredWindows::parse(&format!("{good}\n{bad}\n")), None, "{bad:?}");
        }
        // Nor can one be put in.
        assert!(table(&[(8, 1, 18), (0, 1, 7), (8, 0, 7)]).rows().is_empty());
    }
}
