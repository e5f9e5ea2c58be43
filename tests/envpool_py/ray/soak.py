"""A long run with faults. Not a test; prints faults and counts.

    python soak.py SECONDS    # soak_learner.py, which checks every fragment
    python soak.py --every 15 --training examples/learners/ray_impala.py --json FILE

Runs a learner on a cluster of two simulated machines. At random, it kills an actor, removes a
machine and adds another one, stops the learner for two seconds, or kills the learner and starts it
again, which then continues from its checkpoint. The interval between faults must be longer than an
actor needs to start (an actor that imports PyTorch needs several seconds), or the actor is given up
after a number of deaths in a row.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from processes import with_variable
from ray.cluster_utils import Cluster

from envpool_py.ray.fleet import load_checkpoint

MEBIBYTE = 2**20
TOKEN = "ENVPOOL_RAY_SOAK"  # a variable of all processes of the run
# The learner is killed most rarely, because starting it takes long.
FAULTS = ("actor killed", "machine removed", "learner stopped") * 3 + ("learner killed",)


def checkpointed(path: Path) -> dict[str, Any]:
    """Returns the counts in the learner's checkpoint; no counts if there is none."""
    state = load_checkpoint(path)
    counts: dict[str, Any] = {} if state is None else state["stream"]["counts"]
    return counts


class Soak:
    """The cluster, the learner, and the faults."""

    def __init__(self, command: list[str], checkpoint: Path, every: float) -> None:
        self.faults: Counter[str] = Counter()
        self._every = every
        self._random = random.Random(0)
        self._checkpoint = checkpoint
        os.environ[TOKEN] = str(os.getpid())
        self.cluster = Cluster(
            initialize_head=True,
            head_node_args={
                "num_cpus": 2,
                "object_store_memory": 100 * MEBIBYTE,
                "include_dashboard": False,
                # The head must not be taken for dead if the machine is busy.
                "_system_config": {
                    "health_check_period_ms": 500,
                    "health_check_failure_threshold": 10,
                },
            },
        )
        self._machine: Any = self.cluster.add_node(num_cpus=2, object_store_memory=80 * MEBIBYTE)
        self._command = [
            *(sys.executable, *command),
            *("--address", self.cluster.address, "--checkpoint", str(checkpoint)),
        ]
        self._learner = subprocess.Popen(self._command)
        self._started_with = checkpointed(checkpoint)

    def run(self) -> None:
        """Injects faults until the learner has ended by itself.

        Raises:
            RuntimeError: the learner failed.
        """
        while True:
            with contextlib.suppress(subprocess.TimeoutExpired):
                code = self._learner.wait(self._every)
                if code != 0:
                    raise RuntimeError(f"learner: expected exit code 0, got {code}")
                return
            self._inject(self._random.choice(FAULTS))

    def _inject(self, fault: str) -> None:
        if fault == "actor killed":
            found = with_variable(TOKEN, str(os.getpid()))
            actors = [pid for pid, line in found.items() if line.startswith("ray::RayPoolActor")]
            if not actors:
                return  # they are starting
            with contextlib.suppress(ProcessLookupError):
                os.kill(self._random.choice(actors), signal.SIGKILL)
        elif fault == "machine removed":
            self.cluster.remove_node(self._machine, allow_graceful=False)
            self._machine = self.cluster.add_node(num_cpus=2, object_store_memory=80 * MEBIBYTE)
        elif fault == "learner stopped":
            self._learner.send_signal(signal.SIGSTOP)
            time.sleep(2.0)
            self._learner.send_signal(signal.SIGCONT)
        elif checkpointed(self._checkpoint) == self._started_with:
            return  # the learner has made no progress since it was started
        else:
            self._learner.kill()
            self._learner.wait()
            self._started_with = checkpointed(self._checkpoint)
            self._learner = subprocess.Popen(self._command)
        self.faults[fault] += 1
        print(f"{time.monotonic():9.1f} s  {fault}", flush=True)

    def close(self) -> None:
        """Ends the cluster."""
        if self._learner.poll() is None:
            self._learner.kill()
            self._learner.wait()
        self.cluster.shutdown()


def main() -> None:
    """Runs the learner and injects faults."""
    parser = argparse.ArgumentParser(description="A long run with faults.")
    parser.add_argument("seconds", type=float, nargs="?", default=600.0)
    parser.add_argument("--every", type=float, default=4.0, help="seconds between faults")
    parser.add_argument("--training", nargs=argparse.REMAINDER, help="program and its arguments")
    given = parser.parse_args()
    learner = str(Path(__file__).with_name("soak_learner.py"))
    command = given.training or [learner, "--seconds", str(given.seconds)]
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as directory:
        checkpoint = Path(directory) / "checkpoint"
        soak = Soak(command, checkpoint, given.every)
        try:
            soak.run()
        finally:
            soak.close()
        state = load_checkpoint(checkpoint)
    assert state is not None
    counts, seconds = state["stream"]["counts"], round(time.monotonic() - began)
    record = {"seconds": seconds, "faults": soak.faults, "counts": counts}
    print(json.dumps({**record, "resumes": state["stream"]["resumes"]}))


if __name__ == "__main__":
    main()
