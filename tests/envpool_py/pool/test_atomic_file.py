"""Files that are replaced as a whole."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import IO, Any

import pytest

from envpool_py.pool import atomic_file
from envpool_py.pool.atomic_file import write_atomically


def die_while_writing(path: Path) -> None:
    """Writes a part of a file in another process, which then ends as a killed one does."""

    def write_a_part(file: IO[bytes]) -> None:
        file.write(b"a part")
        file.flush()
        os._exit(0)

    pid = os.fork()
    if pid == 0:
        try:
            write_atomically(path, write_a_part)
        finally:
            os._exit(1)
    assert os.waitpid(pid, 0)[1] == 0


def test_the_file_of_a_dead_writer_is_removed_by_the_next_one(tmp_path: Path) -> None:
    path = tmp_path / "a[1]"
    path.write_bytes(b"old")
    other = tmp_path / ".b.00000000.part"  # of another path
    other.touch()
    die_while_writing(path)
    assert path.read_bytes() == b"old"
    assert len(list(tmp_path.iterdir())) == 3
    write_atomically(path, lambda file: file.write(b"new"))
    assert path.read_bytes() == b"new"
    assert set(tmp_path.iterdir()) == {path, other}


def test_the_file_of_a_living_writer_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "state"

    def write(file: IO[bytes]) -> None:
        write_atomically(path, lambda inner: inner.write(b"inner"))
        assert path.read_bytes() == b"inner"
        file.write(b"outer")

    write_atomically(path, write)
    assert path.read_bytes() == b"outer"
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_that_was_removed_before_it_was_locked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock = atomic_file._lock
    removed = []

    def remove_the_first(file: Any) -> bool:
        if not removed:
            removed.extend(tmp_path.iterdir())
            removed[0].unlink()
        return lock(file)

    monkeypatch.setattr(atomic_file, "_lock", remove_the_first)
    write_atomically(tmp_path / "state", lambda file: file.write(b"new"))
    assert (tmp_path / "state").read_bytes() == b"new"


def test_the_rename_is_flushed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    flushed = []
    monkeypatch.setattr(os, "fsync", lambda handle: flushed.append(os.fstat(handle).st_ino))
    path = tmp_path / "state"
    write_atomically(path, lambda file: file.write(b"new"))
    assert flushed == [path.stat().st_ino, tmp_path.stat().st_ino]


def test_permissions_and_links(tmp_path: Path) -> None:
    new, old, link = (tmp_path / name for name in ("new", "old", "link"))
    before = os.umask(0o027)
    try:
        write_atomically(new, lambda file: file.write(b"1"))
    finally:
        os.umask(before)
    assert stat.S_IMODE(new.stat().st_mode) == 0o640
    old.touch()
    old.chmod(0o604)
    link.symlink_to(old)
    write_atomically(link, lambda file: file.write(b"2"))
    assert link.is_symlink()
    assert old.read_bytes() == b"2"
    assert stat.S_IMODE(old.stat().st_mode) == 0o604
