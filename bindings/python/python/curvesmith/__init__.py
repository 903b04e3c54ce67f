"""Groth16 proofs of circom circuits, multi-scalar multiplication and number-theoretic transforms, on GPUs and on the CPU.

Devices are named: ``"auto"``, ``"cpu"``, ``"cuda"``, ``"cuda:1"``, ``"wgpu"``, ``"wgpu:1"``. A call that names none takes what the environment variable
``CURVESMITH_DEVICE`` names, else ``"auto"``. Long calls let other threads of Python go on. All exceptions of the library are
:class:`Error`; arguments of a wrong type are a ``TypeError``.
"""

# The module in Rust needs it.
import numpy as _numpy  # noqa: F401

from ._arrays import Msm, Ntt, from_words, to_words
from ._errors import DeviceError, DeviceMemoryError, Error, InputError, ProofError, WitnessLengthError
from ._native import curves
from ._proofs import Key, Proof, devices, prove, verify

__all__ = [
    "DeviceError",
    "DeviceMemoryError",
    "Error",
    "InputError",
    "Key",
    "Msm",
    "Ntt",
    "Proof",
    "ProofError",
    "WitnessLengthError",
    "curves",
    "devices",
    "from_words",
    "prove",
    "to_words",
    "verify",
]
