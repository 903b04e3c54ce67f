//! Functions of the target, and what it refuses. Its programs are tested with those of all
//! [limbs](crate::targets::limbs).

use super::*;
use crate::error::PassError;
use crate::fir::ir::Below;
use crate::kernels::field_kernels;
use crate::passes::{annotate, prepare};
use crate::targets::BackEnd as _;
use crate::targets::tests::trials::{field, usual_fields};
use curvesmith_abi::Geometry;

#[test]
fn kernels_of_a_gpu_are_refused_with_a_reason() {
    let f = field("bn254_fq", "30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd47");
    for kernel in field_kernels(&Geometry::PTX, &f) {
        let error = prepare::<Portable>(&kernel).map(drop).expect_err("it has threads");
        assert!(matches!(error, PassError::Unsupported(_)), "{}: {error}", kernel.symbol);
    }
    let montgomery = function(&f, "from_mont", 1, |_, x| vec![x[0].from_mont()]);
    let error = prepare::<Portable>(&montgomery).map(drop).expect_err("its words are other words");
    assert!(matches!(error, PassError::NoVariant { .. }), "{error}");
    let lazy =
        function(&f, "lazy", 1, |b, x| vec![b.from_words_below(&x[0].words_below(Below(2)), Below(2))]);
    let error = prepare::<Portable>(&lazy).map(drop).expect_err("its words are not canonical");
    assert_eq!(error.to_string(), "the target has no words of elements that are not canonical");
}

/// Sums stay lazy where there is room, and what is stored is canonical.
#[test]
fn reductions_are_placed() {
    let body = |f: &FieldDesc| function(f, "f", 3, |_, x| vec![(x[0] + x[1]) * (x[0] - x[2]) + x[1]]);
    let text = |f: &FieldDesc| annotate(&prepare::<Portable>(&body(f)).expect("it is a function"));
    let [lazy, full] = [4, 5].map(|k| text(&usual_fields()[k]));
    assert!(lazy.contains("add.lazy") && lazy.contains("<2p"), "{lazy}");
    assert!(!full.contains("lazy"), "{full}");
    for text in [lazy, full] {
        assert!(text.lines().last().is_some_and(|line| line.contains("<1p")), "{text}");
    }
}

/// Names that the module has already, that are no names, and fields that are not one.
#[test]
fn functions_that_are_no_module_are_refused() {
    let fields = usual_fields();
    let named = |f: &FieldDesc, name: &str| {
        prepare::<Portable>(&function(f, name, 1, |_, x| vec![x[0].dbl()])).expect("it is a function")
    };
    for name in ["is_zero", "", "Dbl", "1a", "a b", "dbl_lazy_0"] {
        assert!(Portable::emit(&[named(&fields[1], name)], ()).is_err(), "{name}");
    }
    assert!(Portable::emit(&[named(&fields[1], "f"), named(&fields[1], "g")], ()).is_ok());
    assert!(Portable::emit(&[named(&fields[1], "f"), named(&fields[1], "f")], ()).is_err());
    assert!(Portable::emit(&[named(&fields[1], "f"), named(&fields[2], "g")], ()).is_err());
}
