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

_lock = threading.RLock()
_ended = threading.Condition(_lock)
_importing: dict[object, int] = {}  # imports that run, each with its thread; guarded by _lock


def import_module(name: str) -> ModuleType:
    """Imports a module and returns it.

    Raises:
        ImportError, and what the module raises.
    """
    this = object()
    try:
        with _lock:
            _importing[this] = threading.get_ident()
        return importlib.import_module(name)
    finally:
        with _lock:
            _importing.pop(this, None)
            _ended.notify_all()


def _others() -> list[object]:
    """Returns the imports of other threads; a fork cannot wait for those of its own."""
    own = threading.get_ident()
    return [each for each, thread in _importing.items() if thread != own]


def _wait() -> None:
    _ended.wait_for(lambda: not _others(), _LONGEST_WAIT_SECONDS)


def _forget_others() -> None:
    for each in _others():
        del _importing[each]


# The forking thread holds the lock, in the child, too. It is taken and released by functions that
# Ctrl-C does not interrupt: otherwise it could stay taken.
os.register_at_fork(before=_wait, after_in_child=_forget_others)
os.register_at_fork(
    before=_lock.acquire, after_in_parent=_lock.release, after_in_child=_lock.release
)
