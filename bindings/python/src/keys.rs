//! Proofs and their verification.

use crate::detached::{detached, interruptible, raise};
use crate::device;
use curvesmith_bindings::{self as bindings, KeyOptions, Keys, Proof, Source, Verdict};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::path::PathBuf;

/// A key or a witness, as Python has it.
#[derive(FromPyObject)]
pub(crate) enum Input<'py> {
    /// Nobody changes them.
    #[pyo3(transparent)]
    Bytes(Bound<'py, PyBytes>),
    #[pyo3(transparent)]
    File(PathBuf),
}

impl Input<'_> {
    fn source(&self) -> Source<'_> {
        match self {
            Input::Bytes(bytes) => Source::Bytes(bytes.as_bytes()),
            Input::File(path) => Source::File(path),
        }
    }
}

/// The JSON of a proof and of its public inputs.
type Texts = (String, String);

fn texts(proof: Proof) -> Texts {
    (proof.proof, proof.public)
}

/// A proving key on a device.
#[pyclass(frozen, module = "curvesmith._native")]
pub(crate) struct Key(bindings::Key);

#[pymethods]
impl Key {
    #[new]
    fn new(
        py: Python<'_>,
        zkey: Input<'_>,
        on: Option<&str>,
        trust_key: bool,
        check_subgroups: bool,
        multiples: bool,
    ) -> PyResult<Self> {
        let source = zkey.source();
        let options =
            KeyOptions::default().trust_key(trust_key).check_subgroups(check_subgroups).multiples(multiples);
        detached(py, || bindings::Key::load(source, &device(on)?, &options)).map(Self)
    }

    fn prove(&self, py: Python<'_>, witness: Input<'_>) -> PyResult<Texts> {
        let source = witness.source();
        interruptible(py, |cancel| self.0.prove(source, cancel)).map(texts)
    }

    /// A proof or an exception for each witness.
    fn prove_batch<'py>(
        &self,
        py: Python<'py>,
        witnesses: Vec<Input<'py>>,
    ) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let sources: Vec<Source<'_>> = witnesses.iter().map(Input::source).collect();
        let proofs = interruptible(py, |cancel| Ok(self.0.prove_batch(&sources, cancel)))?;
        let object = |proof: bindings::Result<Proof>| match proof {
            Ok(proof) => Ok(texts(proof).into_pyobject(py)?.into_any()),
            Err(error) => Ok(raise(py, &error).into_value(py).into_bound(py).into_any()),
        };
        proofs.into_iter().map(object).collect()
    }

    fn verification_key(&self, py: Python<'_>) -> PyResult<String> {
        detached(py, || Ok(self.0.verification_key()))
    }

    fn weaknesses(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        detached(py, || Ok(self.0.weaknesses()))
    }

    #[getter]
    fn curve(&self) -> &'static str {
        self.0.curve()
    }

    #[getter]
    fn device(&self) -> String {
        self.0.device()
    }

    #[getter]
    fn public_inputs(&self) -> usize {
        self.0.public_inputs()
    }

    #[getter]
    fn wires(&self) -> usize {
        self.0.wires()
    }
}

/// Proves with a key that is kept for the next call.
#[pyfunction]
pub(crate) fn prove(
    py: Python<'_>,
    zkey: Input<'_>,
    witness: Input<'_>,
    on: Option<&str>,
) -> PyResult<Texts> {
    let (zkey, witness) = (zkey.source(), witness.source());
    let proof = interruptible(py, |cancel| {
        let key = Keys::of_process()?.get(zkey, &device(on)?)?;
        key.prove(witness, cancel)
    });
    proof.map(texts)
}

/// Whether a proof is valid; all are JSON.
#[pyfunction]
pub(crate) fn verify(py: Python<'_>, key: &str, public: &str, proof: &str) -> PyResult<bool> {
    Ok(detached(py, || bindings::verify(key, public, proof))? == Verdict::Valid)
}
