//! Curves declared with curvesmith.
