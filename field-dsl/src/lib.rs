//! The field! and curve! macros of curvesmith.
