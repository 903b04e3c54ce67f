//! How large blocks and tiles are: data of a flavour, for which its kernels are built and launched.

use crate::kernels::ntt_is_short;

/// Sizes of the blocks of kernels, and of what a block works on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Geometry {
    /// Threads of a block, where nothing else is said; a power of two.
    pub threads: u32,
    /// Threads of a block that adds points of wide coordinates
    /// ([`KernelDesc::of_width`](crate::KernelDesc::of_width)).
    pub wide_threads: u32,
    /// Threads of a block that sorts or scans.
    pub sort_threads: u32,
    /// Threads of a block that orders rows.
    pub row_threads: u32,
    /// Threads of a block that adds the sums by bits.
    pub horner_threads: u32,
    /// Pairs that one block of the radix sort handles; 0 where there is no such sort, since its blocks
    /// [wait for each other](crate::Features::PROGRESS).
    pub radix_tile: u32,
    /// Whether lanes exchange elements where they add different numbers of points.
    pub lane_pairs: bool,
    /// Words that one block of the scan handles.
    pub scan_tile: u32,
    /// Rows that one block of [`RowCounts`](crate::kernels::RowCounts) handles.
    pub row_tile: u32,
    /// Bytes of shared memory of a block of [`NttPass`](crate::kernels::NttPass).
    pub ntt_block_bytes: usize,
    /// Words of elements and a product in a thread of such a pass.
    pub ntt_thread_words: usize,
}

impl Geometry {
    /// Of PTX.
    ///
    /// * A sort or scan has eight words a thread, all on their way at once.
    /// * Half the threads for wide points have twice the shared memory each, of 48 KiB that every
    ///   block can have.
    /// * With 96 of 255 registers for elements no pass of 8, 12 or 24 words spills (ptxas 13.5); with
    ///   144, one of 24 words does.
    pub const PTX: Geometry = Geometry {
        threads: 128,
        wide_threads: 64,
        sort_threads: 512,
        row_threads: 256,
        horner_threads: 32,
        radix_tile: 4096,
        lane_pairs: true,
        scan_tile: 4096,
        row_tile: 4096,
        ntt_block_bytes: 48 * 1024,
        ntt_thread_words: 96,
    };

    /// Of WGSL, within what WebGPU promises on every device: blocks of 256 threads with 16 KiB of shared
    /// memory and 8 buffers (W3C, *WebGPU*, "Limits").
    ///
    /// * Blocks that sort or scan have all 256 threads. A scan's tile of 2048 words takes 8.3 KiB, one of
    ///   4096 would take 16.5.
    /// * There is no sort that looks back: nothing says that blocks go on.
    /// * Lanes exchange words through shared memory, which all threads of a block do together.
    /// * A pass of 8 words fills the 16 KiB with four elements a thread; one of 12 has two.
    /// * A tile of rows is half that of PTX, as that of a scan is. Neither this nor the numbers that are
    ///   those of PTX were measured.
    pub const WGSL: Geometry = Geometry {
        threads: 128,
        wide_threads: 64,
        sort_threads: 256,
        row_threads: 256,
        horner_threads: 32,
        radix_tile: 0,
        lane_pairs: false,
        scan_tile: 2048,
        row_tile: 2048,
        ntt_block_bytes: 16 * 1024,
        ntt_thread_words: 96,
    };

    /// Whether there is a sort whose blocks look back at others.
    pub const fn looks_back(&self) -> bool {
        self.radix_tile > 0
    }

    /// Elements that a thread of [`NttPass`](crate::kernels::NttPass) holds, as a logarithm, in a
    /// field of `words` words: 1 or 2, and 4 where they [are short](ntt_is_short). They and what a
    /// product adds, as much as two more, must leave a thread's registers room for addresses and for
    /// loads ahead of their use, and those of a block must fit its shared memory.
    pub const fn ntt_log_elements(&self, words: usize) -> u32 {
        let mut log = if ntt_is_short(words) { 4 } else { 2 };
        while log > 1
            && (((1 << log) + 2) * words > self.ntt_thread_words
                || ((4 * words) << log) * self.threads as usize > self.ntt_block_bytes)
        {
            log -= 1;
        }
        log
    }

    /// Largest radix of a pass as its logarithm, in a field of `words` words: a block has at least two
    /// columns, so that what neighbouring lanes access lies side by side.
    pub const fn ntt_max_log_radix(&self, words: usize) -> u32 {
        self.ntt_log_elements(words) + self.threads.trailing_zeros() - 1
    }

    /// Blocks of [`NttPass`](crate::kernels::NttPass) for a vector of `2^log_n` elements in a field of
    /// `words` words.
    pub const fn ntt_blocks(&self, words: usize, log_n: u32) -> usize {
        1 << log_n.saturating_sub(self.ntt_log_elements(words) + self.threads.trailing_zeros())
    }

    /// Most bits that a launch of [`BitSums`](crate::kernels::BitSums) takes: a block has a thread for
    /// every addition of the first step.
    pub const fn bit_sums_steps(&self) -> u32 {
        self.threads.ilog2() + 1
    }
}
