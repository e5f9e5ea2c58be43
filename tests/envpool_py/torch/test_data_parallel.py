"""Ranks: their environments and seeds, equality of parameters; checkpoints."""

from __future__ import annotations

import operator
import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch", reason="PyTorch is not installed")

import torch

import envpool_py
from envpool_py.errors import InputError
from envpool_py.torch.data_parallel import Ranks, digest, load_checkpoint, save_checkpoint

PACKAGE = str(Path(envpool_py.__file__).parent.parent)


def slow_digest(*groups: list[np.ndarray]) -> int:
    """Computes the same digest with Python's integers; `groups` are the arrays that are joined."""
    total = blocks = 0
    for arrays in groups:
        data = b"".join(array.tobytes() + bytes(-array.nbytes % 8) for array in arrays)
        words = np.frombuffer(data, np.int64).tolist()
        for first in range(0, max(len(words), 1), 2**15):
            factors = ((0x9E3779B97F4A7C15 * k) | 1 for k in range(2**15))
            block = sum(map(operator.mul, words[first : first + 2**15], factors))
            total += block * ((0x5851F42D4C957F2D * blocks) | 1)
            blocks += 1
    return (total + 2**63) % 2**64 - 2**63


@pytest.mark.parametrize(
    "dtype", ["float32", "float64", "float16", "int64", "int8", "bool", "complex64"]
)
def test_digest(dtype: str) -> None:
    draw = np.random.default_rng(3)
    sizes: list[tuple[int, ...]] = [(7, 5), (0,), (1,), (4, 2, 3), (99_999,), ()]
    arrays = [np.asarray(draw.normal(size=size)).astype(dtype) for size in sizes]
    tensors = [torch.from_numpy(array) for array in arrays]
    assert digest(tensors).shape == (1,)
    assert int(digest(tensors)) == slow_digest(arrays)
    assert int(digest([tensors[1]])) == 0
    # Views with another memory order, or inside other tensors, have the same elements.
    assert int(digest([tensors[0].T.contiguous().T])) == slow_digest(arrays[:1])
    inside = torch.cat([tensors[2], tensors[4]])[1:]
    assert int(digest([inside[:96]])) == slow_digest([arrays[4][:96]])


def test_digest_joins_small_tensors() -> None:
    sizes = (5, 70_000, 70_000, 10, 200_000, 3, 2**17 - 3, 1)
    arrays = [np.random.default_rng(size).normal(size=size) for size in sizes]
    groups = [arrays[:2], arrays[2:4], arrays[4:5], arrays[5:7], arrays[7:]]
    assert int(digest(torch.from_numpy(array) for array in arrays)) == slow_digest(*groups)


def test_digest_sees_each_element_and_the_order() -> None:
    values = torch.linspace(-1, 1, 200)
    seen = {int(digest([values]))}
    for place in range(200):
        changed = values.clone()
        changed[place] = torch.nextafter(changed[place], torch.tensor(2.0))
        seen.add(int(digest([changed])))
    seen.add(int(digest([values.flip(0)])))
    assert len(seen) == 202
    with pytest.raises(InputError, match="at least one"):
        digest([])


def test_one_process_without_torchrun(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("RANK", "WORLD_SIZE", "LOCAL_RANK", "TORCHELASTIC_RESTART_COUNT"):
        monkeypatch.delenv(name, raising=False)
    with Ranks() as ranks:
        assert (ranks.rank, ranks.size, ranks.local_rank, ranks.restarts) == (0, 1, 0, 0)
        assert ranks.share(6, "environments") == 6
        assert ranks.first_seed(9, 6) == 9
        ranks.check_equal([torch.ones(3)])
        assert ranks.sums(torch.ones(2)).tolist() == [1.0, 1.0]
        assert ranks.gathered("a") == ["a"]
        with pytest.raises(InputError, match="environments: expected a multiple of 1"):
            ranks.share(0, "environments")
    ranks.close()
    assert not torch.distributed.is_initialized()


def test_backends(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match='expected "gloo" or "nccl", got \'mpi\''):
        Ranks("mpi")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(InputError, match="expected a GPU for local rank 0, found 0"):
        Ranks("nccl")


PROGRAM = """
import torch

from envpool_py.errors import InputError
from envpool_py.torch.data_parallel import Ranks, RanksDifferError

with Ranks("gloo") as ranks:
    assert (ranks.size, ranks.rank) == (2, ranks.local_rank)
    assert ranks.share(10, "environments") == 5
    assert ranks.first_seed(100, 5) == 100 + 5 * ranks.rank
    try:
        ranks.share(7, "environments")
    except InputError as error:
        assert str(error) == "environments: expected a multiple of 2 (ranks), got 7"
    else:
        raise AssertionError
    assert ranks.gathered(ranks.rank) == [0, 1]
    mine = torch.tensor([1.0, 2.0 + ranks.rank])
    assert ranks.sums(mine).tolist() == [2.0, 5.0]
    assert mine.tolist() == [1.0, 2.0 + ranks.rank]
    ranks.check_equal([torch.ones(3), torch.zeros(2)])
    try:
        ranks.check_equal([torch.ones(3), mine], "weights")
    except RanksDifferError as error:
        assert str(error).startswith("weights: expected the same in all 2 ranks"), error
        assert "ranks [1] differ" in str(error)
    else:
        raise AssertionError
    # One write: the ranks share standard output.
    print(f"rank {ranks.rank} passed\\n", end="", flush=True)
"""


def test_two_ranks(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    paths = [PACKAGE, *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
    done = subprocess.run(
        # In an emulated network, such as gVisor's, connections are sometimes refused.
        [*torchrun(2, "--max-restarts", "3"), str(program)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths), "OMP_NUM_THREADS": "1"},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    assert {"rank 0 passed", "rank 1 passed"} <= set(done.stdout.splitlines())


def test_new_ranks_do_not_find_those_before_a_restart(tmp_path: Path) -> None:
    """torchrun keeps its store. The rank that starts first must wait for the other new rank."""
    store = torch.distributed.TCPStore("127.0.0.1", 0, is_master=True, wait_for_workers=False)
    program = tmp_path / "program.py"
    program.write_text(
        "from envpool_py.torch.data_parallel import Ranks\n"
        "with Ranks('gloo', timeout=60) as ranks: print(ranks.gathered(ranks.rank))\n"
    )
    paths = [PACKAGE, *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]

    def start(rank: int, restarts: int) -> subprocess.Popen[str]:
        variables = {
            "PYTHONPATH": os.pathsep.join(paths),
            "OMP_NUM_THREADS": "1",
            "MASTER_ADDR": "127.0.0.1",
            "MASTER_PORT": str(store.port),
            "TORCHELASTIC_USE_AGENT_STORE": "True",
            "TORCHELASTIC_RESTART_COUNT": str(restarts),
            "WORLD_SIZE": "2",
            "RANK": str(rank),
            "LOCAL_RANK": str(rank),
        }
        return subprocess.Popen(
            [sys.executable, str(program)],
            env={**os.environ, **variables},
            stdout=subprocess.PIPE,
            text=True,
        )

    for restarts in range(2):
        known = store.num_keys()
        one = start(0, restarts)
        while store.num_keys() == known and one.poll() is None:
            pass  # until it has written its address
        other = start(1, restarts)
        for process in (one, other):
            output, _ = process.communicate(timeout=120)
            assert (process.returncode, output) == (0, "[0, 1]\n")


def torchrun(count: int, *options: str) -> list[str]:
    run = [sys.executable, "-m", "torch.distributed.run", "--standalone"]
    return [*run, "--nproc-per-node", str(count), *options]


def test_a_checkpoint_is_written_whole_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "checkpoint"
    assert load_checkpoint(path) is None
    save_checkpoint(path, {"weights": torch.ones(3), "update": 4, "curve": [[1, 2.5]]})

    def fails(state: Any, file: Any) -> None:
        file.write(b"a part")
        raise OSError("no space")

    monkeypatch.setattr(torch, "save", fails)
    with pytest.raises(OSError, match="no space"):
        save_checkpoint(path, {"update": 5})
    assert [each.name for each in tmp_path.iterdir()] == ["checkpoint"]
    state = load_checkpoint(str(path))
    assert state is not None
    assert (state["update"], state["curve"]) == (4, [[1, 2.5]])
    assert state["weights"].tolist() == [1.0] * 3


def test_plain_values_are_saved_and_loaded(tmp_path: Path) -> None:
    plain = {
        "bytes": [b"", b"x"],
        "sets": [{1}, frozenset()],
        "others": [None, 1j, "", bytearray()],
    }
    save_checkpoint(tmp_path / "checkpoint", plain)
    assert load_checkpoint(tmp_path / "checkpoint") == plain


class Code:
    """Its unpickling would call a function."""

    def __reduce__(self) -> Any:
        return os.getenv, ("HOME",)


def test_a_checkpoint_cannot_run_code(tmp_path: Path) -> None:
    torch.save({"update": Code()}, tmp_path / "checkpoint")
    with pytest.raises(pickle.UnpicklingError):
        load_checkpoint(tmp_path / "checkpoint")
