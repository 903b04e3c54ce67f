//! Cross-crate tests of curvesmith, and what they share.

pub mod interpreter;

/// How much a test run tries, from the environment variable `CURVESMITH_TEST_SIZE`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Size {
    /// `short`: a quick look.
    Short,
    /// Unset: what continuous integration runs.
    Normal,
    /// `long`: more seeds and sizes.
    Long,
}

impl Size {
    /// Panics on a value that means nothing, so that a misspelt one does not pass for a run.
    pub fn from_env() -> Size {
        match std::env::var("CURVESMITH_TEST_SIZE").as_deref() {
            Ok("short") => Size::Short,
            Ok("long") => Size::Long,
            Err(_) | Ok("") => Size::Normal,
            Ok(other) => panic!("CURVESMITH_TEST_SIZE is `{other}`, expected short or long"),
        }
    }

    /// One of three.
    pub fn pick<T>(self, short: T, normal: T, long: T) -> T {
        match self {
            Size::Short => short,
            Size::Normal => normal,
            Size::Long => long,
        }
    }
}
