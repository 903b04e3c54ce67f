//! The compiler of curvesmith: field and curve specs to PTX images.
