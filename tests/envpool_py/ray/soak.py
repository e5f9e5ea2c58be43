"""A long run with faults: python soak.py SECONDS. Not a test; prints faults and counts.

Every few seconds it kills an actor, replaces a machine, delays the learner, or lets the learner
keep more fragments than the object store can hold. It checks every fragment: each is complete and
appears once, and the counts add up.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import signal
import sys
import time
from collections import Counter
from typing import Any

import numpy as np
import ray
from policies import STAMPS, stamps
from ray.cluster_utils import Cluster

from envpool_py.errors import FragmentTimeoutError
from envpool_py.ray import ActorGroup, ActorSpec, RolloutStream

MEBIBYTE = 2**20
LENGTH, ENVS = 128, 32
FAULTS = ("actor killed", "machine removed", "slow learner", "object store full")
EVERY_S = 4.0


class Soak:
    """The learner, and the faults injected into its run."""

    def __init__(self, cluster: Cluster, stream: RolloutStream) -> None:
        self.faults: Counter[str] = Counter()
        self.seen: set[tuple[int, int, int]] = set()
        self._cluster = cluster
        self._machine: Any = None
        self._stream = stream
        self._random = random.Random(0)
        self._kept: list[Any] = []

    def take(self) -> None:
        """Takes a fragment and checks it."""
        try:
            fragment = self._stream.take(60.0)
        except FragmentTimeoutError as error:
            print(f"nothing in 60 s: {error}", flush=True)
            return
        at = fragment.header
        identity = at.actor, at.incarnation, at.sequence
        assert identity not in self.seen, f"{identity} came twice"
        self.seen.add(identity)
        column = fragment.columns["stamps"]
        assert (column[..., 0] == column[0, 0, 0]).all(), "steps of two processes"
        first = at.sequence * LENGTH
        assert (column[..., 1] == (first + np.arange(LENGTH))[:, None]).all(), "not whole"
        assert (column[..., 2] == at.version).all(), "weights of two versions"
        counts = self._stream.counts
        assert counts.requested == counts.ended + self._stream.outstanding, "counts do not add up"
        assert counts.delivered == len(self.seen)
        self._stream.publish({"value": np.float64(self._stream.version + 1)})
        if self._kept:
            self._kept.append(fragment)
            if sum(each.header.nbytes for each in self._kept) > 120 * MEBIBYTE:
                self._kept.clear()

    def misfortune(self) -> None:
        """Injects a random fault."""
        fault = self._random.choice(FAULTS)
        self.faults[fault] += 1
        if fault == "actor killed":
            infos = [state.info for state in self._stream._requests.actors]
            running = [info.pid for info in infos if info is not None]
            with contextlib.suppress(ProcessLookupError, IndexError):  # gone with its machine
                os.kill(self._random.choice(running), signal.SIGKILL)
        elif fault == "machine removed":
            if self._machine is not None:
                self._cluster.remove_node(self._machine, allow_graceful=False)
            self._machine = self._cluster.add_node(num_cpus=2, object_store_memory=80 * MEBIBYTE)
        elif fault == "slow learner":
            time.sleep(2.0)
        else:
            self._kept = [self._stream.take(60.0)]
            at = self._kept[0].header
            self.seen.add((at.actor, at.incarnation, at.sequence))


def main() -> None:
    """Runs the learner and injects faults for the given time."""
    seconds = float(sys.argv[1])
    head = {
        "num_cpus": 2,
        "object_store_memory": 100 * MEBIBYTE,
        "include_dashboard": False,
        "_system_config": {"health_check_period_ms": 500, "health_check_failure_threshold": 3},
    }
    cluster = Cluster(initialize_head=True, head_node_args=head)
    ray.init(address=cluster.address, log_to_driver=False, logging_level="error")
    cluster.add_node(num_cpus=2, object_store_memory=80 * MEBIBYTE)
    spec = ActorSpec("CartPole-v1", ENVS, LENGTH, stamps(), columns=STAMPS)
    with (
        ActorGroup(spec, 3) as actors,
        RolloutStream(actors, weights={"value": np.float64(1)}, max_staleness=8) as stream,
    ):
        soak = Soak(cluster, stream)
        began = following = time.monotonic()
        while time.monotonic() - began < seconds:
            soak.take()
            if time.monotonic() > following:
                soak.misfortune()
                following = time.monotonic() + EVERY_S
        counts = stream.counts.as_dict()
    after = stream.counts
    assert after.requested == after.ended
    print(json.dumps({"seconds": seconds, "faults": soak.faults, "counts": counts}))
    ray.shutdown()
    cluster.shutdown()


if __name__ == "__main__":
    main()
