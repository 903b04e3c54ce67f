//! Development tasks of curvesmith.

fn main() {}
