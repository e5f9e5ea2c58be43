"""The process of an actor."""

from __future__ import annotations

import dataclasses
from typing import Any

from envpool_py.ray.fleet.messages import Header, Info, Payload
from envpool_py.ray.fleet.pool_actor import PoolActor
from envpool_py.ray.fleet.seeds import SeedKey
from envpool_py.ray.fleet.spec import ActorSpec, Policy
from envpool_py.ray.framework import ray
from envpool_py.ray.inference import RemotePolicy

__all__ = ["RayPoolActor"]


class RayPoolActor:
    """The actor class for Ray: a `PoolActor` that gets its weights by reference.

    Ray copies the result of a call to its object store before it makes the next call, so the actor
    can reuse one block of memory.
    """

    def prepare(
        self,
        spec: ActorSpec,
        seed_key: SeedKey,
        processors: list[int] | None,
        num_threads: int,
        server: Any,
    ) -> Info:
        """Makes the pool and the policy; see `PoolActor.prepare`.

        Args:
            spec: how to make the pool and the policy.
            seed_key: source of the seeds.
            processors: the processors to which this process is bound; None: it is not bound.
            num_threads: number of threads of the pool.
            server: handle of the actor of central inference; None: local inference.
        """
        self._actor = _WithServer(server) if server is not None else _WithWeights()
        info = self._actor.prepare(spec, seed_key, processors, num_threads)
        return dataclasses.replace(info, machine=ray.get_runtime_context().get_node_id())

    def fill(self, version: int, weights: list[Any]) -> tuple[Header, Payload]:
        """Fills a fragment; see `PoolActor.fill`.

        Header and arrays are two objects of Ray, so that the arrays of a dropped fragment are never
        moved.

        Args:
            version: version of the weights.
            weights: list with the reference of the weights. In a list, Ray does not fetch them
                unless the actor needs them.
        """
        return self._actor.fill(version, weights)


class _WithWeights(PoolActor):
    """Local inference."""

    def _set_weights(self, version: int, weights: list[Any]) -> None:
        super()._set_weights(version, ray.get(weights[0]))


class _WithServer(PoolActor):
    """Central inference."""

    def __init__(self, server: Any) -> None:
        self._remote = RemotePolicy(server)

    def _make_policy(self, spec: ActorSpec) -> Policy:
        return self._remote

    def _set_weights(self, version: int, weights: list[Any]) -> None:
        self._remote.offer(version, weights)

    def _oldest_version(self) -> int:
        return self._remote.take_oldest_version()
