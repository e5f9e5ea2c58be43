"""A learner that writes a checkpoint after each update: python learner.py ADDRESS FILE UPDATES.

It ends at that update, or when each actor has filled a fragment, whichever is later. Each line of
its output is a JSON object. ADDRESS "local" starts a new Ray instance.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any

import numpy as np
import ray

from envpool_py.ray import ActorGroup, ActorSpec, RolloutStream, load_checkpoint, save_checkpoint


class Constant:
    """A policy that always takes action 0."""

    def __init__(self, spaces: Any) -> None:
        pass

    def set_weights(self, weights: Any) -> None:
        """Checks that the weights come from the learner."""
        assert weights["updates"] >= 0

    def act(self, observations: Any) -> Any:
        """Returns action 0 for each row."""
        return np.zeros(len(observations), np.int64), {}


def main() -> None:
    """Counts updates and steps, and checks the counts; it learns nothing."""
    address, path, last = sys.argv[1], sys.argv[2], int(sys.argv[3])
    if address == "local":
        ray.init("local", num_cpus=2, object_store_memory=80 * 2**20, include_dashboard=False)
    else:
        ray.init(address=address)
    saved = load_checkpoint(path)
    updates, steps = (0, 0) if saved is None else (saved["updates"], saved["steps"])
    state = None if saved is None else saved["stream"]
    spec = ActorSpec("CartPole-v1", 2, 8, Constant, columns={})
    with (
        ActorGroup(spec, 2, seed=4) as actors,
        RolloutStream(actors, weights={"updates": updates}, state=state) as stream,
    ):
        begun = set()
        for fragment in stream:
            begun.add(fragment.header.actor)
            updates += 1
            steps += fragment.header.steps
            stream.publish({"updates": updates})
            saved = {"updates": updates, "steps": steps, "stream": stream.state_dict()}
            save_checkpoint(path, saved)
            counts = stream.counts
            assert counts.steps == steps
            assert counts.delivered == updates
            assert counts.requested == counts.ended + stream.outstanding
            pids = [state.info.pid for state in stream._requests.actors if state.info is not None]
            first = fragment.observations[0].tolist() if fragment.header.sequence == 0 else None
            line = {"pid": os.getpid(), "actors": pids, "updates": updates, "first": first}
            print(json.dumps({**line, "resumes": saved["stream"]["resumes"]}), flush=True)
            if updates >= last and len(begun) == 2:
                return  # skips ray.shutdown()


if __name__ == "__main__":
    main()
