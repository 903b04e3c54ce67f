"""Sums and transforms, compared with py_ecc and with their definitions in Python's integers."""

import functools
import random
from typing import Any

import numpy as np
import pytest
from py_ecc import optimized_bls12_381, optimized_bn128

import curvesmith as cs

# Words of scalars and of coordinates, and a generator of the scalars that are not 0: arkworks' roots of unity are its powers.
CURVES: dict[str, tuple[Any, int, int, int]] = {"bn254": (optimized_bn128, 4, 4, 5), "bls12_381": (optimized_bls12_381, 4, 6, 7)}
GROUPS = [(curve, group) for curve in CURVES for group in (1, 2)]
BN254_ORDER: int = CURVES["bn254"][0].curve_order
RANDOM = random.Random(33)


def coordinates(curve: str, point: Any) -> Any:
    """Integers of a point of py_ecc; none of the identity."""
    theirs = CURVES[curve][0]
    if theirs.is_inf(point):
        return None
    return [[int(c) for c in value.coeffs] if hasattr(value, "coeffs") else int(value) for value in theirs.normalize(point)]


def bases_of(curve: str, group: int) -> tuple[list[Any], Any]:
    """Points of py_ecc, the identity and two that are equal among them; and their array."""
    theirs, _, words, _ = CURVES[curve]
    generator = theirs.G1 if group == 1 else theirs.G2
    points = [theirs.multiply(generator, RANDOM.randrange(2, 1 << 30)) for _ in range(3)]
    points += [points[0], theirs.neg(points[1]), theirs.Z1 if group == 1 else theirs.Z2]
    identity = [0, 0] if group == 1 else [[0, 0], [0, 0]]
    return points, cs.to_words([coordinates(curve, point) or identity for point in points], words)


def sum_of(curve: str, scalars: list[int], points: list[Any]) -> Any:
    theirs = CURVES[curve][0]
    terms = [theirs.multiply(point, scalar) for scalar, point in zip(scalars, points)]
    return coordinates(curve, functools.reduce(theirs.add, terms))


def to_montgomery(array: Any, prime: int) -> Any:
    """The array, each of whose numbers is multiplied."""
    flat = array.reshape(-1, array.shape[-1])
    numbers = [number * 2 ** (64 * array.shape[-1]) % prime for number in cs.from_words(flat)]
    return cs.to_words(numbers, array.shape[-1]).reshape(array.shape)


@pytest.mark.parametrize(("curve", "group"), GROUPS)
def test_sums_are_those_of_py_ecc(curve: str, group: int) -> None:
    theirs, scalar_words, _, _ = CURVES[curve]
    order, prime = theirs.curve_order, theirs.field_modulus
    points, bases = bases_of(curve, group)
    msm = cs.Msm(curve, bases, group=group)
    assert len(msm) == len(points)
    for scalars in (
        [RANDOM.randrange(order) for _ in points],
        [0, 1, 2, order - 1, order - 2, order - 1],
        [1, 0, 0, order - 1, 0, 5],
    ):
        total = msm.run(cs.to_words(scalars, scalar_words))
        expected = sum_of(curve, scalars, points)
        assert total.dtype == np.uint64 and total.flags.writeable and total.flags.c_contiguous
        assert total.shape == bases.shape[1:]
        # The last one is the identity.
        assert cs.from_words(total) == (expected or np.zeros(bases.shape[1:-1], dtype=int).tolist())
    montgomery = cs.Msm(curve, to_montgomery(bases, prime), group=group, form="montgomery")
    scalars = [RANDOM.randrange(order) for _ in points]
    total = montgomery.run(to_montgomery(cs.to_words(scalars, scalar_words), order))
    known = cs.to_words(sum_of(curve, scalars, points), bases.shape[-1])
    assert np.array_equal(total, to_montgomery(known, prime))


def test_sums_of_no_points() -> None:
    msm = cs.Msm("bn254", np.zeros((0, 2, 4), dtype=np.uint64))
    assert not msm.run(np.zeros((0, 4), dtype=np.uint64)).any()


@pytest.mark.parametrize(("curve", "group"), GROUPS)
def test_bases_that_are_none(curve: str, group: int) -> None:
    _, bases = bases_of(curve, group)
    prime = CURVES[curve][0].field_modulus
    off = bases.copy()
    off[2, 0, ..., 0] += np.uint64(1)
    with pytest.raises(cs.InputError, match="point 2 is off the curve"):
        cs.Msm(curve, off, group=group)
    large = bases.copy()
    large[3, 1, ..., :] = cs.to_words(prime, bases.shape[-1])
    with pytest.raises(cs.InputError, match="point 3 has a coordinate that is not below the prime"):
        cs.Msm(curve, large, group=group)
    for shape in ((-1,), (-1, bases.shape[-1]), (*bases.shape, 1), (-1, *bases.shape[1:-1][::-1], 2)):
        with pytest.raises((cs.InputError, ValueError)):
            cs.Msm(curve, bases.reshape(shape), group=group)
    for array in (bases[..., :-1], bases[:, :1], bases[0]):
        with pytest.raises(cs.InputError, match="bases: shape"):
            cs.Msm(curve, array, group=group)


def test_scalars_that_are_none() -> None:
    _, bases = bases_of("bn254", 1)
    msm = cs.Msm("bn254", bases)
    one = cs.to_words([1] * len(bases))
    for array in (one[:-1], one[:, :-1], one.reshape(-1), one[None], np.zeros((0, 4), dtype=np.uint64)):
        with pytest.raises(cs.InputError, match="scalars: shape"):
            msm.run(array)
    for number in (BN254_ORDER, 2**256 - 1):
        large = one.copy()
        large[4] = cs.to_words(number)
        with pytest.raises(cs.InputError, match="element 4 is not below the prime"):
            msm.run(large)
    for dtype in (np.int64, np.uint32, np.float64, np.complex128, object, bool):
        with pytest.raises(TypeError, match="uint64"):
            msm.run(one.astype(dtype))
    for value in (None, [[1, 0, 0, 0]], b"1", "1", 1, one.data):
        with pytest.raises(TypeError, match="numpy array"):
            msm.run(value)  # type: ignore[arg-type]


def test_arguments_of_plans_that_are_wrong() -> None:
    _, bases = bases_of("bn254", 1)
    for call in (
        lambda: cs.Msm("secp256k1", bases),
        lambda: cs.Msm("", bases),
        lambda: cs.Msm("bls12_381", bases),
        lambda: cs.Msm("bn254", bases, group=0),
        lambda: cs.Msm("bn254", bases, group=3),
        lambda: cs.Msm("bn254", bases, group=2),
        lambda: cs.Msm("bn254", bases, form="affine"),  # type: ignore[arg-type]
        lambda: cs.Ntt("secp256k1", 8),
        lambda: cs.Ntt("bn254", 0),
        lambda: cs.Ntt("bn254", -8),
        lambda: cs.Ntt("bn254", 7),
        lambda: cs.Ntt("bn254", 1 << 29),
        lambda: cs.Ntt("bn254", 1 << 62),
        lambda: cs.Ntt("bn254", 1 << 100),
        lambda: cs.Ntt("bn254", 8, shift=0),
        lambda: cs.Ntt("bn254", 8, shift=-1),
        lambda: cs.Ntt("bn254", 8, shift=BN254_ORDER),
        lambda: cs.Ntt("bn254", 8, shift=1 << 256),
        lambda: cs.Ntt("bn254", 8, form="x"),  # type: ignore[arg-type]
    ):
        with pytest.raises(cs.InputError):
            call()
    for call in (
        lambda: cs.Msm(None, bases),  # type: ignore[arg-type]
        lambda: cs.Msm("bn254", None),  # type: ignore[arg-type]
        lambda: cs.Ntt("bn254", 8.0),  # type: ignore[arg-type]
        lambda: cs.Ntt("bn254", None),  # type: ignore[arg-type]
        lambda: cs.Ntt("bn254", 8, shift=1.5),  # type: ignore[arg-type]
    ):
        with pytest.raises(TypeError):
            call()
    with pytest.raises(cs.DeviceError):
        cs.Ntt("bn254", 8, device="gpu")
    with pytest.raises(cs.DeviceError):
        cs.Msm("bn254", bases, device="gpu")


def evaluate(coefficients: list[int], at: int, prime: int) -> int:
    return sum(c * pow(at, i, prime) for i, c in enumerate(coefficients)) % prime


@pytest.mark.parametrize("curve", CURVES)
@pytest.mark.parametrize("n", [1, 2, 8, 16])
@pytest.mark.parametrize("shift", [None, 7])
def test_transforms_are_their_definition(curve: str, n: int, shift: int | None) -> None:
    theirs, words, _, generator = CURVES[curve]
    prime = theirs.curve_order
    root = pow(generator, (prime - 1) // n, prime)
    coefficients = [RANDOM.randrange(prime) for _ in range(n)]
    coefficients[0] = prime - 1
    expected = [evaluate(coefficients, (shift or 1) * pow(root, i, prime), prime) for i in range(n)]

    ntt = cs.Ntt(curve, n, shift=shift)
    assert len(ntt) == n
    array = cs.to_words(coefficients, words)
    values = ntt.forward(array)
    assert cs.from_words(values) == expected
    assert cs.from_words(array) == coefficients, "it was changed"
    assert values.dtype == np.uint64 and values.flags.writeable and values.flags.c_contiguous
    assert cs.from_words(ntt.inverse(values)) == coefficients

    montgomery = cs.Ntt(curve, n, shift=shift, form="montgomery")
    assert np.array_equal(montgomery.forward(to_montgomery(array, prime)), to_montgomery(values, prime))
    assert np.array_equal(montgomery.inverse(to_montgomery(values, prime)), to_montgomery(array, prime))


def test_results_can_be_written_to_an_array() -> None:
    ntt = cs.Ntt("bn254", 8)
    array = cs.to_words(range(8))
    values = ntt.forward(array)
    wide = np.zeros((8, 8), dtype=np.uint64)
    for out in (np.empty((8, 4), dtype=np.uint64), wide[:, ::2], array.copy(), np.empty((8, 4), dtype=">u8")):
        assert ntt.forward(array, out=out) is out
        assert np.array_equal(out, values)
    assert not wide[:, 1::2].any()
    # In place.
    place = array.copy()
    ntt.forward(place, out=place)
    assert np.array_equal(place, values)
    ntt.inverse(place, out=place)
    assert np.array_equal(place, array)
    frozen = array.copy()
    frozen.flags.writeable = False
    assert np.array_equal(ntt.forward(frozen), values)
    for out in (frozen, array[:4], np.empty((8, 4, 1), dtype=np.uint64)):
        with pytest.raises(cs.InputError, match="out"):
            ntt.forward(array, out=out)
    no_words: list[Any] = [np.empty((8, 4)), [0] * 8]
    for wrong in no_words:
        with pytest.raises(TypeError, match="out"):
            ntt.forward(array, out=wrong)
    large = array.copy()
    large[7] = cs.to_words(BN254_ORDER)
    before = place.copy()
    with pytest.raises(cs.InputError, match="element 7 is not below the prime"):
        ntt.forward(large, out=place)
    assert np.array_equal(place, before)


class Mine(np.ndarray[Any, Any]):
    """Someone's kind of array."""


def test_layouts_do_not_matter() -> None:
    numbers = [RANDOM.randrange(BN254_ORDER) for _ in range(8)]
    ntt = cs.Ntt("bn254", 8)
    array = cs.to_words(numbers)
    values = ntt.forward(array)
    wide = np.zeros((16, 8), dtype=np.uint64)
    wide[::2, 1::2] = array
    shifted = np.frombuffer(b"\0" + array.tobytes(), dtype=np.uint8)[1:].view(np.uint64).reshape(8, 4)
    assert not shifted.flags.aligned or shifted.ctypes.data % 8 == 0
    read_only = array.view()
    read_only.flags.writeable = False
    class Mine(np.ndarray):
        pass

    for layout in (
        wide[::2, 1::2],
        np.asfortranarray(array),
        array[::-1].copy()[::-1],
        array.astype(">u8"),
        shifted,
        read_only,
        array.view(Mine),
    ):
        assert np.array_equal(layout, array)
        result = ntt.forward(layout)
        assert np.array_equal(result, values) and type(result) is np.ndarray


def test_numbers_become_words_and_come_back() -> None:
    big = 2**256 - 1
    assert cs.to_words([1, 2**64, big]).tolist() == [[1, 0, 0, 0], [0, 1, 0, 0], [2**64 - 1] * 4]
    assert cs.to_words(5, 2).tolist() == [5, 0]
    for value in (5, [], [0, big], [[1, 2], [3, 4]], [[[1, 2], [3, 4]]]):
        array = cs.to_words(value)
        assert array.dtype == np.uint64 and array.shape[-1] == 4 and array.flags.writeable
        assert cs.from_words(array) == value
    assert cs.to_words(np.arange(3), 1).tolist() == [[0], [1], [2]]
    assert cs.from_words(np.array([[1, 2]], dtype=">u8")) == [1 + 2**65]
    for numbers, words in (([-1], 4), ([1 << 256], 4), ([[1], [1, 2]], 4), ([1], 0), ([1], -1)):
        with pytest.raises(cs.InputError):
            cs.to_words(numbers, words)
    no_numbers: list[Any] = [[1.0], ["1"], [None], None]
    for wrong in no_numbers:
        with pytest.raises(TypeError):
            cs.to_words(wrong)
    no_words: list[Any] = [None, [1], np.zeros(4)]
    for wrong in no_words:
        with pytest.raises(TypeError):
            cs.from_words(wrong)
    with pytest.raises(cs.InputError):
        cs.from_words(np.array(1, dtype=np.uint64))
