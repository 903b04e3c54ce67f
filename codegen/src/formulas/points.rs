//! Points in kernels: as values, in locals, in buffers.

use super::{Addition, Model, model_of};
use crate::declaration::GroupDesc;
use crate::fir::build::{Buffer, Builder, Fe, Handle, Pred, U32, Var};
use crate::fir::ir::{Type, Value};
use curvesmith_abi::{IDENTITY_WORD, padded_words};

/// A group in one kernel. Coordinates are elements of the highest level of its tower.
#[derive(Clone, Copy, Debug)]
pub struct Curve<'k> {
    /// The builder of the kernel.
    pub b: &'k Builder,
    /// The group.
    pub group: &'k GroupDesc,
    addition: Addition,
    model: &'static dyn Model,
}

/// A point by its coordinates in the [`Model`]'s order.
#[derive(Clone, Copy, Debug)]
pub struct Point<'k>(pub [Fe<'k>; 4]);

/// A mutable local that holds a point.
#[derive(Clone, Copy, Debug)]
pub struct PointVar<'k>([Var<'k, Fe<'k>>; 4]);

/// An affine point as buffers have it; no pattern of an identity.
#[derive(Clone, Copy, Debug)]
pub struct Affine<'k> {
    /// `x`, of [`Form::Niels`](curvesmith_abi::Form::Niels) `y - x`.
    pub x: Fe<'k>,
    /// `y`, of `Form::Niels` `y + x`.
    pub y: Fe<'k>,
    /// `2·d·x·y` of `Form::Niels`; no other form has it.
    pub product: Option<Fe<'k>>,
}

/// The words of an element of a buffer of affine points, or of one coordinate of it: a point or the identity
/// pattern.
#[derive(Clone, Debug)]
pub struct AffineWords<'k> {
    /// One list a prime-field component, in the order of the coordinates.
    parts: Vec<Vec<U32<'k>>>,
    /// Whether they are the identity pattern.
    pub is_identity: Pred<'k>,
}

/// A mutable local that holds a point and knows whether that is the identity, so that nobody has to
/// test lazy coordinates for zero.
#[derive(Clone, Copy, Debug)]
pub struct Accumulator<'k> {
    /// The point.
    pub point: PointVar<'k>,
    /// Whether it is the identity.
    pub is_identity: Var<'k, Pred<'k>>,
}

impl<'k> Affine<'k> {
    /// A point of a form that keeps `x` and `y`.
    pub fn new(x: Fe<'k>, y: Fe<'k>) -> Self {
        Affine { x, y, product: None }
    }
}

impl<'k> AffineWords<'k> {
    /// With zeros in place of the identity pattern: words of elements, of no point.
    fn or_zeros(&self, b: &'k Builder) -> Self {
        let zero = b.u32(0);
        let word = |word: &U32<'k>| self.is_identity.select(zero, *word);
        let parts = self.parts.iter().map(|words| words.iter().map(word).collect()).collect();
        AffineWords { parts, is_identity: b.bool(false) }
    }
}

impl<'k> Point<'k> {
    /// `cond ? self : other`
    pub(super) fn select(self, cond: Pred<'k>, other: Point<'k>) -> Self {
        Point([0, 1, 2, 3].map(|i| cond.select(self.0[i], other.0[i])))
    }

    fn ids(self) -> [Value; 4] {
        self.0.map(Fe::id)
    }

    fn of(b: &'k Builder, ids: &[Value]) -> Self {
        Point([0, 1, 2, 3].map(|i| Fe::wrap(b, ids[i])))
    }
}

impl<'k> PointVar<'k> {
    /// The content now.
    pub fn get(self) -> Point<'k> {
        Point(self.0.map(Var::get))
    }
    /// Replaces the content.
    pub fn set(self, p: Point<'k>) {
        self.0.into_iter().zip(p.0).for_each(|(var, x)| var.set(x));
    }
}

impl<'k> Curve<'k> {
    /// The curve of a group, in a kernel of its image.
    pub fn new(b: &'k Builder, group: &'k GroupDesc, addition: Addition) -> Self {
        Curve { b, group, addition, model: model_of(&group.equation, addition) }
    }

    /// The identity.
    pub fn identity(self) -> Point<'k> {
        self.model.identity(self)
    }

    /// Whether it is the identity.
    pub fn is_identity(self, p: Point<'k>) -> Pred<'k> {
        self.model.is_identity(self, p)
    }

    /// `p` where `cond` holds, else the identity.
    pub fn or_identity(self, cond: Pred<'k>, p: Point<'k>) -> Point<'k> {
        self.model.or_identity(self, cond, p)
    }

    /// An affine point.
    pub fn of_affine(self, p: Affine<'k>) -> Point<'k> {
        self.model.of_affine(self, p)
    }

    /// What the coordinates of an affine point are divided by; not zero, where the point is not the identity.
    pub fn affine_denominator(self, p: Point<'k>) -> Fe<'k> {
        self.model.affine_denominator(p)
    }

    /// The affine point of one that is not the identity, by the inverse of its [`Curve::affine_denominator`].
    pub fn to_affine(self, p: Point<'k>, inverse: Fe<'k>) -> Affine<'k> {
        self.model.to_affine(self, p, inverse)
    }

    /// `acc += p`, by a function: it is the same for all kernels of the group.
    pub fn add(self, acc: PointVar<'k>, p: Point<'k>) {
        let sum = self.call("add", &[acc.get(), p], |curve, points| {
            let acc = curve.var(points[0]);
            curve.model.add(curve, acc, points[1]);
            acc.get()
        });
        acc.set(sum);
    }

    /// `acc += p`
    pub fn madd(self, acc: Accumulator<'k>, p: Affine<'k>) {
        self.model.madd(self, acc, p);
    }

    /// `acc += p` of a base as buffers have it, identity included; of its negative where `negative` holds.
    pub fn add_base(self, acc: Accumulator<'k>, base: &AffineWords<'k>, negative: Option<Pred<'k>>) {
        let signed = |p| negative.map_or(p, |negative| self.neg_if(negative, p));
        match self.addition {
            Addition::ByCases => {
                self.b.if_(!base.is_identity, || self.madd(acc, signed(self.affine(base))));
            }
            Addition::BranchFree => {
                let (before, was_identity) = (acc.point.get(), acc.is_identity.get());
                self.madd(acc, signed(self.affine(&base.or_zeros(self.b))));
                acc.point.set(before.select(base.is_identity, acc.point.get()));
                acc.is_identity.set(base.is_identity.select(was_identity, acc.is_identity.get()));
            }
        }
    }

    /// `2p`, by a function.
    pub fn dbl(self, p: Point<'k>) -> Point<'k> {
        self.call("dbl", &[p], |curve, points| curve.model.dbl(curve, points[0]))
    }

    /// The point that a function of points gives; `body` writes it.
    fn call(
        self,
        name: &str,
        points: &[Point<'k>],
        body: impl for<'f> Fn(Curve<'f>, &[Point<'f>]) -> Point<'f>,
    ) -> Point<'k> {
        let coordinate = Type::element(self.group.tower.top());
        let symbol = format!("{}_fn_{name}", self.group.name);
        let f = self.b.function(&symbol, &vec![coordinate; 4 * points.len()]);
        let arguments = f.arguments();
        let arguments: Vec<Point<'_>> = arguments.chunks_exact(4).map(|ids| Point::of(&f, ids)).collect();
        let result = body(Curve { b: &f, ..self }, &arguments).ids();
        let function = self.b.declare(f.finish_function(&result));
        let args: Vec<Value> = points.iter().flat_map(|p| p.ids()).collect();
        Point::of(self.b, &self.b.call(function, &args))
    }

    /// `cond ? -p : p`
    pub fn neg_if(self, cond: Pred<'k>, p: Affine<'k>) -> Affine<'k> {
        let minus = self.model.neg_affine(p);
        // What the model does not change is not selected.
        let select =
            |minus: Fe<'k>, plus: Fe<'k>| if minus.is(plus) { plus } else { cond.select(minus, plus) };
        let product = minus.product.zip(p.product).map(|(minus, plus)| select(minus, plus));
        Affine { x: select(minus.x, p.x), y: select(minus.y, p.y), product }
    }

    /// The zero of the coordinates.
    pub fn zero(self) -> Fe<'k> {
        self.b.embed(self.b.zero())
    }

    /// The one of the coordinates.
    pub fn one(self) -> Fe<'k> {
        self.b.embed(self.b.one())
    }

    /// A new local that holds `p`.
    pub fn var(self, p: Point<'k>) -> PointVar<'k> {
        PointVar(p.0.map(|x| self.b.var(x)))
    }

    /// A new accumulator that holds `p`.
    pub fn accumulator(self, p: Point<'k>, is_identity: Pred<'k>) -> Accumulator<'k> {
        Accumulator { point: self.var(p), is_identity: self.b.var(is_identity) }
    }

    /// Element `index` of a buffer of points.
    pub fn load(self, buffer: Buffer<'k>, index: U32<'k>) -> Point<'k> {
        self.model.read(self, Point([0, 1, 2, 3].map(|i| buffer.coordinate(index, i))))
    }

    /// Writes element `index` of a buffer of points.
    pub fn store(self, buffer: Buffer<'k>, index: U32<'k>, p: Point<'k>) {
        p.0.into_iter().enumerate().for_each(|(i, x)| buffer.set_coordinate(index, i, x));
    }

    /// Element `index` of a buffer of affine points, identity pattern included.
    pub fn load_affine(self, buffer: Buffer<'k>, index: U32<'k>) -> AffineWords<'k> {
        let coordinates = self.group.equation.form().affine_coordinates();
        let mut words = self.load_coordinate(buffer, index, 0);
        (1..coordinates).for_each(|i| words.parts.extend(self.load_coordinate(buffer, index, i).parts));
        words
    }

    /// The words of one coordinate, `x` (0) or `y` (1), of element `index` of a buffer of affine points,
    /// identity pattern included.
    pub fn load_coordinate(self, buffer: Buffer<'k>, index: U32<'k>, which: usize) -> AffineWords<'k> {
        let degree = self.group.degree();
        let parts: Vec<Vec<U32<'k>>> =
            (0..degree).map(|i| buffer.part_words(index, which * degree + i)).collect();
        AffineWords { is_identity: self.is_identity_pattern(&parts[0]), parts }
    }

    /// Whether these words of a prime-field element are those of the identity pattern.
    fn is_identity_pattern(self, words: &[U32<'k>]) -> Pred<'k> {
        let base = &self.group.base;
        let (last, top_of_p) = (base.words - 1, base.limbs(&base.p)[base.words - 1]);
        // A canonical element has a top word of at most that of p, and is never all ones.
        let probe = match top_of_p {
            IDENTITY_WORD => words[..last].iter().fold(words[last], |all, &word| all & word),
            _ => words[last],
        };
        probe.is(IDENTITY_WORD)
    }

    /// The point of words that are not the identity pattern; to be called where that is known.
    pub fn affine(self, words: &AffineWords<'k>) -> Affine<'k> {
        let mut coordinates = words.parts.chunks_exact(self.group.degree()).map(|words| self.element(words));
        let mut next = || coordinates.next().expect("an affine point has two coordinates");
        Affine { x: next(), y: next(), product: coordinates.next() }
    }

    /// The coordinate of words that are not the identity pattern; to be called where that is known.
    pub fn coordinate(self, words: &AffineWords<'k>) -> Fe<'k> {
        self.element(&words.parts)
    }

    fn element(self, words: &[Vec<U32<'k>>]) -> Fe<'k> {
        let parts: Vec<Fe<'k>> = words.iter().map(|words| self.b.from_words(words)).collect();
        self.b.compose(&parts)
    }

    /// Writes element `index` of a buffer of affine points.
    pub fn store_affine(self, buffer: Buffer<'k>, index: U32<'k>, p: Affine<'k>) {
        buffer.set_coordinate(index, 0, p.x);
        buffer.set_coordinate(index, 1, p.y);
        p.product.into_iter().for_each(|product| buffer.set_coordinate(index, 2, product));
    }

    /// Writes the identity pattern as element `index` of a buffer of affine points.
    pub fn store_affine_identity(self, buffer: Buffer<'k>, index: U32<'k>) {
        let words = vec![self.b.u32(IDENTITY_WORD); padded_words(self.group.base.words)];
        let parts = self.group.equation.form().affine_coordinates() * self.group.degree();
        (0..parts).for_each(|part| buffer.set_part_words(index, part, &words));
    }
}
