"""IMPALA on a Ray cluster: actors on any machines, one learner, V-trace.

    python examples/learners/ray_impala.py --actors 2
    python examples/learners/ray_impala.py --actors 4 --inference central
    python examples/learners/ray_impala.py --task Pong-v5 --actors 16 --address auto
    python examples/learners/ray_impala.py --checkpoint impala.ckpt  # again: goes on after a crash

Each actor has a pool and a copy of the network, and fills fragments. The learner makes an update
with each fragment, in order of arrival, and publishes its weights. `envpool-py fleet` shows the
actors while the program runs.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Mapping
from typing import Any

import ray
import torch
from ray import cloudpickle

import torch_impala
from envpool_py.ray import (
    ActorGroup,
    ActorSpec,
    RolloutStream,
    Spaces,
    load_checkpoint,
    save_checkpoint,
)
from learning import Run
from torch_impala import SETTINGS, ActorCritic, Learner, Settings

_CHECKPOINT_S = 10.0


class Acting:
    """The policy in an actor."""

    def __init__(self, spaces: Spaces, width: int, *, bfloat16: bool) -> None:
        torch.set_num_threads(1)
        torch.manual_seed(spaces.seed)
        self._model = ActorCritic(spaces, width, bfloat16=bfloat16).requires_grad_(False)

    def set_weights(self, weights: Mapping[str, Any]) -> None:
        """Copies the learner's weights."""
        with torch.no_grad():
            for name, parameter in self._model.named_parameters():
                parameter.copy_(torch.tensor(weights[name]))

    def act(self, observations: torch.Tensor) -> tuple[torch.Tensor, dict[str, torch.Tensor]]:
        """Samples actions."""
        chosen, _ = self._model(observations)
        actions = chosen.sample()
        return actions, {"log_probs": chosen.log_prob(actions)}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of this program."""
    parser.add_argument("--actors", type=int, default=2)
    parser.add_argument("--in-flight", type=int, default=1, help="fragments of an actor")
    parser.add_argument("--inference", choices=("local", "central"), default="local")
    parser.add_argument("--placement", choices=("spread", "pack", "numa"), default="spread")
    parser.add_argument("--synchronous", action="store_true")
    parser.add_argument("--address", help='of a Ray cluster, or "auto"; starts one otherwise')
    parser.add_argument("--checkpoint", help="file to go on from, written every 10 seconds")
    parser.add_argument("--metrics-port", type=int, help="for envpool-py fleet")
    torch_impala.add_arguments(parser)


def make_group(run: Run, settings: Settings) -> ActorGroup:
    """Connects to Ray, and reserves the actors' processors."""
    given = run.arguments
    if given.address is None:
        cpus = max(given.actors, os.cpu_count() or 1)
        ray.init("local", num_cpus=cpus, include_dashboard=False, log_to_driver=False)
    else:
        ray.init(given.address, log_to_driver=False)
    width, bfloat16 = settings.width, given.bfloat16
    cloudpickle.register_pickle_by_value(torch_impala)  # the actors' machines do not have the file
    spec = ActorSpec(
        run.task,
        settings.batch_size,
        settings.length,
        policy=lambda spaces: Acting(spaces, width, bfloat16=bfloat16),
        framework="torch",
    )
    actors = None if given.placement == "numa" else given.actors
    return ActorGroup(
        spec, actors, seed=run.seed, placement=given.placement, inference=given.inference
    )


def main() -> None:
    """Trains."""
    tasks = {task: settings.steps for task, settings in SETTINGS.items()}
    run = Run("ray_impala", tasks, ("envpool_py",), add_arguments)
    settings = SETTINGS[run.task]
    torch.set_num_threads(run.arguments.threads)
    torch.manual_seed(run.seed)
    path = run.arguments.checkpoint
    saved = None if path is None else load_checkpoint(path)
    with make_group(run, settings) as actors:
        bfloat16 = run.arguments.bfloat16
        model = ActorCritic(actors.spec.spaces(), settings.width, bfloat16=bfloat16)
        learner = Learner(model, settings)
        if saved is not None:
            model.load_state_dict(saved["model"])
            learner.optimizer.load_state_dict(saved["optimizer"])
            run.set_state(saved["run"])
        with RolloutStream(
            actors,
            weights=model.state_dict(),
            in_flight=run.arguments.in_flight,
            synchronous=run.arguments.synchronous,
            framework="torch",
            state=None if saved is None else saved["stream"],
        ) as stream:
            if run.arguments.metrics_port is not None:
                print(f"envpool-py fleet {stream.serve_metrics(run.arguments.metrics_port)}")
            train(run, learner, stream, path)
        counts = stream.counts
        run.finish(
            counts.steps,
            settings.batch_size * actors.num_actors,
            actors=actors.num_actors,
            inference=run.arguments.inference,
            threads=run.arguments.threads,
            bfloat16=bfloat16,
            fragments=counts.as_dict(),
        )
    ray.shutdown()


def train(run: Run, learner: Learner, stream: RolloutStream, path: str | None) -> None:
    """Learns until the run has made all its steps."""
    written = time.monotonic()
    for fragment in stream:
        steps = stream.counts.steps
        learner.learn(fragment, fragment.flat(), max(1 - steps / run.steps, 0))
        stream.publish(learner.model.state_dict())
        run.episodes_ended(steps, fragment.episode_returns)
        done = steps >= run.steps
        if path is not None and (done or time.monotonic() - written > _CHECKPOINT_S):
            written = time.monotonic()
            state = {
                "model": learner.model.state_dict(),
                "optimizer": learner.optimizer.state_dict(),
                "stream": stream.state_dict(),
                "run": run.get_state(),
            }
            save_checkpoint(path, state)
        if done:
            return


if __name__ == "__main__":
    main()
