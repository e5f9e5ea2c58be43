"""Imports that a fork waits for.

A fork while another thread imports a module leaves the module's lock taken in the child, where no
thread will ever release it: the child's import of that module would wait for good. So a fork of
this process first waits for the imports that are made here, which load families and plug-ins.
"""

from __future__ import annotations

import importlib
import os
import threading
from types import ModuleType

__all__ = ["import_module"]

_LONGEST_WAIT_SECONDS = 30.0  # of a fork

_changed = threading.Condition()
_running = 0  # imports of all threads; guarded by _changed


class _OfThread(threading.local):
    running = 0  # imports of this thread, for which its own fork does not wait


_of_thread = _OfThread()


def import_module(name: str) -> ModuleType:
    """Imports a module and returns it.

    Raises:
        ImportError, and what the module raises.
    """
    _count(1)
    try:
        return importlib.import_module(name)
    finally:
        _count(-1)


def _count(change: int) -> None:
    global _running
    with _changed:
        _of_thread.running += change
        _running += change
        _changed.notify_all()


def _before_fork() -> None:
    _changed.acquire()
    _changed.wait_for(lambda: _running == _of_thread.running, _LONGEST_WAIT_SECONDS)


def _after_fork_in_child() -> None:
    global _changed, _running
    _changed = threading.Condition()
    _running = _of_thread.running


os.register_at_fork(
    before=_before_fork,
    after_in_parent=lambda: _changed.release(),
    after_in_child=_after_fork_in_child,
)
