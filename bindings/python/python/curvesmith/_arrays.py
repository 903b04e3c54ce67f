"""Sums and transforms of numpy's arrays.

Numbers are 64-bit words in the last axis, the lowest first: 4 for scalars of BN254 and BLS12-381, 6 for coordinates of BLS12-381.
Their form is ``"canonical"``, the number itself, below its prime; or ``"montgomery"``, the number times ``2**(64 * words)``
modulo the prime, as gnark, arkworks and snarkjs' keys have it in memory.

Other threads may write to a caller's array while a call runs. So each call takes one copy of its arrays, in the machine's byte
order, before it lets other threads go on; a transform is done in that copy, which it returns. Any strides and either byte order do.
"""

import operator
from collections.abc import Sequence
from typing import Any, Literal, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from . import _native
from ._errors import InputError

Words: TypeAlias = NDArray[np.uint64]
Form: TypeAlias = Literal["canonical", "montgomery"]


class Msm:
    """Sums of multiples of the same points, which stay on a device. Any number of threads uses it.

    :param curve: its name, such as ``"bn254"``; see :func:`curvesmith.curves`.
    :param bases: points as an array of shape ``(n, 2, words)``, or ``(n, 2, 2, words)`` where coordinates are in an extension of
        degree 2: ``x``, then ``y``. The identity is all zero. That points are in their subgroup is not checked.
    :param group: 1 or 2.
    :param form: of bases, scalars and sums.
    :param device: see :mod:`curvesmith`.
    :raises InputError: for another shape, and for points that are off their curve.
    """

    def __init__(
        self,
        curve: str,
        bases: Words,
        *,
        group: int = 1,
        form: Form = "canonical",
        device: str | None = None,
    ) -> None:
        montgomery = _is_montgomery(form)
        scalar, base, degrees = _native.shapes(curve)
        if group not in (1, 2):
            raise InputError(f"group {group}, expected 1 or 2")
        degree = degrees[group - 1]
        self._point: tuple[int, ...] = (2, base) if degree == 1 else (2, degree, base)
        _check("bases", bases, (None, *self._point))
        self._scalars = (len(bases), scalar)
        self._plan = _native.Msm(curve, group, bases, montgomery, device)

    def run(self, scalars: Words) -> Words:
        """The sum of ``scalars[i] * bases[i]``, a point.

        :param scalars: an array of shape ``(n, words)``.
        :raises InputError: for another shape, and for scalars that are not below the order of the group.
        """
        _check("scalars", scalars, self._scalars)
        return self._plan.run(scalars).reshape(self._point)

    def __len__(self) -> int:
        """Number of bases."""
        return self._scalars[0]


class Ntt:
    """Transforms of one size over the scalar field of a curve. Any number of threads uses it.

    :param curve: its name, such as ``"bn254"``; see :func:`curvesmith.curves`.
    :param n: number of elements, a power of two. The root of unity is arkworks' of that order.
    :param shift: values are at ``shift * root**i``: a coset. 1 by default.
    :param form: of values.
    :param device: see :mod:`curvesmith`.
    :raises InputError: for a size that the field has no transform of, and for a shift that is 0 or not below the prime.
    """

    def __init__(
        self,
        curve: str,
        n: int,
        *,
        shift: int | None = None,
        form: Form = "canonical",
        device: str | None = None,
    ) -> None:
        montgomery = _is_montgomery(form)
        words, _, _ = _native.shapes(curve)
        size = operator.index(n)
        if not 0 < size < 1 << 63:
            raise InputError(f"{size} elements, expected at least one, and no more than the field has a transform of")
        factor = None if shift is None else to_words(operator.index(shift), words)
        self._shape = (size, words)
        self._plan = _native.Ntt(curve, size, factor, montgomery, device)

    def forward(self, values: Words, *, out: Words | None = None) -> Words:
        """Coefficients to values, in natural order.

        :param values: an array of shape ``(n, words)``; it is not changed, unless it is ``out`` too.
        :param out: an array of that shape for the result, which costs a copy more; otherwise a new one is made.
        :raises InputError: for another shape, and for elements that are not below the prime.
        """
        return self._run(self._plan.forward, values, out)

    def inverse(self, values: Words, *, out: Words | None = None) -> Words:
        """Values to coefficients, as :meth:`forward`."""
        return self._run(self._plan.inverse, values, out)

    def _run(self, run: Any, values: Words, out: Words | None) -> Words:
        _check("values", values, self._shape)
        if out is None:
            return cast(Words, run(values).reshape(self._shape))
        _check("out", out, self._shape)
        if not out.flags.writeable:
            raise InputError("out: the array is read-only")
        np.copyto(out, run(values).reshape(self._shape))
        return out

    def __len__(self) -> int:
        """Number of elements."""
        return self._shape[0]


def to_words(numbers: int | Sequence[Any] | NDArray[Any], words: int = 4) -> Words:
    """An array of numbers, or of nested sequences of them, each as so many words in an axis more.

    ``to_words([[x, y]])`` is one point of BN254's first group, ``to_words([[[x0, x1], [y0, y1]]])`` one of its second.

    :raises InputError: for numbers that are negative or do not fit, and for sequences of unequal lengths.
    """
    count = operator.index(words)
    if count < 1:
        raise InputError(f"{count} words, expected at least one")
    try:
        objects = np.array(numbers, dtype=object)
        if any(isinstance(number, (list, tuple)) for number in objects.flat):
            raise InputError("sequences of unequal lengths")
        data = b"".join(operator.index(number).to_bytes(8 * count, "little") for number in objects.flat)
    except OverflowError as error:
        raise InputError(f"a number is negative or has more than {count} words") from error
    # A copy, which can be written to.
    return np.frombuffer(data, dtype="<u8").astype(np.uint64).reshape(*objects.shape, count)


def from_words(array: Words) -> Any:
    """The numbers of an array, as integers in nested lists; one integer for an array of one axis."""
    _check_words("array", array)
    if array.ndim == 0:
        raise InputError("array: no axis, expected words in the last one")
    shape, size = array.shape[:-1], 8 * array.shape[-1]
    data = array.astype("<u8").tobytes()
    numbers = np.empty(shape, dtype=object)
    for at in range(numbers.size):
        numbers.flat[at] = int.from_bytes(data[at * size : (at + 1) * size], "little")
    return numbers.tolist()


def _is_montgomery(form: str) -> bool:
    if form not in ("canonical", "montgomery"):
        raise InputError(f"form {form!r}, expected 'canonical' or 'montgomery'")
    return form == "montgomery"


def _check_words(what: str, array: Any) -> None:
    if not isinstance(array, np.ndarray):
        raise TypeError(f"{what}: expected a numpy array of uint64, not {type(array).__name__}")
    if array.dtype.kind != "u" or array.dtype.itemsize != 8:
        raise TypeError(f"{what}: expected uint64, not {array.dtype}")


def _check(what: str, array: Any, shape: tuple[int | None, ...]) -> None:
    _check_words(what, array)
    if len(array.shape) != len(shape) or any(e not in (None, f) for e, f in zip(shape, array.shape)):
        wanted = ", ".join("n" if extent is None else str(extent) for extent in shape)
        raise InputError(f"{what}: shape {array.shape}, expected ({wanted})")
