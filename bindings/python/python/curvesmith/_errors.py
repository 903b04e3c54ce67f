"""Exceptions."""


class Error(Exception):
    """Of the library. As itself: the host's memory, a disk, a process that was forked, or a bug."""

    kind: str = "internal"
    """A word for who is at fault, the same in the libraries for all languages."""


class InputError(Error, ValueError):
    """An argument or a file."""

    kind = "input"


class WitnessLengthError(InputError):
    """A witness with another number of values than the key has wires."""

    kind = "witness-length"


class ProofError(Error):
    """A proof was made and does not verify: the witness does not satisfy the constraints, or key or device are at fault."""

    kind = "invalid"


class DeviceError(Error):
    """The device."""

    kind = "device"


class DeviceMemoryError(DeviceError):
    """The device was too small. Another one, or another time, may do."""

    kind = "device-memory"


_CLASSES = {c.kind: c for c in (Error, InputError, WitnessLengthError, ProofError, DeviceError, DeviceMemoryError)}
# Anywhere in the package, they are those of the package.
for _class in _CLASSES.values():
    _class.__module__ = "curvesmith"


def of_kind(kind: str, message: str) -> Error:
    """The exception of an error that the module in Rust met."""
    error = _CLASSES.get(kind, Error)(message)
    error.kind = kind
    return error
