"""Steps our pool of an Atari task and another library's with the same actions, and compares."""

from __future__ import annotations

import platform
from collections import Counter
from typing import Any

import numpy as np
import pytest

# The most by which a pixel may differ. On ARM, OpenCV's resize rounds otherwise than on x86-64, by
# one level in a few pixels of a million; our pictures are the same on both.
ROUNDING = 1 if platform.machine() == "aarch64" else 0
ROUNDED_SHARE = 1e-4


def rounded_equal(ours: np.ndarray, theirs: np.ndarray) -> bool:
    """Whether pictures are equal but for a few pixels that the reference rounds otherwise."""
    if not ROUNDING or ours.dtype != np.uint8 or ours.shape != theirs.shape or ours.ndim < 3:
        return False
    apart = np.abs(ours.astype(np.int16) - theirs)
    return int(apart.max(initial=0)) <= ROUNDING and np.mean(apart > 0) <= ROUNDED_SHARE


class AtariPair:
    """The common part of pairs of pools; subclasses make the two pools and compare their infos.

    Attributes:
        step: number of steps that both have taken.
        counts: numbers of rows with "terminated", "truncated" and a nonzero "reward".
    """

    def __init__(self, where: str, ours: Any, theirs: Any) -> None:
        self.where = where
        self.ours = ours
        self.theirs = theirs
        self.step = 0
        self.counts: Counter[str] = Counter()

    def close(self) -> None:
        self.ours.close()
        self.theirs.close()

    def equal(self, name: str, ours: Any, theirs: Any, rows: Any = ...) -> None:
        ours, theirs = np.asarray(ours)[rows], np.asarray(theirs)[rows]
        if not np.array_equal(ours, theirs) and not rounded_equal(ours, theirs):
            pytest.fail(
                f"{self.where}: at step {self.step}, {name} differs: {np.sum(ours != theirs)} "
                f"values, first {ours[ours != theirs].flat[0]}, "
                f"expected {theirs[ours != theirs].flat[0]}",
                pytrace=False,
            )

    def step_both(self, actions: np.ndarray) -> tuple[dict[str, Any], dict[str, Any], np.ndarray]:
        """Steps both and compares all but infos; returns both infos and which episodes ended."""
        self.step += 1
        observations, rewards, terminated, truncated, infos = self.ours.step(actions)
        theirs = self.theirs.step(actions)
        self.equal("reward", rewards, theirs[1])
        self.equal("terminated", terminated, theirs[2])
        self.equal("truncated", truncated, theirs[3])
        self.equal("observation", observations, theirs[0])
        self.counts["terminated"] += int(terminated.sum())
        self.counts["truncated"] += int(truncated.sum())
        self.counts["reward"] += int((rewards != 0).sum())
        return infos, theirs[4], terminated | truncated
