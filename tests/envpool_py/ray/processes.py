"""Lists processes, and waits for their end."""

from __future__ import annotations

import os
import select
from pathlib import Path


def is_gone(pid: int, timeout: float = 30.0) -> bool:
    """Waits until a process has ended."""
    try:
        descriptor = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        ready, _, _ = select.select([descriptor], [], [], timeout)
        return bool(ready)
    finally:
        os.close(descriptor)


def with_variable(name: str, value: str) -> dict[int, str]:
    """Returns the processes that inherited an environment variable, with their command lines."""
    found = {}
    for directory in Path("/proc").iterdir():
        if not directory.name.isdigit() or int(directory.name) == os.getpid():
            continue
        try:
            if f"{name}={value}".encode() in (directory / "environ").read_bytes().split(b"\0"):
                line = (directory / "cmdline").read_bytes().replace(b"\0", b" ").decode()
                found[int(directory.name)] = line
        except OSError:  # the process has ended, or belongs to another user
            continue
    return found
