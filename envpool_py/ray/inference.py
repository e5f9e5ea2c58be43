"""Central inference: one actor has the policy, and the others send observations (SEED RL)."""

from __future__ import annotations

import asyncio
import dataclasses
import secrets
from collections.abc import Mapping
from typing import Any

import numpy as np

from envpool_py.pool.trees import Tree, leaves, map_leaves, map_trees
from envpool_py.ray.fleet.seeds import SeedKey, policy_seed
from envpool_py.ray.fleet.spec import ActorSpec
from envpool_py.ray.framework import ray
from envpool_py.rollout.frameworks import framework_of

__all__ = ["InferenceServer", "RemotePolicy"]

Answer = tuple[int, Tree, dict[str, Any]]
"""Version of the weights, actions, and the policy's columns by name."""


class InferenceServer:
    """Starts and ends the actor of central inference.

    Attributes:
        handle: Ray's handle of the actor.
    """

    def __init__(self, spec: ActorSpec, num_actors: int, gpus: float, seed_key: SeedKey) -> None:
        """Starts the actor.

        Args:
            spec: specification of the actors, which contains the policy.
            num_actors: largest number of actors that send requests at the same time.
            gpus: GPUs that Ray reserves for the actor.
            seed_key: source of the policy's seed.
        """
        # Answers depend only on the weights, so Ray may restart the actor and repeat requests.
        self.handle = (
            ray.remote(Server)
            .options(
                num_cpus=0,
                num_gpus=gpus,
                max_restarts=-1,
                max_task_retries=-1,
                max_concurrency=2 * num_actors + 8,
            )
            .remote(spec, num_actors, seed_key)
        )

    def close(self) -> None:
        """Ends the actor."""
        ray.kill(self.handle)


class Server:
    """Computes actions, in batches of all requests that came during the previous batch."""

    def __init__(self, spec: ActorSpec, num_actors: int, seed_key: SeedKey) -> None:
        """Makes the policy, which has no weights yet."""
        if ray.get_runtime_context().was_current_actor_reconstructed:
            # Ray passes the same arguments again, and does not tell how often it has done so.
            seed_key = seed_key._replace(incarnation=secrets.randbits(64))
        seed = policy_seed(seed_key)
        spaces = spec.spaces()
        rows = num_actors * spec.num_envs
        self._policy = spec.policy(dataclasses.replace(spaces, num_envs=rows, seed=seed))
        self._framework = framework_of(spec.framework)
        self._version = -1
        self._offered: tuple[int, Any] | None = None
        self._waiting: list[tuple[Tree, asyncio.Future[Answer]]] = []
        self._serving: asyncio.Task[None] | None = None

    async def offer(self, version: int, weights: list[Any]) -> None:
        """Sets the weights for the next batch, if they are newer than the current ones.

        Args:
            version: version of the weights.
            weights: list with the reference of the weights.
        """
        if version <= self._newest:
            return
        fetched = await weights[0]
        if version > self._newest:
            self._offered = version, fetched

    @property
    def _newest(self) -> int:
        return self._version if self._offered is None else self._offered[0]

    async def act(self, version: int, observations: Tree) -> Answer | None:
        """Returns the policy's answer to observations.

        Args:
            version: version of the newest weights that the caller has.
            observations: arrays (n, ...).

        Returns:
            The answer; None if this actor lacks these weights, as after a restart.
        """
        if version > self._newest:
            return None
        future: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self._waiting.append((observations, future))
        if self._serving is None:
            self._serving = asyncio.create_task(self._serve())
        return await future

    async def _serve(self) -> None:
        """Answers until no request waits. Requests that come during a batch form the next one."""
        while True:
            # Without those that Ray has cancelled.
            waiting = [each for each in self._waiting if not each[1].done()]
            self._waiting = []
            if not waiting:
                break
            answers = await asyncio.to_thread(self._try_answer, [each for each, _ in waiting])
            for index, (_, future) in enumerate(waiting):
                if future.done():  # cancelled during the batch
                    continue
                if isinstance(answers, Exception):  # every caller gets an exception of the policy
                    future.set_exception(answers)
                else:
                    future.set_result(answers[index])
        self._serving = None

    def _try_answer(self, observations: list[Tree]) -> list[Answer] | Exception:
        """Returns the answers, or an exception of the policy."""
        try:
            return self._answer(observations)
        except StopIteration as error:  # which a future of asyncio cannot have
            stopped = RuntimeError("the policy raised StopIteration")
            stopped.__cause__ = error
            return stopped
        except Exception as error:
            return error

    def _answer(self, observations: list[Tree]) -> list[Answer]:
        if self._offered is not None:
            (version, weights), self._offered = self._offered, None
            self._policy.set_weights(weights)
            self._version = version
        sizes = [len(next(leaves(tree))[1]) for tree in observations]
        together = map_trees(_concatenated, *observations)
        actions, columns = self._policy.act(map_leaves(self._framework.shared, together))
        host = self._framework.host(actions)
        host_columns = {name: self._framework.host(each) for name, each in columns.items()}
        answers: list[Answer] = []
        begin = 0
        for size in sizes:
            rows = slice(begin, begin + size)
            own = {name: each[rows] for name, each in host_columns.items()}
            answers.append((self._version, _rows(host, rows), own))
            begin += size
        return answers


class RemotePolicy:
    """A policy that sends its observations to the actor of central inference."""

    def __init__(self, server: Any) -> None:
        """Keeps the handle of the `Server` actor."""
        self._server = server
        self._version = -1
        self._weights: list[Any] = []
        self._oldest: int | None = None

    def set_weights(self, weights: Any) -> None:
        """Does nothing: `offer` passes the weights to the server by reference."""

    def offer(self, version: int, weights: list[Any]) -> None:
        """Sets the newest weights. Later answers do not come from older weights.

        Args:
            version: version of the weights.
            weights: list with the reference of the weights.
        """
        self._version = version
        self._weights = weights

    def act(self, observations: Tree) -> tuple[Tree, Mapping[str, Any]]:
        """Returns the answer of the server's policy to observations."""
        host = map_leaves(np.asarray, observations)
        while True:
            answer = ray.get(self._server.act.remote(self._version, host))
            if answer is not None:
                break
            ray.get(self._server.offer.remote(self._version, self._weights))
        version, actions, columns = answer
        self._oldest = version if self._oldest is None else min(self._oldest, version)
        return actions, columns

    def take_oldest_version(self) -> int:
        """Returns the version of the oldest weights that have acted since the last call."""
        oldest, self._oldest = self._oldest, None
        return self._version if oldest is None else oldest


def _concatenated(*parts: Any) -> Any:
    # Copies even a single part, because arrays from Ray are read-only.
    return np.concatenate(parts)


def _rows(tree: Tree, rows: slice) -> Tree:
    return map_leaves(lambda leaf: np.asarray(leaf)[rows], tree)
