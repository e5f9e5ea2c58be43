"""Devices that copy from page-locked memory while the calling thread continues."""

from __future__ import annotations

import contextlib
import mmap
from collections.abc import Iterator
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from envpool_py.errors import InputError, ResourceError
from envpool_py.rollout.torch_framework import torch

__all__ = ["CudaDevice", "Device", "Event", "pages"]


class Event(Protocol):
    """Marks the end of the copies that were started before it was recorded."""

    def synchronize(self) -> None:
        """Waits until these copies have ended."""


class Device(Protocol):
    """A device with a separate stream for copies from the host."""

    def page_lock(self, memory: NDArray[np.uint8]) -> None:
        """Makes memory page-locked, so that copies from it are asynchronous."""

    def unlock(self, memory: NDArray[np.uint8]) -> None:
        """Reverses `page_lock`. All copies from the memory must have ended."""

    def copying(self) -> Any:
        """Returns a context manager; `copy` must be called inside its `with` block."""

    def copy(self, host: Any) -> Any:
        """Starts the copy of a tensor in page-locked memory, and returns a tensor on the device."""

    def record(self) -> Event:
        """Returns the event of the copies so far."""

    def use_after(self, event: Event, tensors: list[Any]) -> None:
        """Makes subsequent work of the caller on the device wait for the copies of `tensors`."""


class CudaDevice:
    """A CUDA device, through PyTorch."""

    def __init__(self, device: Any) -> None:
        """Makes the stream for copies.

        Raises:
            InputError: CUDA is not available in this PyTorch or on this machine.
        """
        if not torch.cuda.is_available():
            raise InputError(
                f'device: expected "cpu", because PyTorch {torch.__version__} finds no CUDA device '
                f'here, got "{device}"'
            )
        self._device = device
        self._stream = torch.cuda.Stream(device)

    def page_lock(self, memory: NDArray[np.uint8]) -> None:
        """Registers memory with CUDA.

        Raises:
            ResourceError: CUDA refuses to register the memory.
        """
        error = torch.cuda.cudart().cudaHostRegister(memory.ctypes.data, memory.nbytes, 0)
        if int(error) != 0:
            raise ResourceError(
                f"cudaHostRegister: CUDA refuses to lock {memory.nbytes} bytes: {error}"
            )

    def unlock(self, memory: NDArray[np.uint8]) -> None:
        """Ends the registration."""
        torch.cuda.cudart().cudaHostUnregister(memory.ctypes.data)

    @contextlib.contextmanager
    def copying(self) -> Iterator[None]:
        """Makes the stream for copies the current one."""
        with torch.cuda.stream(self._stream):
            yield

    def copy(self, host: Any) -> Any:
        """Starts a copy on the stream."""
        return host.to(self._device, non_blocking=True)

    def record(self) -> Event:
        """Returns an event of the stream."""
        event: Event = self._stream.record_event()
        return event

    def use_after(self, event: Event, tensors: list[Any]) -> None:
        """Makes the caller's stream wait, and keeps the tensors' memory until it has used them."""
        current = torch.cuda.current_stream(self._device)
        current.wait_event(event)
        for tensor in tensors:
            tensor.record_stream(current)


def pages(size: int) -> NDArray[np.uint8]:
    """Returns `size` zeroed bytes in separate pages, because locking applies to whole pages."""
    return np.frombuffer(mmap.mmap(-1, max(size, 1)), np.uint8)[:size]
