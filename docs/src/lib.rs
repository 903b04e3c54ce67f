//! Compiles the code of the curvesmith book.
