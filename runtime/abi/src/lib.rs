//! What curvesmith kernels and their launchers agree on.
//!
//! Every kernel is one Rust type, written once with [`kernel!`]: its fields are the
//! parameters in order. The compiler builds the kernel's signature from
//! [`Kernel::desc`], the runtime launches by filling the struct, and the signature
//! text is stored in the [`Image`] and compared at load, so the two cannot disagree.
//!
//! # Layouts
//! A *word* is a little-endian `u32`. A field element is `words` words (Montgomery form, `R = 2^(32·words)`),
//! canonical (below `p`), padded with zero words to a multiple of four (16 bytes) from three words on. An
//! element of an extension is its coordinates over the prime field, `c0` first. An affine point is `x`, `y`,
//! or what else the [`Form`] of the group says; the identity has *every* word `0xffff_ffff`, padding
//! included. What a point's coordinates are where it is not affine, the form says too. A constant by which
//! much is multiplied is stored as a *table* of field-sized entries, see [`TableShape`].

mod argument;
pub mod delta;
mod geometry;
mod image;
pub mod kernels;
mod needs;
pub mod wgsl;

/// BLAKE3 of this crate's sources: a part of what images are made by.
pub const SOURCE_HASH: &str = env!("CURVESMITH_ABI_SOURCE_HASH");

pub use argument::{Arg, BufferId, ByteRange, Overlap, Slice};
pub use geometry::Geometry;
pub use image::{Bundle, Image, ImageError, KernelEntry, Packed};
pub use needs::{Features, Flavour, Lack, Limits, Needs};

/// Words of a padded field element of `words` words: one and two as they are, which threads beside each other
/// access side by side, and more in whole accesses of 16 bytes.
pub const fn padded_words(words: usize) -> usize {
    match words {
        0..=2 => words,
        _ => words.next_multiple_of(4),
    }
}

/// The word that fills an affine identity.
pub const IDENTITY_WORD: u32 = 0xffff_ffff;

/// How a constant `w` is stored to multiply by it: `⌈words/step⌉` entries, and with `B = 2^32` entry
/// `i` is the canonical integer `w·B^(rows + step·i) mod p`.
///
/// A product by a table takes `words·(words + rows)` word products where a Montgomery product
/// takes `2·words²`, and gives `x·w` itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TableShape {
    /// Words of the other factor that one entry serves; from 1.
    pub step: u32,
    /// Rows of reduction that the product ends with; at least `step`.
    pub rows: u32,
}

impl TableShape {
    /// The shape that stands for this one in a field of `words` words: the step is at most `words`,
    /// and the rows shrink with it.
    pub const fn fit(self, words: usize) -> TableShape {
        let over = self.step.saturating_sub(words as u32);
        TableShape { step: self.step - over, rows: self.rows - over }
    }

    /// Entries in a field of `words` words.
    pub const fn entries(self, words: usize) -> usize {
        words.div_ceil(self.step as usize)
    }
}

/// How the kernels of a group represent its points. An affine point is `x`, `y` where nothing else is said.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Form {
    /// Short Weierstrass, `x`, `y`, `zz`, `zzz`: affine `(x/zz, y/zzz)`, with `zz³ = zzz²`; the identity has
    /// `zz = 0`, and its other coordinates are arbitrary.
    Xyzz,
    /// Twisted Edwards, `x`, `y`, `z`, `t`: affine `(x/z, y/z)`, with `x·y = z·t` and `z ≠ 0`; the identity
    /// is affine `(0, 1)`, or all zeros.
    Extended,
    /// As [`Form::Extended`], on a curve `-x² + y² = 1 + d·x²·y²`. Affine points are what a mixed addition
    /// takes of them, `y - x`, `y + x` and `2·d·x·y` ([Hisil, Wong, Carter and
    /// Dawson](https://eprint.iacr.org/2008/522), section 3.1).
    Niels,
}

impl Form {
    /// All of them.
    pub const ALL: [Form; 3] = [Form::Xyzz, Form::Extended, Form::Niels];

    /// Coordinates of a point.
    pub const COORDINATES: usize = 4;

    /// Coordinates of an affine point.
    pub const fn affine_coordinates(self) -> usize {
        match self {
            Form::Xyzz | Form::Extended => 2,
            Form::Niels => 3,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Form::Xyzz => "xyzz",
            Form::Extended => "extended",
            Form::Niels => "extended_niels",
        }
    }

    fn affine_name(self) -> &'static str {
        match self {
            Form::Xyzz | Form::Extended => "affine",
            Form::Niels => "niels",
        }
    }
}

/// What one element of a buffer is. Field and point layouts refer to the field or
/// group that the kernel's image is generated for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Element {
    /// A little-endian 32-bit word.
    U32,
    /// A canonical (`< p`) prime-field element in Montgomery form.
    Field,
    /// An affine point with canonical coordinates, or the identity pattern.
    Affine,
    /// A point in the [`Form`] of the group, with canonical coordinates.
    Point,
    /// A constant of the field to multiply by, in the shape that fits the field ([`TableShape::fit`]);
    /// each entry padded like an element.
    Table(TableShape),
}

impl Element {
    /// Padded field elements in one buffer element, for points in a form, a field of `words` words and
    /// coordinates of extension degree `degree`. Zero for plain words.
    pub const fn field_elements(self, form: Form, words: usize, degree: usize) -> usize {
        match self {
            Element::U32 => 0,
            Element::Field => 1,
            Element::Affine => form.affine_coordinates() * degree,
            Element::Point => Form::COORDINATES * degree,
            Element::Table(table) => table.entries(words),
        }
    }

    /// Bytes of one buffer element, for points in a form, a field of `words` words and coordinates of
    /// `degree`.
    pub const fn bytes(self, form: Form, words: usize, degree: usize) -> usize {
        match self {
            Element::U32 => 4,
            _ => self.field_elements(form, words, degree) * padded_words(words) * 4,
        }
    }

    /// The number of times `p` that the field elements are below, in fields whose words hold it; none where
    /// there are no field elements.
    pub const fn below(self) -> Option<u32> {
        match self {
            Element::U32 => None,
            Element::Field | Element::Affine | Element::Point | Element::Table(_) => Some(1),
        }
    }

    fn name(self, form: Form) -> String {
        match self {
            Element::U32 => "u32".into(),
            Element::Field => "field<1p".into(),
            Element::Affine => format!("{}<1p", form.affine_name()),
            Element::Point => format!("{}<1p", form.name()),
            Element::Table(TableShape { step, rows }) => format!("table[{step}/{rows}]<1p"),
        }
    }
}

/// How a kernel uses a buffer.
///
/// Buffers that are read only may overlap each other. A written one overlaps no other buffer: no kernel works
/// in place but on one buffer that is `InOut`. The compiler relies on it, so that what is read only is read
/// through the cache that writes do not reach (`ld.global.nc`), and launches are refused where
/// [`KernelDesc::overlap`] finds otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Access {
    /// Read only.
    In,
    /// Written, and possibly read.
    InOut,
}

/// One parameter of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ParamKind {
    /// An array.
    Buffer(Access, Element),
    /// A 32-bit scalar.
    U32,
    /// A 64-bit scalar.
    U64,
}

/// A named parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Param {
    /// Name, as in the kernel's struct.
    pub name: &'static str,
    /// Kind and layout.
    pub kind: ParamKind,
}

/// Which declaration a kernel is generated for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Family {
    /// Field-independent; one image for all.
    Common,
    /// Once per prime field.
    Field,
    /// Once per group (curve over a prime field or a tower of its extensions).
    Group,
}

/// The contract of one kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct KernelDesc {
    /// Name in snake case; the symbol is `<field or group>_<name>` or `common_<name>`.
    pub name: &'static str,
    /// What it is generated for.
    pub family: Family,
    /// Threads per block; launches use exactly this.
    pub block: u32,
    /// Threads per block of owners with wide coordinates, in place of [`KernelDesc::block`]:
    /// [`KernelDesc::of_width`].
    pub wide_block: u32,
    /// Parameters in order.
    pub params: &'static [Param],
}

impl KernelDesc {
    /// The contract for a field of `words` words, or a group whose coordinates are of extension degree
    /// `degree` over it.
    ///
    /// Wide are coordinates that four of, next to what an addition works on, fit neither a thread's registers
    /// nor its part of a block's shared memory: over fields of 17 words and more, and of more than 24 words
    /// with the extension. Half the threads have twice the shared memory each.
    #[must_use]
    pub const fn of_width(self, words: usize, degree: usize) -> KernelDesc {
        let is_wide = words > 16 || words * degree > 24;
        KernelDesc { block: if is_wide { self.wide_block } else { self.block }, ..self }
    }

    /// The contract as text, for a group whose points have this form; equal texts mean equal contracts. Of
    /// kernels without points the form says nothing.
    pub fn signature(&self, form: Form) -> String {
        let params: Vec<String> = self
            .params
            .iter()
            .map(|p| match p.kind {
                ParamKind::Buffer(Access::In, e) => format!("{}: in {}", p.name, e.name(form)),
                ParamKind::Buffer(Access::InOut, e) => format!("{}: inout {}", p.name, e.name(form)),
                ParamKind::U32 => format!("{}: u32", p.name),
                ParamKind::U64 => format!("{}: u64", p.name),
            })
            .collect();
        format!("{:?} {}[{}]({})", self.family, self.name, self.block, params.join(", "))
    }
}

/// A layout as a type, so that a launch cannot pass a buffer of another layout.
pub trait Layout {
    /// The layout as a value.
    const ELEMENT: Element;
}

/// Marker types for the layouts.
pub mod layout {
    macro_rules! layouts {
        ($($name:ident)*) => {$(
            #[doc = concat!("Layout [`Element::", stringify!($name), "`](super::Element).")]
            #[derive(Clone, Copy, Debug)]
            pub enum $name {}
            impl super::Layout for $name { const ELEMENT: super::Element = super::Element::$name; }
        )*};
    }
    layouts!(U32 Field Affine Point);

    /// Layout [`Element::Table`](super::Element) with this step and these rows.
    #[derive(Clone, Copy, Debug)]
    pub enum Table<const STEP: u32, const ROWS: u32> {}
    impl<const STEP: u32, const ROWS: u32> super::Layout for Table<STEP, ROWS> {
        const ELEMENT: super::Element = {
            assert!(STEP >= 1 && ROWS >= STEP, "a table has a step from 1 and at least as many rows");
            super::Element::Table(super::TableShape { step: STEP, rows: ROWS })
        };
    }
}

/// A kernel as a launchable value.
pub trait Kernel {
    /// [`KernelDesc::name`].
    const NAME: &'static str;
    /// The contract under a geometry.
    fn desc(geometry: &Geometry) -> KernelDesc;
    /// Argument values in parameter order.
    fn args(&self) -> Vec<Arg>;
}

/// Declares kernels: a struct per kernel and its [`KernelDesc`]. Buffers are `In` or `InOut` and a
/// [`layout`]: `a: In Field`, `twiddles: In Table<2, 3>`. In brackets stands which number of a
/// [`Geometry`] is that of a block's threads; `[threads, wide wide_threads]` has another one for wide
/// coordinates.
#[macro_export]
macro_rules! kernel {
    (@kind In $l:ident $($g:literal)*) => {
        $crate::ParamKind::Buffer($crate::Access::In, <$crate::layout::$l<$($g),*> as $crate::Layout>::ELEMENT)
    };
    (@kind InOut $l:ident $($g:literal)*) => {
        $crate::ParamKind::Buffer($crate::Access::InOut, <$crate::layout::$l<$($g),*> as $crate::Layout>::ELEMENT)
    };
    (@kind u32) => { $crate::ParamKind::U32 };
    (@kind u64) => { $crate::ParamKind::U64 };
    (@ty In $l:ident $($g:literal)*) => { $crate::Slice<$crate::layout::$l<$($g),*>> };
    (@ty InOut $l:ident $($g:literal)*) => { $crate::Slice<$crate::layout::$l<$($g),*>> };
    (@ty u32) => { u32 };
    (@ty u64) => { u64 };
    (@wide $geometry:ident $block:ident) => { $geometry.$block };
    (@wide $geometry:ident $block:ident $wide:ident) => { $geometry.$wide };
    (@arg In $l:ident, $v:expr) => { $crate::Arg::Buffer($v.range) };
    (@arg InOut $l:ident, $v:expr) => { $crate::Arg::Buffer($v.range) };
    (@arg u32, $v:expr) => { $crate::Arg::U32($v) };
    (@arg u64, $v:expr) => { $crate::Arg::U64($v) };
    ($(
        $(#[$meta:meta])*
        $family:ident $name:ident = $symbol:literal [$block:ident $(, wide $wide:ident)?] {
            $( $(#[$pmeta:meta])* $param:ident : $kind:ident $($layout:ident $(<$($g:literal),*>)?)? ),* $(,)?
        }
    )*) => {$(
        $(#[$meta])*
        #[derive(Clone, Copy, Debug)]
        #[allow(missing_docs, reason = "the kernel's own text describes its parameters")]
        pub struct $name { $( $(#[$pmeta])* pub $param: $crate::kernel!(@ty $kind $($layout $($($g)*)?)?) ),* }
        impl $crate::Kernel for $name {
            const NAME: &'static str = $symbol;
            fn desc(geometry: &$crate::Geometry) -> $crate::KernelDesc {
                const PARAMS: &[$crate::Param] =
                    &[ $( $crate::Param { name: stringify!($param), kind: $crate::kernel!(@kind $kind $($layout $($($g)*)?)?) } ),* ];
                $crate::KernelDesc {
                    name: $symbol,
                    family: $crate::Family::$family,
                    block: geometry.$block,
                    wide_block: $crate::kernel!(@wide geometry $block $($wide)?),
                    params: PARAMS,
                }
            }
            fn args(&self) -> Vec<$crate::Arg> {
                vec![ $( $crate::kernel!(@arg $kind $($layout)?, self.$param) ),* ]
            }
        }
    )*
        /// The contracts declared here, under a geometry.
        pub fn all(geometry: &$crate::Geometry) -> Vec<$crate::KernelDesc> {
            vec![$( <$name as $crate::Kernel>::desc(geometry) ),*]
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Over 8 words, 12 in a quadratic extension, 24, 10 in a cubic one, 15 in a quadratic one.
    #[test]
    fn wide_coordinates_have_blocks_of_their_own() {
        let blocks = |desc: KernelDesc| {
            [(8, 1), (12, 2), (16, 1), (17, 1), (24, 1), (10, 3), (15, 2)]
                .map(|(w, d)| desc.of_width(w, d).block)
        };
        assert_eq!(blocks(kernels::Accumulate::desc(&Geometry::PTX)), [128, 128, 128, 64, 64, 64, 64]);
        assert_eq!(blocks(kernels::MergePartials::desc(&Geometry::PTX)), [128; 7]);
        let wide = kernels::Accumulate::desc(&Geometry::PTX).of_width(24, 1);
        assert_eq!(wide.of_width(24, 1), wide);
        assert!(wide.signature(Form::Xyzz).starts_with("Group accumulate[64]("));
    }
}
