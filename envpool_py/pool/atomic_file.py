"""Files that are replaced as a whole, such as checkpoints."""

from __future__ import annotations

import contextlib
import fcntl
import glob
import os
import secrets
import stat
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

__all__ = ["write_atomically"]

_SUFFIX = ".part"


def write_atomically(path: str | os.PathLike[str], write: Callable[[IO[bytes]], Any]) -> None:
    """Writes a file: whenever the process dies, the file has its old or its new content.

    The content is first written to a temporary file `.NAME.*.part` in the same directory. The next
    call for the same path removes those of processes that died.

    Args:
        path: the file, in a directory that exists.
        write: writes the content to the temporary file.

    Raises:
        OSError: the file cannot be written; an old file is unchanged.
    """
    target = Path(path).resolve()  # a link stays one
    _remove_leftovers(target)
    file, part = _open_locked(target)
    with file:
        try:
            with contextlib.suppress(OSError):  # there is no old file
                os.fchmod(file.fileno(), stat.S_IMODE(target.stat().st_mode))
            write(file)
            file.flush()
            os.fsync(file.fileno())
            part.replace(target)
        except BaseException:
            part.unlink(missing_ok=True)
            raise
    directory = os.open(target.parent, os.O_RDONLY)
    try:
        os.fsync(directory)  # makes the rename durable
    finally:
        os.close(directory)


def _open_locked(target: Path) -> tuple[IO[bytes], Path]:
    """Opens a temporary file, with a lock that the system releases when the process dies."""
    while True:
        part = target.with_name(f".{target.name}.{secrets.token_hex(8)}{_SUFFIX}")
        file = part.open("xb")  # with the permissions of other new files
        _lock(file)
        if os.fstat(file.fileno()).st_nlink > 0:
            return file, part
        file.close()  # another process removed the file before it was locked


def _remove_leftovers(target: Path) -> None:
    for each in target.parent.glob(f".{glob.escape(target.name)}.*{_SUFFIX}"):
        # OSError: another process has removed the file.
        with contextlib.suppress(OSError), each.open("r+b") as file:
            if _lock(file):
                each.unlink()


def _lock(file: IO[bytes]) -> bool:
    """Returns False if another process has the lock, or the file system has no locks."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
