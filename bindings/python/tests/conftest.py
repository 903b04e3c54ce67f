"""What the tests share."""

from dataclasses import dataclass
from pathlib import Path

import pytest

import curvesmith as cs

ROOT = Path(__file__).resolve().parents[3]


@dataclass(frozen=True)
class Fixture:
    """Files of a circuit, and of snarkjs."""

    folder: Path

    @property
    def zkey(self) -> Path:
        return self.folder / "circuit.zkey"

    @property
    def witness(self) -> Path:
        return self.folder / "witness.wtns"

    def text(self, name: str) -> str:
        return (self.folder / name).read_text(encoding="utf-8")


def fixture(name: str) -> Fixture:
    return Fixture(ROOT / "tests" / "fixtures" / name)


@pytest.fixture(scope="session")
def semaphore() -> Fixture:
    return fixture("bn128_semaphore20_ceremony")


@pytest.fixture(scope="session")
def semaphore_key(semaphore: Fixture) -> cs.Key:
    return cs.Key(semaphore.zkey)


@pytest.fixture(scope="session")
def small() -> Fixture:
    return fixture("bn128_mult")


@pytest.fixture(scope="session")
def small_key(small: Fixture) -> cs.Key:
    return cs.Key(small.zkey)


@pytest.fixture(scope="session")
def small_bls() -> Fixture:
    return fixture("bls12381_mult")
