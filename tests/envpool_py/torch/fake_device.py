"""A device that delays copies as long as its events allow.

If memory is written before a copy from it has ended, the tensors here are wrong on every run.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import numpy as np
import torch


class FakeEvent:
    """Marks the end of a device's first `count` copies."""

    def __init__(self, device: FakeDevice, count: int) -> None:
        self._device = device
        self._count = count

    def synchronize(self) -> None:
        self._device.copy_until(self._count)


class FakeDevice:
    """Delays copies until something waits for them.

    Attributes:
        locked: sizes in bytes of the page-locked memory, by address.
        unlocked: addresses that were unlocked.
        paged: number of copies from other memory, which are made at once.
        waits: pairs of an event that the caller's stream waits for, and the tensors concerned.
    """

    def __init__(self) -> None:
        self.locked: dict[int, int] = {}
        self.unlocked: list[int] = []
        self.paged = 0
        self.waits: list[tuple[FakeEvent, list[Any]]] = []
        self._started: list[tuple[Any, Any]] = []
        self._copied = 0
        self._in_stream = False

    def page_lock(self, memory: Any) -> None:
        assert memory.ctypes.data % 4096 == 0
        self.locked[memory.ctypes.data] = memory.nbytes

    def unlock(self, memory: Any) -> None:
        assert self._copied == len(self._started), "unlocked before the copies have ended"
        self.unlocked.append(memory.ctypes.data)

    @contextlib.contextmanager
    def copying(self) -> Iterator[None]:
        self._in_stream = True
        yield
        self._in_stream = False

    def copy(self, host: Any) -> Any:
        assert self._in_stream
        if not self._is_locked(host):
            self.paged += 1
            return host.clone()
        made = torch.empty_like(host)
        made.view(torch.uint8).fill_(0xAB) if made.dim() > 0 else made.zero_()
        self._started.append((made, host))
        return made

    def record(self) -> FakeEvent:
        return FakeEvent(self, len(self._started))

    def use_after(self, event: FakeEvent, tensors: list[Any]) -> None:
        self.waits.append((event, tensors))

    def copy_until(self, count: int) -> None:
        for made, host in self._started[self._copied : count]:
            made.copy_(host)
        self._copied = max(self._copied, count)

    def finish(self) -> None:
        """Waits for the events, as the caller's stream does when it runs."""
        for event, _ in self.waits:
            event.synchronize()

    @property
    def late(self) -> int:
        """Returns the number of copies that were started but not made."""
        return len(self._started) - self._copied

    def _is_locked(self, host: Any) -> bool:
        at = host.data_ptr()
        return any(
            begin <= at and at + host.nbytes <= begin + size for begin, size in self.locked.items()
        )


def host(tree: Any) -> Any:
    """Copies a tree of tensors to NumPy arrays."""
    if isinstance(tree, dict):
        return {name: host(part) for name, part in tree.items()}
    if isinstance(tree, tuple):
        return tuple(host(part) for part in tree)
    return np.asarray(tree).copy()
