"""Central inference: one actor has the policy, and pools send it their observations (SEED RL)."""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import Mapping
from typing import Any

import numpy as np

from envpool_py.fleet.spec import ActorSpec
from envpool_py.ray.framework import ray
from envpool_py.rollout.frameworks import framework_of
from envpool_py.rollout.trees import Tree, leaves, map_leaves

Answer = tuple[int, Tree, dict[str, Any]]
"""Version of the weights, actions, and the policy's columns by name."""


class InferenceServer:
    """The actor of central inference, as its group sees it.

    Attributes:
        handle: of the actor.
    """

    def __init__(self, spec: ActorSpec, num_actors: int, gpus: float) -> None:
        """Starts it.

        Args:
            spec: has the policy.
            num_actors: that may ask at the same time.
            gpus: that Ray reserves for it.
        """
        # Answers depend on nothing but the weights, so Ray may restart it and ask it again.
        self.handle = (
            ray.remote(Server)
            .options(
                num_cpus=0,
                num_gpus=gpus,
                max_restarts=-1,
                max_task_retries=-1,
                max_concurrency=2 * num_actors + 8,
            )
            .remote(spec, num_actors)
        )

    def close(self) -> None:
        """Ends it."""
        ray.kill(self.handle)


class Server:
    """Answers observations, in batches of all that have come while the last one was answered."""

    def __init__(self, spec: ActorSpec, num_actors: int) -> None:
        """Makes the policy; it has no weights yet."""
        spaces = spec.spaces()
        rows = num_actors * spec.num_envs
        self._policy = spec.policy(dataclasses.replace(spaces, num_envs=rows))
        self._framework = framework_of(spec.framework)
        self._version = -1
        self._offered: tuple[int, Any] | None = None
        self._waiting: list[tuple[Tree, asyncio.Future[Answer]]] = []
        self._serving: asyncio.Task[None] | None = None

    async def offer(self, version: int, weights: list[Any]) -> None:
        """Takes weights, if they are newer.

        Args:
            version: theirs.
            weights: their reference, in a list.
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
        """Answers observations.

        Args:
            version: of the newest weights that the caller knows.
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
        """Answers until nobody waits. Requests that come meanwhile make the next batch."""
        while self._waiting:
            waiting, self._waiting = self._waiting, []
            try:
                answers = await asyncio.to_thread(self._answer, [each for each, _ in waiting])
            except Exception as error:  # of the policy: every caller gets it
                for _, future in waiting:
                    future.set_exception(error)
            else:
                for (_, future), answer in zip(waiting, answers, strict=True):
                    future.set_result(answer)
        self._serving = None

    def _answer(self, observations: list[Tree]) -> list[Answer]:
        if self._offered is not None:
            (version, weights), self._offered = self._offered, None
            self._policy.set_weights(weights)
            self._version = version
        sizes = [len(next(leaves(tree))[1]) for tree in observations]
        together = map_leaves(_concatenated, *observations)
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
    """The policy of an actor that has none: asks the actor of central inference."""

    def __init__(self, server: Any) -> None:
        """Takes the server's handle."""
        self._server = server
        self._version = -1
        self._weights: list[Any] = []
        self._oldest: int | None = None

    def set_weights(self, weights: Any) -> None:
        """Not used: weights are offered to the server, by reference."""

    def offer(self, version: int, weights: list[Any]) -> None:
        """Remembers the newest weights, and demands that answers are not of older ones.

        Args:
            version: theirs.
            weights: their reference, in a list.
        """
        self._version = version
        self._weights = weights

    def act(self, observations: Tree) -> tuple[Tree, Mapping[str, Any]]:
        """Returns what the policy answers to observations."""
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
        """Returns the version of the oldest weights since the last call."""
        oldest, self._oldest = self._oldest, None
        return self._version if oldest is None else oldest


def _concatenated(*parts: Any) -> Any:
    # A copy also of a single part, as those that come from Ray are read-only.
    return np.concatenate(parts)


def _rows(tree: Tree, rows: slice) -> Tree:
    return map_leaves(lambda leaf: np.asarray(leaf)[rows], tree)
