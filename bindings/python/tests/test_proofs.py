"""Proofs, compared with snarkjs' files."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT, Fixture, fixture

import curvesmith as cs


def as_snarkjs(value: object) -> str:
    """As its files are written: `JSON.stringify(value, null, 1)`."""
    return json.dumps(value, indent=1)


def check(proof: cs.Proof, of: Fixture) -> None:
    assert proof.public_json == of.text("public.json")
    assert proof.public == json.loads(of.text("public.json"))
    theirs = json.loads(of.text("proof_snarkjs.json"))
    assert as_snarkjs(theirs) == of.text("proof_snarkjs.json")
    assert as_snarkjs(proof.proof) == proof.proof_json
    shape = re.compile(r"\d{2,}")
    assert shape.sub("N", proof.proof_json) == shape.sub("N", of.text("proof_snarkjs.json"))
    assert cs.verify(of.folder / "verification_key.json", proof.public, proof.proof)


@pytest.mark.parametrize("name", ["bn128_semaphore20_ceremony", "bn128_mult", "bls12381_mult"])
def test_proofs_verify_and_have_the_form_of_snarkjs(name: str) -> None:
    of = fixture(name)
    key = cs.Key(of.zkey)
    check(key.prove(of.witness), of)
    # As snarkjs writes it; a ceremony published one with other spaces.
    assert key.verification_key_json == as_snarkjs(json.loads(of.text("verification_key.json")))
    assert key.verification_key == json.loads(of.text("verification_key.json"))
    assert key.curve in cs.curves()
    assert key.public_inputs == len(json.loads(of.text("public.json")))
    assert key.wires > key.public_inputs
    assert f"of {key.curve} with {key.wires} wires on {key.device}" in repr(key)


def test_files_can_be_bytes(small: Fixture, small_key: cs.Key) -> None:
    zkey, witness = small.zkey.read_bytes(), small.witness.read_bytes()
    for key in (zkey, bytearray(zkey), memoryview(zkey), str(small.zkey)):
        check(cs.Key(key).prove(witness), small)
    for values in (bytearray(witness), memoryview(witness), str(small.witness)):
        check(small_key.prove(values), small)
    check(cs.prove(zkey, witness, device="cpu"), small)
    check(cs.prove(small.zkey, small.witness), small)


def test_options_of_keys(small: Fixture) -> None:
    key = cs.Key(small.zkey, device="cpu", trust_key=True, check_subgroups=True, multiples=False)
    check(key.prove(small.witness), small)
    assert key.weaknesses == []
    weak = fixture("bn128_no_phase2")
    assert len(cs.Key(weak.zkey).weaknesses) > 0


def test_every_proof_is_another(small: Fixture, small_key: cs.Key) -> None:
    proofs = small_key.prove_batch([small.witness] * 20)
    assert len({proof.proof_json for proof in proofs}) == 20
    for proof in proofs:
        check(proof, small)
    assert small_key.prove_batch([]) == []


def test_a_witness_of_a_batch_can_be_wrong(small: Fixture, small_bls: Fixture, small_key: cs.Key) -> None:
    witnesses = [small.witness, small_bls.witness, small.witness]
    with pytest.raises(cs.InputError):
        small_key.prove_batch(witnesses)
    first, second, third = small_key.prove_batch(witnesses, return_exceptions=True)
    assert isinstance(second, cs.InputError)
    for proof in (first, third):
        assert isinstance(proof, cs.Proof)
        check(proof, small)


def test_the_verifier_takes_objects_json_and_paths(small: Fixture) -> None:
    names = ("verification_key.json", "public.json", "proof_snarkjs.json")
    paths = [small.folder / name for name in names]
    texts = [small.text(name) for name in names]
    objects = [json.loads(text) for text in texts]
    numbers = [objects[0], [int(number) for number in objects[1]], objects[2]]
    for arguments in (paths, map(str, paths), texts, (text.encode() for text in texts), objects, numbers):
        assert cs.verify(*arguments) is True


def test_the_verifier_refuses(small: Fixture) -> None:
    key, public, proof = (json.loads(small.text(f)) for f in ("verification_key.json", "public.json", "proof_snarkjs.json"))
    assert not cs.verify(key, [str(int(public[0]) + 1), *public[1:]], proof)
    assert not cs.verify(key, public[1:], proof)
    assert not cs.verify(key, public, {**proof, "pi_a": proof["pi_c"]})
    assert not cs.verify(key, public, {**proof, "pi_a": ["1", "1", "1"]})
    assert not cs.verify(key, public, {})


@pytest.mark.parametrize("key", ["{", "{}", {}, [], {"curve": "bn128"}, "no/such/file", b"\xff", "{\ud800}", {"a": float("nan")}])
def test_a_malformed_key_is_an_error(small: Fixture, key: object) -> None:
    with pytest.raises(cs.InputError):
        cs.verify(key, small.folder / "public.json", small.folder / "proof_snarkjs.json")  # type: ignore[arg-type]


def test_a_key_that_lacks_something_is_an_error(small: Fixture) -> None:
    public, proof = small.folder / "public.json", small.folder / "proof_snarkjs.json"
    whole = json.loads(small.text("verification_key.json"))
    for name in ("protocol", "curve", "vk_alpha_1", "vk_beta_2", "vk_gamma_2", "vk_delta_2", "IC"):
        with pytest.raises(cs.InputError):
            cs.verify({k: v for k, v in whole.items() if k != name}, public, proof)
    with pytest.raises(cs.InputError):
        cs.verify({**whole, "vk_alpha_1": ["1", "1", "1"]}, public, proof)


def test_keys_that_are_none(small: Fixture, tmp_path: Path) -> None:
    zkey = small.zkey.read_bytes()
    wrong = [b"", b"zkey", b"\0" * 1000, zkey + b"\0", *(zkey[:length] for length in range(0, len(zkey), 97))]
    for content in wrong:
        with pytest.raises(cs.InputError):
            cs.Key(content)
        file = tmp_path / "wrong.zkey"
        file.write_bytes(content)
        for load in (cs.Key, lambda key: cs.prove(key, small.witness)):
            with pytest.raises(cs.InputError):
                load(file)


def test_witnesses_that_are_none(small: Fixture, small_bls: Fixture, semaphore: Fixture, small_key: cs.Key) -> None:
    with pytest.raises(cs.WitnessLengthError) as other:
        small_key.prove(semaphore.witness)
    assert other.value.kind == "witness-length"
    witness = small.witness.read_bytes()
    cut = (witness[:length] for length in range(0, len(witness), 7))
    wrong: list[Path | bytes] = [small_bls.witness, b"", b"\0" * 100, *cut]
    for content in wrong:
        with pytest.raises(cs.InputError) as caught:
            small_key.prove(content)
        assert caught.value.kind in ("input", "witness-length")


def test_a_witness_that_does_not_satisfy_the_constraints(small: Fixture, small_key: cs.Key) -> None:
    witness = bytearray(small.witness.read_bytes())
    # The last value, of which another is its product.
    witness[-32:] = (7).to_bytes(32, "little")
    with pytest.raises(cs.ProofError) as caught:
        small_key.prove(witness)
    assert caught.value.kind == "invalid"


def test_paths_that_are_none(small: Fixture, small_key: cs.Key, tmp_path: Path) -> None:
    for path in (tmp_path / "missing", tmp_path, "", "a\0b", "/dev/null", "\udcff"):
        for call in (
            lambda: cs.Key(path),
            lambda: small_key.prove(path),
            lambda: cs.prove(path, small.witness),
            lambda: cs.prove(small.zkey, path),
            lambda: cs.verify(path, "[]", "{}"),
        ):
            with pytest.raises(cs.InputError) as caught:
                call()
            assert isinstance(caught.value, ValueError) and isinstance(caught.value, cs.Error)


@pytest.mark.parametrize("value", [None, 1, 1.5, object(), {"a": 1}, ["x"]])
def test_values_of_other_types(small: Fixture, small_key: cs.Key, value: object) -> None:
    for call in (
        lambda: cs.Key(value),  # type: ignore[arg-type]
        lambda: small_key.prove(value),  # type: ignore[arg-type]
        lambda: cs.prove(value, small.witness),  # type: ignore[arg-type]
        lambda: cs.prove(small.zkey, value),  # type: ignore[arg-type]
        lambda: small_key.prove_batch([value]),  # type: ignore[list-item]
    ):
        with pytest.raises(TypeError):
            call()
    with pytest.raises(TypeError):
        cs.verify(None, "[]", "{}")  # type: ignore[arg-type]


def test_devices(small: Fixture, monkeypatch: pytest.MonkeyPatch) -> None:
    devices = cs.devices()
    assert {"auto", "cpu"} <= devices.keys()
    for name, text in devices.items():
        assert cs.Key(small.zkey, device=name).device == text
    wrong = ["", "gpu", "cuda:999", "wgpu:999", "\0"]
    wrong += [name for kind in ("cuda", "wgpu") if kind not in devices for name in (kind, f"{kind}:0")]
    for name in wrong:
        with pytest.raises(cs.DeviceError) as caught:
            cs.Key(small.zkey, device=name)
        assert caught.value.kind == "device" and name in str(caught.value)
    if os.environ.get("CURVESMITH_NEED_WGPU"):
        assert "wgpu" in devices
    with pytest.raises(TypeError):
        cs.Key(small.zkey, device=0)  # type: ignore[arg-type]
    monkeypatch.setenv("CURVESMITH_DEVICE", "gpu")
    with pytest.raises(cs.DeviceError):
        cs.Key(small.zkey)
    monkeypatch.setenv("CURVESMITH_DEVICE", "cpu")
    assert cs.Key(small.zkey).device == devices["cpu"]


def test_the_example_of_the_book(semaphore: Fixture, tmp_path: Path) -> None:
    page = (ROOT / "docs" / "src" / "guide" / "python.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    assert len(blocks) >= 2 and "prove" in blocks[0] and "Msm" in blocks[1]
    for name in ("circuit.zkey", "witness.wtns", "verification_key.json"):
        shutil.copy(semaphore.folder / name, tmp_path)
    for block in blocks:
        ran = subprocess.run([sys.executable, "-c", block], cwd=tmp_path, capture_output=True, text=True, timeout=300)
        assert ran.returncode == 0, ran.stderr
    assert cs.verify(tmp_path / "verification_key.json", tmp_path / "public.json", tmp_path / "proof.json")
