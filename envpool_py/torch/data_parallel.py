"""Data-parallel learning: several processes, with one pool each, learn one model.

    torchrun --nproc-per-node 2 program.py

`torchrun` starts the processes, and PyTorch's DistributedDataParallel averages their gradients.
This module divides the environments and their seeds among the processes, checks that all processes
have the same parameters, and writes checkpoints from which all continue after one has died.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Iterable, Iterator
from datetime import timedelta
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from envpool_py.errors import InputError, RanksDifferError
from envpool_py.pool.atomic_file import write_atomically
from envpool_py.rollout.torch_framework import torch

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = [
    "EqualityCheck",
    "Ranks",
    "RanksDifferError",
    "digest",
    "load_checkpoint",
    "save_checkpoint",
]


class Ranks:
    """The processes that learn one model; this process is number `rank` of `size`.

        with Ranks() as ranks:
            num_envs = ranks.share(64, "environments")
            envs = envpool_py.make("CartPole-v1", num_envs=num_envs, num_threads=1)
            rollout = Rollout(envs, 128, framework="torch", seed=ranks.first_seed(0, num_envs))
            model = DistributedDataParallel(Model())

    In a program that `torchrun` did not start, there is one rank. A process may have only one open
    `Ranks` at a time.

    Attributes:
        rank: number of this process, in [0, size).
        size: number of processes, on all machines.
        local_rank: number of this process on its machine.
        restarts: how often `torchrun` has restarted the processes after one had died.
        device: "cpu", or with the backend "nccl" the CUDA device of this rank, `cuda:<local_rank>`.
    """

    def __init__(self, backend: str | None = None, timeout: float = 600.0) -> None:
        """Waits for the other processes.

        Args:
            backend: "gloo", or "nccl", which needs a GPU for each rank. None: "nccl" if this
                machine has a GPU for each of its ranks, else "gloo".
            timeout: seconds after which waiting for another rank is an error.

        Raises:
            InputError: the backend is unknown, or "nccl" without a GPU for this rank.
            torch.distributed.DistError: the processes cannot connect.
        """
        environment = os.environ
        self.rank = int(environment.get("RANK", 0))
        self.size = int(environment.get("WORLD_SIZE", 1))
        self.local_rank = int(environment.get("LOCAL_RANK", 0))
        self.restarts = int(environment.get("TORCHELASTIC_RESTART_COUNT", 0))
        gpus = torch.cuda.device_count() if torch.cuda.is_available() else 0
        if backend is None:
            backend = "nccl" if gpus >= int(environment.get("LOCAL_WORLD_SIZE", 1)) else "gloo"
        if backend not in ("gloo", "nccl"):
            raise InputError(f'backend: expected "gloo" or "nccl", got {backend!r}')
        if backend == "nccl" and self.local_rank >= gpus:
            raise InputError(
                f'backend "nccl": expected a GPU for local rank {self.local_rank}, found {gpus}'
            )
        self.device = torch.device("cpu")
        if backend == "nccl":
            self.device = torch.device("cuda", self.local_rank)
            torch.cuda.set_device(self.device)
        torch.distributed.init_process_group(
            backend,
            rank=self.rank,
            world_size=self.size,
            timeout=timedelta(seconds=timeout),
            store=self._store(timeout),
        )

    def _store(self, timeout: float) -> Any:
        """Returns the store through which the ranks find each other."""
        if "RANK" not in os.environ:
            return torch.distributed.HashStore()  # there is only this process
        found = torch.distributed.rendezvous(
            "env://", self.rank, self.size, timeout=timedelta(seconds=timeout)
        )
        store, _, _ = next(found)
        # torchrun keeps its store when it restarts the ranks (PyTorch 2.13). Without a new prefix,
        # the restarted ranks could read the addresses of the ended ones, and wait for them.
        return torch.distributed.PrefixStore(f"{self.restarts} restarts, {self.size} ranks", store)

    def share(self, total: int, what: str) -> int:
        """Returns this rank's share of a total, `total / size`.

        Args:
            total: total of all ranks.
            what: name of the divided quantity, for the message.

        Raises:
            InputError: `total` is not a positive multiple of `size`.
        """
        if total < self.size or total % self.size != 0:
            raise InputError(f"{what}: expected a multiple of {self.size} (ranks), got {total}")
        return total // self.size

    def first_seed(self, seed: int, num_envs: int) -> int:
        """Returns the seed of this rank's first environment.

        The environments of all ranks together then have the same seeds as the environments of one
        pool: `seed`, `seed + 1`, and so on.

        Args:
            seed: seed of the first environment of rank 0.
            num_envs: number of environments of each rank.
        """
        return seed + self.rank * num_envs

    def check_equal(self, tensors: Iterable[Any], what: str = "parameters") -> None:
        """Checks that tensors have the same bits in all ranks. All ranks must call it.

        Each rank sends its `digest`, 8 bytes.

        Args:
            tensors: tensors, such as `model.parameters()`.
            what: name of the tensors in the message.

        Raises:
            RanksDifferError: the tensors of a rank differ from those of rank 0; raised in all
                ranks.
        """
        self.start_check(tensors, what).finish()

    def start_check(self, tensors: Iterable[Any], what: str = "parameters") -> EqualityCheck:
        """Starts the check of `check_equal`, without waiting for the other ranks.

        The tensors may be changed as soon as this function returns. All ranks must start the same
        checks in the same order relative to their other communication.
        """
        mine = digest(tensors).to(self.device)
        every = [torch.empty_like(mine) for _ in range(self.size)]
        return EqualityCheck(every, torch.distributed.all_gather(every, mine, async_op=True), what)

    def sums(self, values: Any) -> Any:
        """Returns a new tensor with the sums over all ranks. All ranks must call it."""
        total = values.detach().clone()
        torch.distributed.all_reduce(total)
        return total

    def gathered(self, value: Any) -> list[Any]:
        """Returns a list of the objects of all ranks, by rank. All ranks must call it."""
        every: list[Any] = [None] * self.size
        torch.distributed.all_gather_object(every, value)
        return every

    def wait(self) -> None:
        """Waits until all ranks have called this."""
        torch.distributed.barrier()

    def close(self) -> None:
        """Leaves the process group; a second call does nothing."""
        if torch.distributed.is_initialized():
            torch.distributed.destroy_process_group()

    def __enter__(self) -> Self:
        """Returns itself."""
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc_value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Leaves the process group; without an exception, waits for all ranks before."""
        if exc_type is None:
            self.wait()
        self.close()


class EqualityCheck:
    """A running check; see `Ranks.start_check`."""

    def __init__(self, every: list[Any], work: Any, what: str) -> None:
        self._every = every
        self._work = work
        self._what = what

    def finish(self) -> None:
        """Waits for the other ranks.

        Raises:
            RanksDifferError: the tensors of a rank differ from those of rank 0; raised in all
                ranks.
        """
        self._work.wait()
        digests = torch.cat(self._every).tolist()
        others = [rank for rank, each in enumerate(digests) if each != digests[0]]
        if others:
            raise RanksDifferError(
                f"{self._what}: expected the same in all {len(digests)} ranks, but those of ranks "
                f"{others} differ from those of rank 0"
            )


# Odd, so that a change of one word always changes the hash: the golden ratio times 2^64, and the
# multiplier of Knuth's MMIX generator.
_WORD_MULTIPLIER = 0x9E3779B97F4A7C15 - 2**64
_BLOCK_MULTIPLIER = 0x5851F42D4C957F2D
_BLOCK = 2**15  # words; with the multipliers, a block fits into the L2 cache
_GROUP = 2**17  # words of tensors that are joined, because many small operations take longer


def digest(tensors: Iterable[Any]) -> Any:
    """Returns a hash of the bits of tensors, on the device of the first one: int64 (1,).

    Words of eight bytes are multiplied by odd numbers that depend on the position, and added modulo
    2^64. A change of one element always changes the hash. It is not a cryptographic hash.

    Args:
        tensors: tensors of any dtypes, shapes and devices.

    Raises:
        InputError: there are no tensors.
    """
    total, blocks = None, 0
    for group in _groups(tensors):
        if total is None:
            total = torch.zeros(1, dtype=torch.int64, device=group.device)
        for words in group.split(_BLOCK):
            part = (words * _multipliers(group.device)[: len(words)]).sum()
            multiplier = (blocks * _BLOCK_MULTIPLIER | 1) % 2**64
            part *= multiplier - 2**64 if multiplier >= 2**63 else multiplier
            total += part.to(total.device)
            blocks += 1
    if total is None:
        raise InputError("tensors: expected at least one, got none")
    return total


def _groups(tensors: Iterable[Any]) -> Iterator[Any]:
    """Yields the words of the tensors; those of successive small ones in one tensor."""
    group: list[Any] = []
    size = 0
    for tensor in tensors:
        words = _words(tensor.detach())
        if group and (size + len(words) > _GROUP or words.device != group[0].device):
            yield torch.cat(group) if len(group) > 1 else group[0]
            group, size = [], 0
        group.append(words)
        size += len(words)
    if group:
        yield torch.cat(group) if len(group) > 1 else group[0]


@functools.cache
def _multipliers(device: Any) -> Any:
    """Returns the multipliers of the words of a block."""
    return (torch.arange(_BLOCK, device=device) * _WORD_MULTIPLIER) | 1


def _words(tensor: Any) -> Any:
    """Returns the bits of a tensor as words, int64, with zeros at the end."""
    if tensor.numel() == 0:  # PyTorch cannot always view one as another dtype
        return torch.zeros(0, dtype=torch.int64, device=tensor.device)
    bits = tensor.contiguous().reshape(-1).view(torch.uint8)
    missing = -len(bits) % 8
    if missing:
        bits = torch.nn.functional.pad(bits, (0, missing))
    elif bits.storage_offset() % 8:
        bits = bits.clone()
    return bits.view(torch.int64)


def save_checkpoint(path: Path | str, state: dict[str, Any]) -> None:
    """Writes a checkpoint atomically: a reader sees the old file or the new one, never a part.

    Only one rank should call this. For `load_checkpoint`, all ranks must have access to the file.

    Args:
        path: the file, in an existing directory.
        state: tensors and plain values, which may be nested.

    Raises:
        OSError: the file cannot be written; an old file is unchanged.
    """
    write_atomically(path, lambda file: torch.save(state, file))


def load_checkpoint(path: Path | str, device: Any = "cpu") -> dict[str, Any] | None:
    """Returns the state in a file of `save_checkpoint`; None if there is no such file.

    Reads only tensors and plain values, so the file cannot run code.

    Args:
        path: the file.
        device: device of the returned tensors.
    """
    path = Path(path)
    if not path.exists():
        return None
    # Python's types, of which PyTorch refuses some: empty bytes are pickled as a call of `bytes`.
    with torch.serialization.safe_globals([bytes, bytearray, complex, frozenset, set]):
        state: dict[str, Any] = torch.load(path, map_location=device, weights_only=True)
    return state
