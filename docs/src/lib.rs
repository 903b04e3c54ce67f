//! Compiles and runs the code of the README and of the curvesmith book.
//!
//! Every page is the documentation of an item here, so that rustdoc tests it.

#![cfg(doctest)]

macro_rules! page {
    ($name:ident, $file:literal) => {
        #[doc = include_str!($file)]
        mod $name {}
    };
}

page!(readme, "../../README.md");
page!(introduction, "introduction.md");
page!(declaring, "declaring.md");
page!(adding_a_curve, "adding-a-curve.md");
page!(commands, "commands.md");
page!(service, "service.md");
page!(workers, "workers.md");
page!(secrets, "secrets.md");
page!(architecture, "architecture.md");
page!(runtime, "runtime.md");
page!(product, "product.md");
page!(adding_an_operation, "adding-an-operation.md");
page!(adding_a_target, "adding-a-target.md");
page!(msm, "msm.md");
page!(ntt, "ntt.md");
page!(testing, "testing.md");
page!(defects, "defects.md");
page!(measurements, "measurements.md");
page!(experiments, "experiments.md");
page!(gaps, "gaps.md");
