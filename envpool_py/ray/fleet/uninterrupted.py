"""Changes of several variables that Ctrl-C must not divide."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from typing import Any

__all__ = ["Uninterrupted"]


class Uninterrupted:
    """A block after which Python's handler of SIGINT runs, if the signal comes in the block.

        with Uninterrupted():
            del waiting[name]
            done.append(name)

    In threads other than the main thread, in which no signal handlers run, it does nothing. A block
    should not wait: Ctrl-C waits for its end.
    """

    _handler: Callable[..., Any] | None = None
    _signal: tuple[Any, ...] | None = None

    def __enter__(self) -> None:
        if threading.current_thread() is not threading.main_thread():
            return
        handler = signal.getsignal(signal.SIGINT)
        if callable(handler):
            self._handler = handler
            signal.signal(signal.SIGINT, self._postpone)

    def __exit__(self, *_: object) -> None:
        if self._handler is None:
            return
        signal.signal(signal.SIGINT, self._handler)
        if self._signal is not None:
            self._handler(*self._signal)

    def _postpone(self, *signal_and_frame: Any) -> None:
        self._signal = signal_and_frame
