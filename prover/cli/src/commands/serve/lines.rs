//! Lines of bounded length.

use crate::commands::jobs;
use std::io;
use tokio::io::{AsyncBufRead, AsyncBufReadExt as _};

/// Bytes that a line may have.
pub(super) const MAX_LINE: usize = jobs::MAX_BYTES;

/// Bytes that stay for the next line.
const KEPT: usize = 1 << 13;

/// What was read.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line {
    /// A line; the last one may have no newline.
    Whole,
    /// One of more than [`MAX_LINE`] bytes, which were passed over.
    TooLong,
    /// The input has ended.
    End,
}

/// Reads the next line into `line`, without its newline.
pub(super) async fn next(input: &mut (impl AsyncBufRead + Unpin), line: &mut Vec<u8>) -> io::Result<Line> {
    line.clear();
    // A long one's memory is not kept while the next one is waited for.
    line.shrink_to(KEPT);
    let (mut any, mut too_long) = (false, false);
    loop {
        let bytes = input.fill_buf().await?;
        let newline = bytes.iter().position(|byte| *byte == b'\n');
        let part = &bytes[..newline.unwrap_or(bytes.len())];
        too_long |= line.len() + part.len() > MAX_LINE;
        if !too_long {
            line.extend_from_slice(part);
        }
        any |= !bytes.is_empty();
        let done = newline.is_some() || bytes.is_empty();
        let taken = part.len() + usize::from(newline.is_some());
        input.consume(taken);
        match (done, any, too_long) {
            (false, ..) => {}
            (true, false, _) => return Ok(Line::End),
            (true, true, true) => return Ok(Line::TooLong),
            (true, true, false) => return Ok(Line::Whole),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt as _, BufReader, repeat};

    fn next(input: &mut (impl AsyncBufRead + Unpin), line: &mut Vec<u8>) -> Line {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(super::next(input, line)).unwrap()
    }

    #[test]
    fn lines_end_with_a_newline_or_the_input() {
        let mut input = BufReader::with_capacity(3, &b"first\n\nlast"[..]);
        let mut line = Vec::new();
        for expected in [&b"first"[..], b"", b"last"] {
            assert_eq!(next(&mut input, &mut line), Line::Whole);
            assert_eq!(line, expected);
        }
        assert_eq!(next(&mut input, &mut line), Line::End);
    }

    #[test]
    fn a_line_takes_no_more_memory_than_it_may() {
        let long = |len: u64| repeat(b'x').take(len).chain(&b"\nnext"[..]);
        let mut line = Vec::new();
        for (len, expected) in [
            (MAX_LINE as u64, Line::Whole),
            (MAX_LINE as u64 + 1, Line::TooLong),
            (64 * MAX_LINE as u64, Line::TooLong),
        ] {
            let mut input = BufReader::new(long(len));
            assert_eq!(next(&mut input, &mut line), expected);
            assert!(line.capacity() <= 2 * MAX_LINE);
            assert_eq!(next(&mut input, &mut line), Line::Whole);
            assert_eq!(line, b"next");
            assert!(line.capacity() <= 2 * KEPT);
        }
    }
}
