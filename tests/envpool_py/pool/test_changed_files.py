"""Files whose bytes were changed, with their checksums repaired: an error, never a crash or a hang.

`make long` reads a million changed files of each kind.
"""

from __future__ import annotations

import copy
import hashlib
import io
import json
import os
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import envpool_py
from envpool_py.errors import EnvPoolError, ReplayError, StateError
from envpool_py.pool.core import BatchLog
from envpool_py.pool.saved_run import read_run

from ..word_hash import mix_bytes, mix_word

_MAGIC_BYTES = 16
_NUMBERS = (0, 1, -1, 2**31 - 1, 2**31, 2**32, 2**63 - 1, 2**63, 2**64, 1.5, float("nan"))
_VALUES = (*_NUMBERS, None, "", "x", [], {}, [None], {"__items__": []}, {"__items__": [[1, 2]]})


def _with_changed_bytes(data: bytes, changes: random.Random) -> bytes:
    """Returns a copy with a few bytes changed, left out or repeated."""
    changed = bytearray(data)
    for _ in range(changes.choice((1, 1, 1, 2, 8))):
        place = changes.randrange(len(changed) + 1)
        kind = changes.randrange(4)
        if kind == 0 and place < len(changed):
            changed[place] = changes.choice((0, 1, 0x7F, 0x80, 0xFF, changes.randrange(256)))
        elif kind == 1:
            del changed[place : place + changes.randrange(9)]
        elif kind == 2:
            changed[place:place] = changes.randbytes(changes.randrange(9))
        else:
            begin = changes.randrange(len(changed) + 1)
            changed[place:place] = changed[begin : begin + changes.randrange(33)]
    return bytes(changed)


# --- Logs of batches


def _check(data: bytes, number: int) -> bytes:
    """The check of a batch, or of a header, whose number is 0."""
    return (mix_bytes(mix_word(len(data), number), data) >> 32).to_bytes(4, "little")


def _log_header(num_envs: int, batch_size: int, flags: int, first: int) -> bytes:
    head = b"envpool_py log\x02\x00"
    for value, size in ((num_envs, 4), (batch_size, 4), (flags, 4), (first, 8)):
        head += (value % 2 ** (8 * size)).to_bytes(size, "little")
    return head + _check(head, 0)


def _batch(body: bytes, number: int) -> bytes:
    return body + _check(body, number)


def _read_log(data: bytes) -> int:
    """Reads all batches, checks them, and returns their number."""
    descriptor = os.memfd_create("log")
    os.write(descriptor, data)
    log = BatchLog(descriptor)
    batches = 0
    while (found := log.next()) is not None:
        ids, digests = found
        assert len(ids) == log.batch_size
        assert len(digests) == (log.batch_size if log.has_digests else 0)
        assert int(ids.max()) < log.num_envs
        batches += 1
    return batches


def _read_changed_logs(tries: int) -> tuple[int, int]:
    changes = random.Random(1)
    body = bytes([0, 1, 2, 1, 6, 7])  # ids
    good = [_batch(body + changes.randbytes(24), number) for number in range(3)]
    header = _log_header(8, 6, 1, 0)
    assert _read_log(header + b"".join(good)) == 3
    read = refused = 0
    for _ in range(tries):
        kind = changes.randrange(3)
        if kind == 0:
            data = _with_changed_bytes(header + b"".join(good), changes)
        elif kind == 1:  # a batch with a check that fits
            data = header + _batch(_with_changed_bytes(good[0][:-4], changes), 0) + good[1]
        else:
            sizes = [changes.choice((0, 1, 5, 6, 7, 8, 255)) for _ in range(2)]
            data = _log_header(*sizes, changes.randrange(4), changes.choice((0, 1, 2**63)))
            data += b"".join(good)
        try:
            read += _read_log(data)
        except ReplayError:
            refused += 1
    return read, refused


def test_changed_logs() -> None:
    read, refused = _read_changed_logs(3_000)
    assert read > 500
    assert refused > 500


@pytest.mark.long
def test_a_million_changed_logs() -> None:
    _read_changed_logs(1_000_000)


# --- Saved runs


def _parts(run: bytes) -> tuple[dict[str, Any], bytes]:
    length = int.from_bytes(run[_MAGIC_BYTES : _MAGIC_BYTES + 8], "little")
    begin = _MAGIC_BYTES + 8
    return json.loads(run[begin : begin + length]), run[begin + length : -32]


def _joined(run: bytes, header: Any, blobs: bytes) -> bytes:
    text = json.dumps(header).encode()
    return _sealed(run[:_MAGIC_BYTES] + len(text).to_bytes(8, "little") + text + blobs)


def _sealed(data: bytes) -> bytes:
    return data + hashlib.sha256(data).digest()


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yields each (container, key) of nested JSON."""
    for key in range(len(value)) if isinstance(value, list) else value:
        yield value, key
        if isinstance(value[key], (dict, list)):
            yield from _places(value[key])


def _with_changed_header(run: bytes, changes: random.Random) -> bytes:
    header, blobs = _parts(run)
    for _ in range(changes.choice((1, 1, 2))):
        container, key = changes.choice(list(_places(header)))
        if isinstance(container, dict) and changes.random() < 0.3:
            del container[key]
        elif isinstance(container, list) and changes.random() < 0.3:
            container.append(copy.deepcopy(changes.choice(_VALUES)))
        else:
            container[key] = copy.deepcopy(changes.choice(_VALUES))
    return _joined(run, header, blobs)


def _load_changed_runs(tries: int) -> dict[str, int]:
    changes = random.Random(2)
    counts = {"loaded": 0, "refused": 0}
    arguments: dict[str, Any] = {"num_envs": 3, "seed": 1, "record_episode_statistics": True}
    with envpool_py.make("CartPole-v1", **arguments) as pool:
        pool.reset()
        pool.set_env_options([{"sutton_barto_reward": True}], [1])
        saved = io.BytesIO()
        pool.save(saved)
        good = saved.getvalue()
        actions = np.ones(3, int)
        expected = pool.step(actions)
        for _ in range(tries):
            kind = changes.randrange(3)
            if kind == 0:
                data = _with_changed_bytes(good, changes)
            elif kind == 1:
                data = _sealed(_with_changed_bytes(good[:-32], changes))
            else:
                data = _with_changed_header(good, changes)
            try:
                read_run(io.BytesIO(data))
                pool.load(io.BytesIO(data))
                pool.step(actions)
                counts["loaded"] += 1
            except EnvPoolError:
                counts["refused"] += 1
            pool.reset()
        pool.load(io.BytesIO(good))
        found = pool.step(actions)
        np.testing.assert_equal(found[:4], expected[:4])
    return counts


def test_changed_runs() -> None:
    counts = _load_changed_runs(600)
    assert counts["refused"] > 300


@pytest.mark.long
def test_a_million_changed_runs() -> None:
    _load_changed_runs(1_000_000)


@pytest.mark.parametrize(
    "change",
    [lambda data: data[:-1], lambda data: data[:40], lambda data: b"", lambda data: data * 2],
)
def test_the_checksum_covers_all(change: Callable[[bytes], bytes], tmp_path: Path) -> None:
    with envpool_py.make("CartPole-v1") as pool:
        pool.reset()
        saved = io.BytesIO()
        pool.save(saved)
    path = tmp_path / "run"
    path.write_bytes(change(saved.getvalue()))
    with pytest.raises(StateError):
        read_run(path)
