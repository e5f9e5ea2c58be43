"""Checkpoint files, from which a new process continues after the learner has died."""

from __future__ import annotations

import os
import pickle
from pathlib import Path
from typing import Any

from envpool_py.pool.atomic_file import write_atomically

__all__ = ["load_checkpoint", "save_checkpoint"]


def save_checkpoint(path: str | os.PathLike[str], state: Any) -> None:
    """Writes a checkpoint atomically: if the process dies, the file has its old or new content.

    Args:
        path: the file, in a directory that exists.
        state: any object that can be pickled, such as the state dicts of the model, the optimizer
            and the stream.

    Raises:
        OSError: the file cannot be written.
    """
    write_atomically(path, lambda file: pickle.dump(state, file, protocol=5))


def load_checkpoint(path: str | os.PathLike[str]) -> Any:
    """Returns the state in a file of `save_checkpoint`; None if there is no such file.

    Unpickling can run code from the file: load only files that you wrote.

    Raises:
        OSError: the file cannot be read.
    """
    try:
        with Path(path).open("rb") as file:
            return pickle.load(file)
    except FileNotFoundError:
        return None
