"""A checkpoint is complete, no matter when the process dies."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from envpool_py.ray.fleet import load_checkpoint, save_checkpoint


def test_round_trip(tmp_path: Path) -> None:
    path = tmp_path / "state"
    assert load_checkpoint(path) is None
    for number in range(3):
        save_checkpoint(path, {"number": number, "weights": np.arange(number)})
        loaded = load_checkpoint(path)
        assert loaded["number"] == number
        assert np.array_equal(loaded["weights"], np.arange(number))
    assert [each.name for each in tmp_path.iterdir()] == ["state"]


def test_a_failure_leaves_the_old_checkpoint(tmp_path: Path) -> None:
    class Breaks:
        def __reduce__(self) -> Any:
            raise ValueError("not for pickle")

    path = tmp_path / "state"
    save_checkpoint(path, "old")
    with pytest.raises(ValueError, match="not for pickle"):
        save_checkpoint(path, ["x" * 100_000, Breaks()])
    assert load_checkpoint(path) == "old"
    assert [each.name for each in tmp_path.iterdir()] == ["state"]
    with pytest.raises(FileNotFoundError):
        save_checkpoint(tmp_path / "missing" / "state", "new")
