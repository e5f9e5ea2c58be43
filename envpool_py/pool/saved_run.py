"""The file of a saved pool: how the pool was made, and the state of every environment.

    magic number   16 bytes
    length         of the header, uint64, little-endian
    header         JSON, UTF-8
    states         bytes, one after the other; their lengths are in the header
    checksum       SHA-256 of everything before it

Only states of environments in Python are pickles; the header says so.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from envpool_py.errors import StateError
from envpool_py.pool.atomic_file import write_atomically

__all__ = ["RunFile", "SavedRun", "read_run", "write_run"]

RunFile = str | os.PathLike[str] | IO[bytes]
"""The path of a file, or a binary file that is open, such as an `io.BytesIO`."""

_MAGIC = b"envpool_py run\x001"
_FORMAT = 1
_CHECKSUM_BYTES = 32


@dataclass
class SavedRun:
    """The contents of a file.

    Attributes:
        version: the version of the package that wrote it.
        env_type: "gymnasium" or "dm".
        arguments: the keyword arguments of `make`, without defaults; None if the environments are
            written in Python.
        settings: what must be equal in a pool that loads the states, by name.
        options: the constructor options of each environment, and those that it will have after its
            next reset; None: all have those that the pool was made with, or are written in Python.
        seeds: the seeds that `np_random_seed` reports, one per environment; None: none.
        num_received: the number of batches that a first-ready pool has returned.
        states: the state of each environment; None: it was never reset.
        source: the pickle of the pool, if its environments are written in Python; otherwise None.
    """

    version: str
    env_type: str
    arguments: dict[str, Any] | None
    settings: dict[str, Any]
    options: tuple[list[dict[str, Any]], list[dict[str, Any]]] | None
    seeds: list[int] | None
    num_received: int
    states: list[bytes | None]
    source: bytes | None


def write_run(file: RunFile, run: SavedRun) -> None:
    """Writes a file: whenever the process dies, the file has its old or its new content.

    If `file` is an open file, it is written from its position on.

    Raises:
        OSError: the file cannot be written; an old file is unchanged.
    """
    blobs: list[bytes | None] = [*run.states, run.source]
    header = {
        "format": _FORMAT,
        "version": run.version,
        "env_type": run.env_type,
        "arguments": _encode(run.arguments),
        "settings": _encode(run.settings),
        "options": _encode(run.options),
        "seeds": run.seeds,
        "num_received": run.num_received,
        "lengths": [None if blob is None else len(blob) for blob in blobs],
    }
    text = json.dumps(header).encode()
    parts = [_MAGIC, len(text).to_bytes(8, "little"), text, *(blob for blob in blobs if blob)]
    checksum = hashlib.sha256()
    for part in parts:
        checksum.update(part)
    parts.append(checksum.digest())
    if isinstance(file, (str, os.PathLike)):
        write_atomically(file, lambda opened: opened.writelines(parts))
    else:
        file.writelines(parts)


def read_run(file: RunFile) -> SavedRun:
    """Reads a file of `write_run`.

    Raises:
        StateError: it is not such a file, is damaged, or has another format.
        OSError: it cannot be read.
    """
    if isinstance(file, (str, os.PathLike)):
        content, where = Path(file).read_bytes(), os.fspath(file)
    else:
        content, where = _content_of(file), "the file"
    if content[: len(_MAGIC)] != _MAGIC:
        raise StateError(f"{where}: expected a file of `pool.save`, got another one")
    body, checksum = content[:-_CHECKSUM_BYTES], content[-_CHECKSUM_BYTES:]
    if hashlib.sha256(body).digest() != checksum:
        raise StateError(f"{where}: the file is damaged: its checksum differs")
    try:
        return _parse(body)
    except StateError as error:
        raise StateError(f"{where}: {error}") from None
    except (LookupError, TypeError, ValueError, AttributeError, RecursionError) as error:
        raise StateError(f"{where}: `pool.save` does not write such a header") from error


def _content_of(file: IO[bytes]) -> bytes:
    """Reads what `write_run` has written, and nothing that follows; `read_run` checks it."""
    head = _read(file, len(_MAGIC) + 8)
    if head[: len(_MAGIC)] != _MAGIC:
        return head
    text = _read(file, int.from_bytes(head[len(_MAGIC) :], "little"))
    try:
        lengths = json.loads(text)["lengths"]
        rest = sum(length for length in lengths if length is not None) + _CHECKSUM_BYTES
        return head + text + _read(file, rest)
    except (LookupError, TypeError, ValueError, RecursionError):
        return head + text  # damaged


def _read(file: IO[bytes], size: int) -> bytes:
    """Reads up to `size` bytes, which may be more than the file has."""
    parts = []
    while size > 0 and (part := file.read(min(size, 1 << 20))):
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def _parse(body: bytes) -> SavedRun:
    start = len(_MAGIC) + 8
    end = start + int.from_bytes(body[len(_MAGIC) : start], "little")
    header = json.loads(body[start:end])
    if header["format"] != _FORMAT:
        raise StateError(f"expected format {_FORMAT}, got {header['format']!r}")
    blobs: list[bytes | None] = []
    for length in header["lengths"]:
        if length is None:
            blobs.append(None)
            continue
        blob = body[end : end + length]
        if length < 0 or len(blob) != length:
            raise ValueError("lengths")
        blobs.append(blob)
        end += length
    if end != len(body):
        raise ValueError("lengths")
    *states, source = blobs
    options = _decode(header["options"])
    settings = _decode(header["settings"])
    seeds = header["seeds"]
    num_envs = settings["num_envs"]
    for rows in (states, seeds, *(options or ())):
        if rows is not None and len(rows) != num_envs:
            raise ValueError("num_envs")
    if not all(isinstance(each, dict) for rows in options or () for each in rows):
        raise ValueError("options")
    return SavedRun(
        version=str(header["version"]),
        env_type=str(header["env_type"]),
        arguments=_decode(header["arguments"]),
        settings=settings,
        options=None if options is None else (options[0], options[1]),
        seeds=None if seeds is None else [int(seed) for seed in seeds],
        num_received=_count(header["num_received"]),
        states=states,
        source=source,
    )


def _count(value: Any) -> int:
    if not isinstance(value, int) or not 0 <= value < 1 << 63:
        raise ValueError("count")
    return value


# JSON has only text as keys. A mapping with other ones, such as the option `model` with numbers of
# objects, becomes {_ITEMS: [[key, value], ...]}.
_ITEMS = "__items__"


def _encode(value: Any) -> Any:
    if isinstance(value, dict):
        if all(isinstance(key, str) and key != _ITEMS for key in value):
            return {key: _encode(item) for key, item in value.items()}
        return {_ITEMS: [[key, _encode(item)] for key, item in value.items()]}
    if isinstance(value, (list, tuple)):
        return [_encode(item) for item in value]
    return value


def _decode(value: Any) -> Any:
    if isinstance(value, dict):
        if set(value) == {_ITEMS}:
            return {key: _decode(item) for key, item in value[_ITEMS]}
        return {key: _decode(item) for key, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_decode(item) for item in value]
    return value
