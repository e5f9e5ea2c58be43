"""Fleets on Ray, beside Ray alone and beside one pool in this process.

    python -m benchmarks.fleet [--rounds 3] [--seconds 2] [--json FILE]

Measures how many fragments a second a stream moves and how many Ray moves without it, weights to
all actors, Pong with two actors and with one pool in this process, local and central inference, and
the measurements from which `envpool_py.ray.fleet.sizing` predicts other fleets. Rounds alternate
between what is compared.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import platform
import statistics
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import ray

import envpool_py
from benchmarks import records
from envpool_py.ray import ActorGroup, ActorSpec, RolloutStream
from envpool_py.ray.fleet.messages import Header, Payload
from envpool_py.ray.fleet.sizing import Measurements, predict
from envpool_py.ray.pool_actor import RayPoolActor
from envpool_py.rollout import Rollout

STORE = 1_200 * 2**20
ACTORS = 2
# Item "fragments" moves 32 steps of 128 environments with pictures of 84 x 84 bytes.
MOVED = {"num_envs": 128, "length": 32}
PONG = {"num_envs": 64, "length": 32}
WEIGHTS = 100_000_000  # bytes
PARTS = ("fragments", "weights", "steps", "inference", "sizing")
SIZES = (10, 30, 100, 300, 1_000)
MACHINE = {"actors_per_machine": 16, "network_bytes_per_s": 1.25e9, "round_trip_s": 5e-4}


class Still(RayPoolActor):
    """An actor that always returns the same fragment, to measure only the transport."""

    _given: tuple[Header, Payload] | None = None

    def fill(self, version: int, weights: list[Any]) -> tuple[Header, Payload]:
        """Fills the first fragment only."""
        if self._given is None:
            self._given = super().fill(version, weights)
        else:
            header, payload = self._given
            changed: Any = {"sequence": header.sequence + 1, "version": version}
            self._given = dataclasses.replace(header, **changed), payload
        return self._given


class Plain:
    """An actor of a program without this package, which returns arrays."""

    def __init__(self, sizes: list[int]) -> None:
        random = np.random.default_rng(0)
        self._arrays = {
            str(at): random.integers(0, 256, size, np.uint8) for at, size in enumerate(sizes)
        }

    def fill(self) -> dict[str, Any]:
        """Returns the arrays."""
        return self._arrays


class Constant:
    """A policy with actions made beforehand, which reads the weights so that they are fetched."""

    def __init__(self, spaces: Any) -> None:
        random = np.random.default_rng(0)
        self._actions = random.integers(spaces.single_action_space.n, size=spaces.num_envs)

    def set_weights(self, weights: Any) -> None:
        """Reads a part of the weights."""
        if isinstance(weights, Mapping):
            weights["weights"][:: 2**20].sum()

    def act(self, observations: Any) -> tuple[Any, dict[str, Any]]:
        """Returns the same actions again."""
        return self._actions[: len(observations)], {}


def network(spaces: Any) -> Any:
    """A small convolutional policy, on one thread of PyTorch."""
    import torch
    from torch import nn

    class Network:
        def __init__(self) -> None:
            torch.set_num_threads(1)
            self._layers = nn.Sequential(
                nn.Conv2d(4, 16, 8, stride=4),
                nn.ReLU(),
                nn.Conv2d(16, 32, 4, stride=2),
                nn.ReLU(),
                nn.Flatten(),
                nn.Linear(32 * 9 * 9, 256),
                nn.ReLU(),
                nn.Linear(256, int(spaces.single_action_space.n)),
            ).requires_grad_(False)

        def set_weights(self, weights: Any) -> None:
            pass

        def act(self, observations: Any) -> Any:
            logits = self._layers(observations / 255.0)
            return torch.distributions.Categorical(logits=logits).sample(), {}

    return Network()


def pong(policy: Any = Constant, **given: Any) -> ActorSpec:
    """The specification of actors for Pong."""
    arguments: dict[str, Any] = {"columns": {}, **PONG, **given}
    return ActorSpec("Pong-v5", policy=policy, **arguments)


class StillGroup(ActorGroup):
    """Actors that do not step."""

    actor_class = Still


def rate_of(take: Callable[[], int], seconds: float) -> float:
    """Returns the sum of the results of `take` per second."""
    total, began = 0, time.perf_counter()
    while time.perf_counter() - began < seconds:
        total += take()
    return total / (time.perf_counter() - began)


class Bare:
    """The loop of a program without this package: takes fragments in order of arrival.

    Each actor has two requests in flight.
    """

    def __init__(self, sizes: list[int]) -> None:
        made = ray.remote(Plain)
        self._actors = [made.options(num_cpus=1).remote(sizes) for _ in range(ACTORS)]
        self._asked = {actor.fill.remote(): actor for actor in self._actors * 2}

    def take(self) -> int:
        """Receives one fragment."""
        (ready,), _ = ray.wait(list(self._asked), num_returns=1)
        actor = self._asked.pop(ready)
        arrays = ray.get(ready)
        del arrays, ready
        self._asked[actor.fill.remote()] = actor
        return 1

    def close(self) -> None:
        """Ends the actors."""
        for actor in self._actors:
            ray.kill(actor)


def alternate(
    loops: Mapping[str, Callable[[], int]], rounds: int, seconds: float
) -> dict[str, float]:
    """Returns medians of the rates in alternating rounds, the first of which is dropped."""
    rates: dict[str, list[float]] = {name: [] for name in loops}
    for _ in range(rounds + 1):
        for name, take in loops.items():
            rates[name].append(rate_of(take, seconds))
    return {name: round(statistics.median(each[1:]), 2) for name, each in rates.items()}


def fragments(rounds: int, seconds: float) -> dict[str, Any]:
    """Fragments per second of a stream and of Ray alone, with one array and with ten."""
    size = MOVED["num_envs"] * (MOVED["length"] + 1) * 84 * 84
    bare, ten = Bare([size]), Bare([size // 10] * 10)
    settings = {"stack_num": 1, "num_threads": 1}
    group = StillGroup(pong(settings=settings, **MOVED), ACTORS)
    with group, RolloutStream(group, weights=None) as stream:
        nbytes = stream.take().header.nbytes
        loops = {
            "Ray alone": bare.take,
            "stream": lambda: bool(stream.take()),
            "Ray alone, ten arrays": ten.take,
        }
        rates = alternate(loops, rounds, seconds)
    bare.close()
    ten.close()
    ratio = round(rates["stream"] / rates["Ray alone"], 3)
    return {"nbytes": nbytes, "fragments_per_s": rates, "stream to Ray alone": ratio}


def weights(rounds: int) -> dict[str, Any]:
    """Milliseconds until 100 MB of weights are in Ray's store, and until both actors use them."""
    array = {"weights": np.random.default_rng(0).random(WEIGHTS // 4, np.float32)}
    group = ActorGroup(ActorSpec("CartPole-v1", 1, 1, Constant, columns={}), ACTORS)
    put, all_have = [], []
    with group, RolloutStream(group, weights=array, synchronous=True) as stream:
        batches = stream.batches(ACTORS)
        for _ in range(rounds + 2):
            next(batches)
            began = time.perf_counter()
            stream.publish(array)
            put.append(time.perf_counter() - began)
            next(batches)
            all_have.append(time.perf_counter() - began)
    milliseconds = {"published": put[2:], "used by all": all_have[2:]}
    return {
        "nbytes": WEIGHTS,
        "ms": {name: round(statistics.median(s) * 1e3, 1) for name, s in milliseconds.items()},
    }


def steps(rounds: int, seconds: float) -> dict[str, Any]:
    """Steps of Pong per second: two actors with one thread each, and one pool with two threads."""
    num_envs, length = PONG["num_envs"] * ACTORS, PONG["length"]
    envs = envpool_py.make(
        "Pong-v5", num_envs=num_envs, num_threads=ACTORS, record_episode_statistics=True
    )
    rollout = Rollout(envs, length, columns={})
    actions = np.random.default_rng(0).integers(6, size=num_envs)

    def here() -> int:
        for _ in rollout:
            rollout.act(actions)
        return int(rollout.valid.sum())

    rates: dict[str, list[float]] = {"one pool": [], "two actors": []}
    # The actors run even if no fragment is taken, so each round starts new ones.
    for _ in range(rounds):
        here()
        rates["one pool"].append(rate_of(here, seconds))
        rates["two actors"].append(rate_of_actors(pong(), seconds))
    envs.close()
    medians = {name: round(statistics.median(each)) for name, each in rates.items()}
    return {
        "steps_per_s": medians,
        "ratio": round(medians["two actors"] / medians["one pool"], 3),
    }


def rate_of_actors(spec: ActorSpec, seconds: float, actors: int = ACTORS, **given: Any) -> float:
    """Returns the steps per second of a stream whose learner does nothing."""
    with ActorGroup(spec, actors, **given) as group, RolloutStream(group) as stream:
        for _ in range(3 * actors):
            stream.take()
        return rate_of(lambda: stream.take().header.steps, seconds)


def inference(rounds: int, seconds: float) -> dict[str, Any]:
    """Steps of Pong per second with a network in each actor, and with one network for all."""
    spec = pong(network, framework="torch", num_envs=32, length=20)
    rates: dict[str, list[float]] = {"local": [], "central": []}
    for _ in range(rounds):
        for name, each in rates.items():
            each.append(rate_of_actors(spec, seconds, inference=name))
    return {"steps_per_s": {name: round(statistics.median(each)) for name, each in rates.items()}}


def sizing(seconds: float) -> dict[str, Any]:
    """Measures Pong with a learner that imitates 4 ms of work; predicts other fleets from it."""
    learn_s = 4e-3

    def learn() -> None:
        time.sleep(learn_s)  # imitates learning on a GPU

    def measured(actors: int) -> dict[str, float]:
        with ActorGroup(pong(), actors) as group, RolloutStream(group) as stream:
            fills, taken = [], []

            def take() -> int:
                began = time.perf_counter()
                fragment = stream.take()
                taken.append(time.perf_counter() - began)
                fills.append(fragment.header.seconds)
                learn()
                return fragment.header.steps

            for _ in range(3 * actors):
                take()
            rate = rate_of(take, seconds)
        nbytes = stream.counts.nbytes / stream.counts.delivered
        return {"steps_per_s": rate, "fill_s": statistics.median(fills), "nbytes": nbytes}

    one, two = measured(1), measured(ACTORS)
    steps_of = PONG["num_envs"] * PONG["length"]
    base = Measurements(
        steps_of,
        one["fill_s"],
        learn_s,
        int(one["nbytes"]),
        length=PONG["length"],
        observation_bytes=PONG["num_envs"] * 4 * 84 * 84,
        **MACHINE,  # type: ignore[arg-type]
    )
    checks = {
        str(actors): {
            "measured": round(given["steps_per_s"]),
            # Uses the time of a fragment in this run, because actors may share processors.
            "predicted": round(
                predict(dataclasses.replace(base, fill_s=given["fill_s"]), actors).steps_per_s
            ),
        }
        for actors, given in ((1, one), (ACTORS, two))
    }
    fleets = [
        {"inference": kind, **dataclasses.asdict(predict(base, size, inference=kind))}
        for kind in ("local", "central")
        for size in SIZES
    ]
    return {"measurements": dataclasses.asdict(base), "checks": checks, "fleets": fleets}


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--only", nargs="+", choices=PARTS, default=PARTS)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    ray.init(
        "local",
        num_cpus=2 * ACTORS + 2,
        object_store_memory=STORE,
        include_dashboard=False,
        logging_level="error",
        log_to_driver=False,
    )
    parts: dict[str, Callable[[], dict[str, Any]]] = {
        "fragments": lambda: fragments(given.rounds, given.seconds),
        "weights": lambda: weights(given.rounds),
        "steps": lambda: steps(given.rounds, given.seconds),
        "inference": lambda: inference(given.rounds, given.seconds),
        "sizing": lambda: sizing(given.seconds),
    }
    record: dict[str, Any] = {}
    for name, measure in parts.items():
        if name in given.only:
            record[name] = measure()
            print(name, json.dumps(record[name], indent=1), flush=True)
    ray.shutdown()
    if given.json is not None:
        record["versions"] = {"envpool_py": envpool_py.__version__, "ray": ray.__version__}
        record["machine"] = {"cores": os.cpu_count(), "load_at_end": round(os.getloadavg()[0], 1)}
        record["python"] = platform.python_version()
        records.write(given.json, record)


if __name__ == "__main__":
    main()
