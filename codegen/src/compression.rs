//! How a bundle's texts are compressed: by the C library where LLVM is linked too, else in Rust. Both write
//! what every decoder of zstd (RFC 8878) reads.

use crate::error::EmitError;

/// How far back a repetition may lie, in bytes; a decoder keeps as much.
const WINDOW_LOG: u32 = 23;

#[cfg(feature = "llvm")]
pub(crate) fn compress(bytes: &[u8]) -> Result<Vec<u8>, EmitError> {
    use zstd::bulk::Compressor;
    use zstd::zstd_safe::{CParameter, Strategy};
    // On texts of BLS12-381 (4.2 MB), one bundle a declaration: zstd's level 9 gives 288 kB in 0.15 s, this
    // 248 kB in 0.4 s, level 17 239 kB in 1.2 s; at level 18 and each image by itself they are 286 kB.
    const PARAMETERS: [CParameter; 7] = [
        CParameter::WindowLog(WINDOW_LOG),
        CParameter::HashLog(22),
        CParameter::ChainLog(22),
        CParameter::SearchLog(2),
        CParameter::MinMatch(5),
        CParameter::TargetLength(32),
        CParameter::Strategy(Strategy::ZSTD_btopt),
    ];
    let mut compressor = Compressor::new(zstd::DEFAULT_COMPRESSION_LEVEL).map_err(EmitError::Compress)?;
    PARAMETERS.into_iter().try_for_each(|p| compressor.set_parameter(p)).map_err(EmitError::Compress)?;
    compressor.compress(bytes).map_err(EmitError::Compress)
}

#[cfg(not(feature = "llvm"))]
pub(crate) fn compress(bytes: &[u8]) -> Result<Vec<u8>, EmitError> {
    Ok(repetitions::compress(bytes))
}

/// The search for repetitions. That of `ruzstd` looks back no further than a block, and texts of kernels
/// repeat one another: of those of all curves (97 MB) it leaves 8.4 MB, this 1.9 MB in 3.6 s.
#[cfg(any(test, not(feature = "llvm")))]
mod repetitions {
    use super::WINDOW_LOG;
    use ruzstd::encoding::{CompressionLevel, FrameCompressor, Matcher, Sequence};

    /// What the format allows a block to hold, in bytes.
    const BLOCK: usize = 128 << 10;
    /// Bytes that are hashed; the shortest repetition.
    const LEAST: usize = 5;
    const HASH_LOG: u32 = 18;
    /// Earlier places with the same hash that are looked at.
    const DEPTH: usize = 32;
    /// No place.
    const NONE: u32 = u32::MAX;

    pub(super) fn compress(bytes: &[u8]) -> Vec<u8> {
        let mut compressed = Vec::new();
        // The one level that is written; how hard is searched is up to the matcher.
        let mut frame = FrameCompressor::new_with_matcher(Chains::default(), CompressionLevel::Fastest);
        frame.set_source(bytes);
        frame.set_drain(&mut compressed);
        frame.compress();
        compressed
    }

    /// All that was read, and for each place of it the one before with the same hash.
    #[derive(Default)]
    struct Chains {
        bytes: Vec<u8>,
        /// Where the last block starts.
        block: usize,
        /// The last place of each hash.
        heads: Vec<u32>,
        links: Vec<u32>,
    }

    /// What is at a place, and was before.
    #[derive(Clone, Copy)]
    struct Repetition {
        length: usize,
        offset: usize,
        /// Some bits that it saves.
        gain: usize,
    }

    impl Chains {
        /// Takes up the places before `end`.
        fn link(&mut self, end: usize) {
            for place in self.links.len()..end {
                let head = self.hash(place).map(|hash| &mut self.heads[hash]);
                let place = u32::try_from(place).expect("texts of a declaration have less than 4 GiB");
                self.links.push(head.map_or(NONE, |head| std::mem::replace(head, place)));
            }
        }

        /// None where the bytes end.
        fn hash(&self, place: usize) -> Option<usize> {
            let key = self.bytes.get(place..place + LEAST)?;
            let key = key.iter().fold(0, |key, &byte| key << 8 | u64::from(byte));
            Some((key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - HASH_LOG)) as usize)
        }

        /// The best repetition at a place up to which all are linked.
        fn find(&self, place: usize) -> Option<Repetition> {
            let mut earlier = self.heads[self.hash(place)?];
            let mut best = None::<Repetition>;
            for _ in 0..DEPTH {
                if earlier == NONE || place - earlier as usize > 1 << WINDOW_LOG {
                    break;
                }
                let offset = place - earlier as usize;
                let (then, now) = (&self.bytes[earlier as usize..], &self.bytes[place..]);
                // One that is no longer is no better, since it is further away.
                let longer = best.map_or(0, |best| best.length);
                if now.len() > longer && then[longer] == now[longer] {
                    let length = then.iter().zip(now).take_while(|(then, now)| then == now).count();
                    // A literal takes some five bits, an offset as many as it has.
                    let gain = (5 * length).saturating_sub(offset.ilog2() as usize);
                    if length >= LEAST && gain > best.map_or(8, |best| best.gain) {
                        best = Some(Repetition { length, offset, gain });
                    }
                }
                earlier = self.links[earlier as usize];
            }
            best
        }
    }

    impl Matcher for Chains {
        fn get_next_space(&mut self) -> Vec<u8> {
            vec![0; BLOCK]
        }

        fn get_last_space(&mut self) -> &[u8] {
            &self.bytes[self.block..]
        }

        fn commit_space(&mut self, space: Vec<u8>) {
            self.block = self.bytes.len();
            self.bytes.extend(space);
        }

        fn skip_matching(&mut self) {
            self.link(self.bytes.len());
        }

        fn start_matching(&mut self, mut handle: impl for<'a> FnMut(Sequence<'a>)) {
            let end = self.bytes.len();
            // A block whose repetitions have no literals between them has a table of one code, which `ruzstd`
            // cannot build.
            let (mut place, mut written) = (self.block + 1, self.block);
            while place < end {
                self.link(place);
                let Some(mut found) = self.find(place) else {
                    place += 1;
                    continue;
                };
                // A byte later there may be a better one.
                while place + 1 < end {
                    self.link(place + 1);
                    match self.find(place + 1) {
                        Some(next) if next.gain > found.gain + 4 => (place, found) = (place + 1, next),
                        _ => break,
                    }
                }
                let (literals, Repetition { length, offset, .. }) = (&self.bytes[written..place], found);
                handle(Sequence::Triple { literals, offset, match_len: length });
                place += length;
                written = place;
            }
            self.link(end);
            if written < end {
                handle(Sequence::Literals { literals: &self.bytes[written..] });
            }
        }

        fn reset(&mut self, _: CompressionLevel) {
            *self = Chains { heads: vec![NONE; 1 << HASH_LOG], ..Chains::default() };
        }

        fn window_size(&self) -> u64 {
            1 << WINDOW_LOG
        }
    }

    #[cfg(test)]
    mod tests {
        use super::*;
        use ruzstd::decoding::StreamingDecoder;
        use std::io::Read as _;

        /// The compressed length of bytes that come back as they were.
        fn round_trip(bytes: &[u8]) -> usize {
            let compressed = compress(bytes);
            let mut decoder = StreamingDecoder::new(&compressed[..]).expect("a frame");
            let mut back = Vec::new();
            decoder.read_to_end(&mut back).expect("whole blocks");
            assert!(back == bytes, "{} bytes come back as others", bytes.len());
            compressed.len()
        }

        /// Numbers from a seed, by xorshift.
        fn numbers(mut state: u64) -> impl Iterator<Item = u64> {
            std::iter::from_fn(move || {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                Some(state)
            })
        }

        #[test]
        fn bytes_come_back_whatever_their_order() {
            for length in
                [0, 1, 2, 4, 5, 6, 7, 1023, 1024, 1025, 5000, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK + 7]
            {
                round_trip(&vec![7; length]);
                for alphabet in [2, 3, 16, 256] {
                    let random = numbers(length as u64 + 1).map(|n| (n % alphabet) as u8).take(length);
                    round_trip(&random.collect::<Vec<u8>>());
                }
                for period in [2, 3, 5, 31, 1000, BLOCK] {
                    let random: Vec<u8> = numbers(period as u64).map(|n| n as u8).take(period).collect();
                    round_trip(&random.iter().cycle().take(length).copied().collect::<Vec<u8>>());
                }
            }
        }

        #[test]
        fn pieces_of_earlier_bytes_come_back() {
            for seed in 1..=40 {
                let mut numbers = numbers(seed);
                let mut next = |below: usize| numbers.next().expect("endless") as usize % below;
                let mut bytes: Vec<u8> = (0..300).map(|_| next(256) as u8).collect();
                let new = 1 + next(20);
                while bytes.len() < 2 * BLOCK {
                    let start = next(bytes.len());
                    let piece = start..(start + next(400)).min(bytes.len());
                    bytes.extend_from_within(piece);
                    bytes.extend((0..next(new)).map(|n| n as u8));
                }
                round_trip(&bytes);
            }
        }

        #[test]
        fn what_repeats_blocks_later_takes_no_room() {
            let random: Vec<u8> = numbers(1).map(|n| n as u8).take(3 * BLOCK).collect();
            let twice = round_trip(&[&random[..], &random].concat());
            assert!(twice < round_trip(&random) + 1000, "{twice}");
        }
    }
}
