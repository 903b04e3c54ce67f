//! Sums and transforms of numpy's arrays.

use crate::detached::detached;
use crate::device;
use curvesmith_bindings::{self as bindings, Form};
use numpy::{PyArray1, PyArrayMethods, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::IntoPyDict;

/// The words of an array in an array of ours, which nobody else has: in the machine's byte order, one after
/// the other.
///
/// It is numpy that copies, whatever the strides and the byte order; another thread that writes meanwhile
/// changes what is read, and nothing else.
fn copy<'py>(array: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArray1<u64>>> {
    let py = array.py();
    let numpy = py.import("numpy")?;
    let options = [("dtype", numpy.getattr("uint64")?)].into_py_dict(py)?;
    options.set_item("order", "C")?;
    options.set_item("copy", true)?;
    let copy = numpy.call_method("array", (array,), Some(&options))?;
    Ok(copy.call_method1("reshape", (-1,))?.cast_into()?)
}

fn read<'py>(array: &Bound<'py, PyAny>) -> PyResult<PyReadonlyArray1<'py, u64>> {
    copy(array)?.try_readonly().map_err(broken)
}

/// No array that was just made is borrowed, or has gaps.
fn broken(error: impl std::fmt::Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}

fn form(montgomery: bool) -> Form {
    if montgomery { Form::Montgomery } else { Form::Canonical }
}

/// A plan for sums.
#[pyclass(frozen, module = "curvesmith._native")]
pub(crate) struct Msm {
    plan: bindings::Msm,
    form: Form,
}

#[pymethods]
impl Msm {
    #[new]
    fn new(
        py: Python<'_>,
        curve: &str,
        group: u8,
        bases: &Bound<'_, PyAny>,
        montgomery: bool,
        on: Option<&str>,
    ) -> PyResult<Self> {
        let (bases, form) = (read(bases)?, form(montgomery));
        let words = bases.as_slice().map_err(broken)?;
        let plan = detached(py, || bindings::Msm::new(curve, group, words, form, &device(on)?))?;
        Ok(Self { plan, form })
    }

    fn run<'py>(&self, py: Python<'py>, scalars: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArray1<u64>>> {
        let scalars = read(scalars)?;
        let words = scalars.as_slice().map_err(broken)?;
        let sum = detached(py, || self.plan.run(words, self.form))?;
        Ok(PyArray1::from_vec(py, sum))
    }
}

/// A plan for transforms.
#[pyclass(frozen, module = "curvesmith._native")]
pub(crate) struct Ntt {
    plan: bindings::Ntt,
    form: Form,
}

#[pymethods]
impl Ntt {
    #[new]
    fn new(
        py: Python<'_>,
        curve: &str,
        len: usize,
        shift: Option<&Bound<'_, PyAny>>,
        montgomery: bool,
        on: Option<&str>,
    ) -> PyResult<Self> {
        let shift = shift.map(read).transpose()?;
        let words = shift.as_ref().map(|shift| shift.as_slice()).transpose().map_err(broken)?;
        let plan = detached(py, || bindings::Ntt::new(curve, len, words, &device(on)?))?;
        Ok(Self { plan, form: form(montgomery) })
    }

    fn forward<'py>(
        &self,
        py: Python<'py>,
        values: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyArray1<u64>>> {
        self.transform(py, values, bindings::Ntt::forward)
    }

    fn inverse<'py>(
        &self,
        py: Python<'py>,
        values: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyArray1<u64>>> {
        self.transform(py, values, bindings::Ntt::inverse)
    }
}

impl Ntt {
    fn transform<'py>(
        &self,
        py: Python<'py>,
        values: &Bound<'py, PyAny>,
        run: fn(&bindings::Ntt, &mut [u64], Form) -> bindings::Result<()>,
    ) -> PyResult<Bound<'py, PyArray1<u64>>> {
        let array = copy(values)?;
        let mut borrowed = array.try_readwrite().map_err(broken)?;
        let words = borrowed.as_slice_mut().map_err(broken)?;
        detached(py, || run(&self.plan, words, self.form))?;
        Ok(array)
    }
}
