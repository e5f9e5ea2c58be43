"""The learner of soak.py: takes fragments and checks each one.

Each fragment must be complete and appear once, and the counts must add up, also over the starts of
this program that continue from a checkpoint. At times it keeps more fragments than the object store
can hold.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import ray
from policies import STAMPS, stamps

from envpool_py.errors import FragmentTimeoutError
from envpool_py.ray import ActorGroup, ActorSpec, RolloutStream, load_checkpoint, save_checkpoint

MEBIBYTE = 2**20
LENGTH, ENVS = 128, 128
KEEPS_EVERY = 100  # fragments


class Checks:
    """The fragments that were taken, and their checks.

    Attributes:
        identities: of the fragments since this program was started.
        begun: the first observations of all pools, since the first start.
        filled: how often fragments of more than the object store's size were kept.
    """

    def __init__(self, stream: RolloutStream, saved: dict[str, Any] | None) -> None:
        self.identities: set[tuple[int, int, int]] = set()
        self.begun: set[bytes] = set() if saved is None else set(saved["begun"])
        self.filled: int = 0 if saved is None else saved["filled"]
        self._stream = stream
        self._before = stream.counts.as_dict()  # of the checkpoint; no request has ended
        self._kept: list[Any] = []
        self._steps = 0
        self._staleness: Counter[int] = Counter()

    def take(self) -> None:
        """Takes a fragment and checks it."""
        try:
            fragment = self._stream.take(60.0)
        except FragmentTimeoutError as error:
            print(f"nothing in 60 s: {error}", flush=True)
            return
        at = fragment.header
        identity = at.actor, at.incarnation, at.sequence
        assert identity not in self.identities, f"{identity} came twice"
        self.identities.add(identity)
        if at.sequence == 0:
            first = fragment.observations[0].tobytes()
            assert first not in self.begun, "two pools had the same seeds"
            self.begun.add(first)
        column = fragment.columns["stamps"]
        assert (column[..., 0] == column[0, 0, 0]).all(), "steps of two processes"
        first_step = at.sequence * LENGTH
        assert (column[..., 1] == (first_step + np.arange(LENGTH))[:, None]).all(), "not whole"
        assert (column[..., 2] == at.version).all(), "weights of two versions"
        self._steps += at.steps
        self._staleness[fragment.staleness] += 1
        self._check_counts()
        self._keep(fragment)

    def _check_counts(self) -> None:
        counts, before = self._stream.counts, self._before
        assert counts.requested == counts.ended + self._stream.outstanding, "counts do not add up"
        assert counts.delivered == before["delivered"] + len(self.identities)
        assert counts.steps == before["steps"] + self._steps
        assert counts.staleness == Counter(before["staleness"]) + self._staleness

    def _keep(self, fragment: Any) -> None:
        """Keeps fragments, until they exceed the object store's size."""
        if self._kept or len(self.identities) % KEEPS_EVERY == 0:
            self._kept.append(fragment)
        if sum(each.header.nbytes for each in self._kept) > 120 * MEBIBYTE:
            self._kept.clear()
            self.filled += 1


def main() -> None:
    """Takes fragments for some time, since the first start of this program."""
    parser = argparse.ArgumentParser(description="The learner of soak.py.")
    parser.add_argument("--seconds", type=float, required=True)
    parser.add_argument("--address", required=True)
    parser.add_argument("--checkpoint", type=Path, required=True)
    given = parser.parse_args()
    saved = load_checkpoint(given.checkpoint)
    began = time.monotonic() if saved is None else saved["began"]
    ray.init(address=given.address, log_to_driver=False, logging_level="error")
    spec = ActorSpec("CartPole-v1", ENVS, LENGTH, stamps(), columns=STAMPS)
    with (
        ActorGroup(spec, 3) as actors,
        RolloutStream(
            actors,
            weights={"value": np.float64(1 if saved is None else saved["stream"]["version"] + 1)},
            max_staleness=8,
            state=None if saved is None else saved["stream"],
        ) as stream,
    ):
        checks = Checks(stream, saved)
        while time.monotonic() - began < given.seconds:
            checks.take()
            stream.publish({"value": np.float64(stream.version + 1)})
            save(given.checkpoint, began, stream, checks)
    assert stream.counts.requested == stream.counts.ended
    save(given.checkpoint, began, stream, checks)
    print(f"object store filled {checks.filled} times, {len(checks.begun)} pools", flush=True)
    ray.shutdown()


def save(path: Path, began: float, stream: RolloutStream, checks: Checks) -> None:
    """Writes a checkpoint."""
    state = {"began": began, "begun": list(checks.begun), "filled": checks.filled}
    save_checkpoint(path, {**state, "stream": stream.state_dict()})


if __name__ == "__main__":
    main()
