"""Page-locked memory to which environments write, and from which a device copies.

A slot has space for one batch. The device copies one slot while the environments write the next.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from envpool_py.pool.trees import Tree, leaves, map_leaves
from envpool_py.rollout.torch_framework import torch
from envpool_py.rollout.trees import empty_rows
from envpool_py.torch.devices import Device, Event, pages

__all__ = ["Slots"]

_ALIGNMENT = 64


class Slots:
    """Slots for batches of a pool.

    Attributes:
        count: number of slots.
        rows: rows of a slot.
        observations: the memory of all slots, arrays (count * rows, ...).
    """

    def __init__(self, device: Device, space: Any, rows: int, count: int) -> None:
        """Allocates the slots and makes them page-locked.

        Args:
            device: the device that copies from the slots.
            space: the observation space of one environment.
            rows: rows of a slot.
            count: number of slots.

        Raises:
            InputTypeError: a part of the space has no fixed shape.
            ResourceError: the device refuses to lock the memory.
        """
        self.count = count
        self.rows = rows
        self._device = device
        form = empty_rows(space, 0, "observation space")
        sizes = [_rounded(_row_bytes(leaf) * rows * count) for _, leaf in leaves(form)]
        columns = _rounded(rows * _COLUMN_BYTES)
        self._memory = pages(sum(sizes) + columns * count)
        device.page_lock(self._memory)
        self._locked = True
        begins = iter(np.cumsum([0, *sizes]).tolist())

        def place(leaf: NDArray[Any]) -> NDArray[Any]:
            shape = (rows * count, *leaf.shape[1:])
            placed: NDArray[Any] = np.ndarray(shape, leaf.dtype, self._memory, next(begins))
            return placed

        self.observations = map_leaves(place, form)
        begin = sum(sizes)
        self._columns = [
            self._memory[begin + slot * columns : begin + (slot + 1) * columns]
            for slot in range(count)
        ]
        self._events: list[Event | None] = [None] * count

    def wait(self, slot: int) -> None:
        """Waits until the device has copied a slot; then the slot may be written."""
        event = self._events[slot]
        if event is not None:
            event.synchronize()
            self._events[slot] = None

    def to_device(
        self,
        slot: int,
        rewards: NDArray[Any],
        terminated: NDArray[np.bool_],
        truncated: NDArray[np.bool_],
    ) -> tuple[Tree, Any, Any, Any]:
        """Starts the copies of a slot whose observations are complete.

        Returns:
            Observations, rewards in float32 and both flags, on the device.
        """
        n = len(rewards)
        columns = self._columns[slot]
        columns[: 4 * n].view(np.float32)[:] = rewards
        columns[4 * n : 5 * n].view(np.bool_)[:] = terminated
        columns[5 * n : 6 * n].view(np.bool_)[:] = truncated
        with self._device.copying():
            observations = self._start(slot, n)
            small = self._device.copy(torch.from_numpy(columns[: 6 * n]))
            event = self._device.record()
        self._events[slot] = event
        self._device.use_after(event, [*(leaf for _, leaf in leaves(observations)), small])
        return (
            observations,
            small[: 4 * n].view(torch.float32),
            small[4 * n : 5 * n].view(torch.bool),
            small[5 * n :].view(torch.bool),
        )

    def observations_to_device(self, slot: int, n: int) -> Tree:
        """Starts the copy of the first `n` observations of a slot."""
        with self._device.copying():
            observations = self._start(slot, n)
            event = self._device.record()
        self._events[slot] = event
        self._device.use_after(event, [leaf for _, leaf in leaves(observations)])
        return observations

    def _start(self, slot: int, n: int) -> Tree:
        first = slot * self.rows
        return map_leaves(
            lambda leaf: self._device.copy(torch.from_numpy(leaf[first : first + n])),
            self.observations,
        )

    def close(self) -> None:
        """Waits for all copies and unlocks the memory. Idempotent."""
        for slot in range(self.count):
            self.wait(slot)
        if self._locked:
            self._locked = False
            self._device.unlock(self._memory)


# Bytes of a row beside the observation: the reward as float32, and two flags.
_COLUMN_BYTES = 6


def _row_bytes(leaf: NDArray[Any]) -> int:
    return int(leaf.itemsize * np.prod(leaf.shape[1:], dtype=np.int64))


def _rounded(size: int) -> int:
    return -(-size // _ALIGNMENT) * _ALIGNMENT
