//! What a kernel's signature says of its arguments.

use curvesmith_abi::Arg;

/// One parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Param {
    Buffer { written: bool },
    U32,
    U64,
}

/// Threads a block, and parameters in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Contract {
    pub(crate) block: u32,
    pub(crate) params: Vec<Param>,
}

impl Contract {
    /// Reads what [`KernelDesc::signature`](curvesmith_abi::KernelDesc::signature) wrote:
    /// `Field mul[128](a: in field<1p, out: inout field<1p, n: u32)`.
    pub(crate) fn parse(signature: &str) -> Option<Contract> {
        let (head, params) = signature.strip_suffix(')')?.split_once('(')?;
        let block = head.strip_suffix(']')?.split_once('[')?.1.parse().ok()?;
        let param = |text: &str| {
            let (_, kind) = text.split_once(": ")?;
            match kind.split_once(' ').map_or(kind, |(access, _)| access) {
                "in" => Some(Param::Buffer { written: false }),
                "inout" => Some(Param::Buffer { written: true }),
                "u32" => Some(Param::U32),
                "u64" => Some(Param::U64),
                _ => None,
            }
        };
        let params = match params {
            "" => Vec::new(),
            params => params.split(", ").map(param).collect::<Option<_>>()?,
        };
        Some(Contract { block, params })
    }

    /// Why these are not the arguments.
    pub(crate) fn refuse(&self, args: &[Arg]) -> Option<String> {
        if args.len() != self.params.len() {
            return Some(format!("{} arguments for {} parameters", args.len(), self.params.len()));
        }
        let fits = |(param, arg): (&Param, &Arg)| {
            matches!(
                (param, arg),
                (Param::Buffer { .. }, Arg::Buffer(_))
                    | (Param::U32, Arg::U32(_))
                    | (Param::U64, Arg::U64(_))
            )
        };
        let wrong = self.params.iter().zip(args).position(|pair| !fits(pair))?;
        Some(format!("argument {wrong} is {:?}, the parameter is {:?}", args[wrong], self.params[wrong]))
    }

    /// For each buffer, whether it is written.
    pub(crate) fn buffers(&self) -> impl Iterator<Item = bool> {
        self.params.iter().filter_map(|param| match param {
            Param::Buffer { written } => Some(*written),
            Param::U32 | Param::U64 => None,
        })
    }

    /// Bytes of the block of parameters.
    pub(crate) fn uniform_bytes(&self) -> u64 {
        let words: u64 =
            1 + self.params.iter().map(|param| if *param == Param::U64 { 2 } else { 1 }).sum::<u64>();
        words.next_multiple_of(4) * 4
    }
}

/// The same text with every storage binding written.
pub(crate) fn all_written(text: &str) -> String {
    const BEGIN: &str = "var<storage";
    let mut parts = text.split(BEGIN);
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let rest = part.find('>').map_or(part, |end| &part[end..]);
        out.extend([BEGIN, ", read_write", rest]);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use curvesmith_abi::{BufferId, ByteRange, Family, Form, Geometry, KernelDesc, kernels};

    #[test]
    fn signatures_are_read() {
        let read = |written| Param::Buffer { written };
        let text = "Group sums[64](a: in affine<1p, t: in table[2/3]<1p, out: inout u32, n: u32, m: u64)";
        let params = vec![read(false), read(false), read(true), Param::U32, Param::U64];
        let contract = Contract::parse(text).expect("it is one");
        assert_eq!(contract, Contract { block: 64, params });
        assert_eq!(contract.buffers().collect::<Vec<_>>(), [false, false, true]);
        // A word of the grid, five of parameters, one more of `m`.
        assert_eq!(contract.uniform_bytes(), 32);
        let nothing = Contract::parse("Common nothing[1]()").expect("it is one");
        assert_eq!((nothing.params.len(), nothing.uniform_bytes()), (0, 16));
        for text in
            ["", "x", "Common x(a: u32)", "Common x[](a: u32)", "Common x[1](a: f32)", "Common x[1](u32)"]
        {
            assert_eq!(Contract::parse(text), None, "{text}");
        }
    }

    #[test]
    fn those_of_all_kernels_are() {
        for desc in kernels::all(&Geometry::PTX) {
            let contract = Contract::parse(&desc.signature(Form::Xyzz)).expect("it is one");
            assert_eq!((contract.block, contract.params.len()), (desc.block, desc.params.len()));
        }
        let none = KernelDesc { name: "x", family: Family::Common, block: 7, wide_block: 7, params: &[] };
        assert_eq!(Contract::parse(&none.signature(Form::Xyzz)).map(|c| c.block), Some(7));
    }

    #[test]
    fn arguments_are_compared() {
        let contract = Contract::parse("Common x[32](a: inout u32, n: u32, m: u64)").expect("it is one");
        let buffer = Arg::Buffer(ByteRange { buffer: BufferId(1), start: 0, end: 4 });
        assert_eq!(contract.refuse(&[buffer, Arg::U32(1), Arg::U64(2)]), None);
        let reason = contract.refuse(&[buffer, Arg::U32(1)]).expect("one is missing");
        assert_eq!(reason, "2 arguments for 3 parameters");
        let reason = contract.refuse(&[buffer, Arg::U64(1), Arg::U64(2)]).expect("one is wrong");
        assert_eq!(reason, "argument 1 is U64(1), the parameter is U32");
    }

    #[test]
    fn every_binding_becomes_written() {
        let text = "a var<storage, read> b var<storage,read_write> c var<storage> d var<uniform> e";
        let w = "var<storage, read_write>";
        assert_eq!(all_written(text), format!("a {w} b {w} c {w} d var<uniform> e"));
        assert_eq!(all_written("none"), "none");
    }
}
