"""Proofs and their verification."""

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias, overload

from . import _native
from ._errors import Error, InputError

Source: TypeAlias = "str | os.PathLike[str] | bytes | bytearray | memoryview"
"""A file's path, or its content."""

Json: TypeAlias = "Mapping[str, Any] | Sequence[Any] | str | bytes | os.PathLike[str]"
"""An object, JSON, or the path of a file of it."""

_BATCH = 8
"""Witnesses that are in memory at once at most."""


@dataclass(frozen=True)
class Proof:
    """A proof and its public inputs, as snarkjs has them."""

    proof_json: str
    """Byte for byte as snarkjs writes ``proof.json``."""

    public_json: str
    """Byte for byte as snarkjs writes ``public.json``."""

    @property
    def proof(self) -> dict[str, Any]:
        """The proof, as :func:`verify` and snarkjs' ``groth16.verify`` take it; a new object."""
        proof: dict[str, Any] = json.loads(self.proof_json)
        return proof

    @property
    def public(self) -> list[str]:
        """The public inputs in decimal; a new list."""
        public: list[str] = json.loads(self.public_json)
        return public


class Key:
    """A proving key of snarkjs (``.zkey``), made ready on a device. Any number of threads proves with it.

    :param zkey: a file's path, or its content.
    :param device: see :mod:`curvesmith`.
    :param trust_key: skip the checks that the key's points lie on their curve. Only for keys that were checked before.
    :param check_subgroups: check that every point is in its subgroup. For keys from strangers.
    :param multiples: keep multiples of the points on a GPU that has room for them. Proofs are faster, and loading is slower.
    :raises InputError: for what is no key of a curve of this build.
    :raises DeviceError: for a device that cannot be used, or cannot take the key.
    """

    def __init__(
        self,
        zkey: Source,
        *,
        device: str | None = None,
        trust_key: bool = False,
        check_subgroups: bool = False,
        multiples: bool = True,
    ) -> None:
        self._key = _native.Key(_source("zkey", zkey), device, trust_key, check_subgroups, multiples)

    def prove(self, witness: Source) -> Proof:
        """Proves a witness (``.wtns``): a file's path, or its content. Ctrl-C ends it.

        :raises InputError: for what is no witness of the key's field.
        :raises WitnessLengthError: for one of another circuit.
        :raises ProofError: for one that does not satisfy the constraints.
        """
        return Proof(*self._key.prove(_source("witness", witness)))

    @overload
    def prove_batch(
        self, witnesses: Iterable[Source], *, return_exceptions: Literal[False] = False
    ) -> list[Proof]: ...

    @overload
    def prove_batch(
        self, witnesses: Iterable[Source], *, return_exceptions: bool
    ) -> list[Proof | Error]: ...

    def prove_batch(
        self, witnesses: Iterable[Source], *, return_exceptions: bool = False
    ) -> list[Proof] | list[Proof | Error]:
        """Proves several witnesses, some at once. Ctrl-C ends it.

        :param return_exceptions: take exceptions of single witnesses as their results; otherwise the first one is raised.
        """
        sources = [_source("witness", witness) for witness in witnesses]
        results: list[Any] = []
        for start in range(0, len(sources), _BATCH):
            for result in self._key.prove_batch(sources[start : start + _BATCH]):
                if not isinstance(result, Error):
                    result = Proof(*result)
                elif not return_exceptions:
                    raise result
                results.append(result)
        return results

    @property
    def verification_key(self) -> dict[str, Any]:
        """The verification key as snarkjs exports it; a new object."""
        key: dict[str, Any] = json.loads(self.verification_key_json)
        return key

    @property
    def verification_key_json(self) -> str:
        """The verification key, byte for byte as snarkjs writes ``verification_key.json``."""
        return self._key.verification_key()

    @property
    def weaknesses(self) -> list[str]:
        """What of the key's points lets anyone make proofs under it; empty for a key whose setup was complete."""
        return self._key.weaknesses()

    @property
    def curve(self) -> str:
        """Name of the curve, such as ``"bn254"``."""
        return self._key.curve

    @property
    def device(self) -> str:
        """What the device is."""
        return self._key.device

    @property
    def public_inputs(self) -> int:
        """Number of public inputs."""
        return self._key.public_inputs

    @property
    def wires(self) -> int:
        """Number of wires: values of a witness."""
        return self._key.wires

    def __repr__(self) -> str:
        return f"<curvesmith.Key of {self.curve} with {self.wires} wires on {self.device}>"


def prove(zkey: Source, witness: Source, *, device: str | None = None) -> Proof:
    """Proves a witness. The keys used last stay on their device, found by their content; who proves often holds a :class:`Key`.

    The environment variable ``CURVESMITH_KEYS`` says how many keys stay: 4 by default. Ctrl-C ends a proof, but no key that is
    being loaded.
    """
    return Proof(*_native.prove(_source("zkey", zkey), _source("witness", witness), device))


def verify(verification_key: Json, public: Json, proof: Json) -> bool:
    """Whether a proof of snarkjs, rapidsnark or this library is valid. It runs on the CPU.

    Each argument is an object, JSON, or the path of a file; text that starts with a brace or a bracket is JSON.

    :raises InputError: for what is not JSON, and for a key that is malformed or of another curve. What can be read and is no
        proof is not valid.
    """
    return _native.verify(_json("verification_key", verification_key), _json("public", public), _json("proof", proof))


def devices() -> dict[str, str]:
    """Devices that can be used, by name, and what they are."""
    return dict(_native.devices())


def _source(what: str, source: Source) -> str | bytes:
    if isinstance(source, bytes):
        return source
    if isinstance(source, (bytearray, memoryview)):
        return bytes(source)
    if isinstance(source, (str, os.PathLike)):
        return os.fsdecode(source)
    raise TypeError(f"{what}: expected a path or bytes, not {type(source).__name__}")


def _json(what: str, value: Json) -> str:
    try:
        if isinstance(value, (bytes, bytearray)):
            return value.decode()
        if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
            # What no UTF-8 has is refused here.
            return value.encode().decode()
        if isinstance(value, (str, os.PathLike)):
            return Path(value).read_text(encoding="utf-8")
        if isinstance(value, Mapping):
            return json.dumps(dict(value), allow_nan=False)
        if isinstance(value, Sequence):
            # As snarkjs' files, which have decimal numbers in strings.
            numbers = [str(v) if isinstance(v, int) and not isinstance(v, bool) else v for v in value]
            return json.dumps(numbers, allow_nan=False)
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(f"{what}: {error}") from error
    raise TypeError(f"{what}: expected an object, JSON or a path, not {type(value).__name__}")
