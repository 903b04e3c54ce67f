//! Each barrier of the common kernels is needed, and the emulator's race check knows: a
//! kernel without one of them is caught.

use curvesmith_abi::kernels::{RADIX_BITS, RadixScatter};
use curvesmith_abi::{Arg, Geometry, Kernel as _, ParamKind};
use curvesmith_codegen::fir::ir::{Block, Kernel, Stmt};
use curvesmith_codegen::kernels::common_kernels;
use curvesmith_codegen::passes::prepare;
use curvesmith_codegen::targets::BackEnd;
use curvesmith_codegen::targets::ptx::Ptx;
use curvesmith_codegen::targets::ptx::emit::Emitter;
use curvesmith_device::{KernelDevice, Launch, write_bytes};
use curvesmith_emulator::{Emulator, EmulatorOptions};

/// Removes the barrier or warp barrier number `index` in text order; whether there was one.
fn remove_barrier(block: &mut Block, index: &mut usize) -> bool {
    for at in 0..block.len() {
        let removed = match &mut block[at] {
            Stmt::Barrier | Stmt::SyncWarp { .. } if *index == 0 => {
                block.remove(at);
                true
            }
            Stmt::Barrier | Stmt::SyncWarp { .. } => {
                *index -= 1;
                false
            }
            Stmt::If { then, otherwise, .. } => {
                remove_barrier(then, index) || remove_barrier(otherwise, index)
            }
            Stmt::Loop(body) => remove_barrier(body, index),
            _ => false,
        };
        if removed {
            return true;
        }
    }
    false
}

/// Rows of two entries each, none of which is cut.
const ROWS: u32 = 1000;

/// Runs one tile on buffers that fit: keys of three digits, offsets far enough apart; of rows, equal ones.
fn run(kernel: &Kernel, seed: u64) -> Result<(), String> {
    let prepared = [prepare(kernel).map_err(|e| e.to_string())?];
    let text = Ptx::emit(&prepared, Emitter::Llvm).map_err(|e| e.to_string())?.text;
    let device = Emulator::new(EmulatorOptions::default().initcheck(false).racecheck(true).seed(seed));
    let module = device.load_ptx(&text).map_err(|e| e.to_string())?;
    let stream = device.stream().map_err(|e| e.to_string())?;
    let keys: Vec<u32> = (0..Geometry::PTX.radix_tile).map(|i| i * i % 3).collect();
    let data: Vec<u32> = (0..Geometry::PTX.scan_tile).collect();
    let offsets: Vec<u32> = (0..=1 << RADIX_BITS).map(|digit| digit * Geometry::PTX.radix_tile).collect();
    let starts: Vec<u32> = (0..=ROWS).map(|row| 2 * row).collect();
    let blank = vec![0; Geometry::PTX.radix_tile as usize * 3];
    let mut buffers = vec![];
    let mut args = vec![];
    for param in kernel.desc.params {
        args.push(match (param.kind, param.name) {
            (ParamKind::Buffer(..), name) => {
                let words = match name {
                    "codes" | "keys_in" | "entries_in" => &keys,
                    "data" => &data,
                    "starts" => &starts,
                    "offsets" if kernel.desc.name != "row_order" => &offsets,
                    _ => &blank,
                };
                let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
                let memory = device.alloc(bytes.len() as u64).map_err(|e| e.to_string())?;
                write_bytes(&device, &stream, &memory, 0, &bytes).map_err(|e| e.to_string())?;
                let range = memory.whole();
                buffers.push(memory);
                Arg::Buffer(range)
            }
            (_, "bits" | "key_bits") => Arg::U32(RADIX_BITS),
            (_, "tiles" | "segments" | "passes" | "each" | "slices" | "least") => Arg::U32(1),
            (_, "buckets") => Arg::U32(ROWS),
            (_, "n") if kernel.desc.name == "scan_tiles" => Arg::U32(Geometry::PTX.scan_tile),
            (_, "n") => Arg::U32(Geometry::PTX.radix_tile),
            _ => Arg::U32(0),
        });
    }
    let launch = Launch { symbol: &kernel.symbol, grid: 1, block: kernel.desc.block, shared: 0, args: &args };
    let done = device.launch(&stream, &module, launch).and_then(|()| device.synchronize(&stream));
    done.map_err(|e| e.to_string())
}

#[test]
fn no_barrier_of_the_common_kernels_can_be_left_out() {
    let mut barriers = 0;
    for kernel in common_kernels(&Geometry::PTX) {
        for index in 0.. {
            let mut broken = kernel.clone();
            if !remove_barrier(&mut broken.body, &mut { index }) {
                break;
            }
            if index == 0 {
                assert_eq!(run(&kernel, 1), Ok(()), "{}", kernel.symbol);
            }
            let error = (1..=5).find_map(|seed| run(&broken, seed).err());
            let error = error.unwrap_or_else(|| panic!("{} without barrier {index} passes", kernel.symbol));
            assert!(error.contains("race"), "{}: {error}", kernel.symbol);
            barriers += 1;
        }
    }
    // Two of the counts, seven and two a round but the last of each of three
    // scatters, which have one there; three of the scan, and of the two kernels that order rows.
    let rounds = (Geometry::PTX.radix_tile / RadixScatter::desc(&Geometry::PTX).block) as usize;
    assert_eq!(barriers, 2 + 3 * (7 + 2 * rounds - 1) + 3 + 3);
}
