"""Threads, signals and processes."""

import multiprocessing
import pickle
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Literal

import numpy as np
import pytest
from conftest import Fixture

import curvesmith as cs

TIMEOUT = 120


def test_threads_share_a_key(small: Fixture, small_key: cs.Key) -> None:
    with ThreadPoolExecutor(16) as pool:
        proofs = list(pool.map(lambda _: small_key.prove(small.witness), range(64)))
        verdicts = pool.map(lambda proof: cs.verify(small_key.verification_key, proof.public, proof.proof), proofs)
        assert all(verdicts)
        cached = list(pool.map(lambda _: cs.prove(small.zkey, small.witness), range(32)))
    assert len({proof.proof_json for proof in proofs + cached}) == 96


def test_other_threads_go_on(semaphore: Fixture, semaphore_key: cs.Key) -> None:
    done = threading.Event()
    ticks = 0

    def count() -> None:
        nonlocal ticks
        while not done.is_set():
            ticks += 1
            time.sleep(0.001)

    counter = threading.Thread(target=count)
    counter.start()
    start, before = time.monotonic(), ticks
    semaphore_key.prove(semaphore.witness)
    seconds, during = time.monotonic() - start, ticks - before
    done.set()
    counter.join()
    # One a millisecond, on an idle machine; none if it were kept.
    assert during > 10 * seconds, f"{during} in {seconds} s"


def test_an_array_can_change_meanwhile() -> None:
    n = 1 << 12
    ntt = cs.Ntt("bn254", n)
    array = cs.to_words(range(n))
    done = threading.Event()

    def change() -> None:
        while not done.is_set():
            array[:] = np.uint64(2**64 - 1)
            array[:] = np.uint64(0)

    changer = threading.Thread(target=change)
    changer.start()
    outcomes = set()
    try:
        for _ in range(200):
            try:
                ntt.forward(array)
                outcomes.add("values")
            except cs.InputError:
                outcomes.add("refused")
    finally:
        done.set()
        changer.join()
    assert outcomes <= {"values", "refused"} and outcomes


INTERRUPTED = """
import os, signal, sys, threading, time
import curvesmith as cs

# A background job of a shell may ignore SIGINT, and so does what that starts.
signal.signal(signal.SIGINT, signal.default_int_handler)
zkey, witness, small_zkey, small_witness = sys.argv[1:]
key = cs.Key(zkey, device="cpu")
key.prove(witness)
threads = lambda: len(os.listdir("/proc/self/task")) if os.path.isdir("/proc/self/task") else 0
idle = threads()

def interrupted(work, after):
    timer = threading.Timer(after, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    start = time.process_time()
    try:
        work()
        sys.exit("it was not interrupted")
    except KeyboardInterrupt:
        pass
    timer.join()
    # What was joined is gone soon.
    deadline = time.monotonic() + 10
    while threads() > idle and time.monotonic() < deadline:
        time.sleep(0.01)
    assert threads() <= idle, "a thread was left"
    return time.process_time() - start

def whole():
    start = time.process_time()
    key.prove(witness)
    return time.process_time() - start

# Of the processor, which other programs do not prolong.
proof = min(whole() for _ in range(3))
part = min(interrupted(lambda: key.prove(witness), 0.01) for _ in range(3))
print(f"a proof takes {proof:.3f} s, one that is interrupted {part:.3f} s")
assert part < 0.8 * proof, f"it went on to its end: {part:.3f} s of {proof:.3f} s"
interrupted(lambda: [cs.prove(small_zkey, small_witness) for _ in range(100000)], 0.3)
small_key = cs.Key(small_zkey)
interrupted(lambda: small_key.prove_batch([small_witness] * 100000), 0.3)

class Own(Exception):
    pass

def handler(number, frame):
    raise Own

signal.signal(signal.SIGUSR1, handler)
timer = threading.Timer(0.01, lambda: os.kill(os.getpid(), signal.SIGUSR1))
timer.start()
try:
    key.prove(witness)
    sys.exit("the handler's exception was lost")
except Own:
    pass
assert key.prove(witness).proof["protocol"] == "groth16"
print("well")
"""


def test_ctrl_c_ends_a_proof(semaphore: Fixture, small: Fixture) -> None:
    files = [semaphore.zkey, semaphore.witness, small.zkey, small.witness]
    ran = subprocess.run([sys.executable, "-c", INTERRUPTED, *files], capture_output=True, text=True, timeout=TIMEOUT)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert ran.stdout.endswith("well\n"), ran.stdout + ran.stderr


def try_all(zkey: str, witness: str, key: Any, results: Any) -> None:
    """What calls in this process give; `key` is one that was loaded in another."""
    one = np.zeros((1, 4), dtype=np.uint64)
    calls: list[Callable[[], Any]] = [
        lambda: cs.prove(zkey, witness),
        lambda: cs.Key(zkey),
        lambda: cs.verify("{}", "[]", "{}"),
        lambda: cs.Ntt("bn254", 1).forward(one),
        lambda: cs.devices(),
    ]
    if key is not None:
        calls.append(lambda: key.prove(witness))
        calls.append(lambda: key.prove_batch([witness]))
    for call in calls:
        try:
            call()
            results.put("done")
        except cs.Error as error:
            results.put((type(error).__name__, error.kind, str(error)))


def run_all(method: Literal["fork", "spawn"], small: Fixture, key: Any, calls: int) -> list[Any]:
    context = multiprocessing.get_context(method)
    results = context.Queue()
    process = context.Process(target=try_all, args=(str(small.zkey), str(small.witness), key, results))  # type: ignore[attr-defined]
    process.start()
    try:
        return [results.get(timeout=TIMEOUT) for _ in range(calls)]
    finally:
        process.kill()
        process.join(TIMEOUT)


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_fork_is_refused(small: Fixture, small_key: cs.Key) -> None:
    small_key.prove(small.witness)
    for result in run_all("fork", small, small_key, 7):
        name, kind, message = result
        assert (name, kind) == ("Error", "internal")
        assert "was forked from one that had used the library" in message


def test_a_new_process_is_not(small: Fixture) -> None:
    results = run_all("spawn", small, None, 5)
    assert results[:2] == ["done", "done"] and results[3:] == ["done", "done"]
    assert results[2][:2] == ("InputError", "input")


def test_errors_can_be_sent_and_keys_cannot(small_key: cs.Key) -> None:
    with pytest.raises(cs.InputError) as caught:
        cs.Key(b"")
    again = pickle.loads(pickle.dumps(caught.value))
    assert type(again) is cs.InputError and str(again) == str(caught.value) and again.kind == "input"
    assert repr(caught.value).startswith("InputError(")
    with pytest.raises(TypeError):
        pickle.dumps(small_key)


def test_the_page_of_help_names_what_there_is() -> None:
    for name in cs.__all__:
        item = getattr(cs, name)
        assert item.__doc__, name
        assert not isinstance(item, type) or item.__module__.startswith("curvesmith"), name
