"""The process of an actor."""

from __future__ import annotations

import dataclasses
from typing import Any

from envpool_py.fleet.messages import Header, Info, Payload
from envpool_py.fleet.pool_actor import PoolActor
from envpool_py.fleet.seeds import Entropy
from envpool_py.fleet.spec import ActorSpec, Policy
from envpool_py.ray.framework import ray
from envpool_py.ray.inference import RemotePolicy


class RayPoolActor:
    """What Ray runs: a `PoolActor` that takes its weights by reference.

    Ray copies what a call returns to its object store before it makes the next call, so one block
    of memory is enough.
    """

    def prepare(
        self,
        spec: ActorSpec,
        entropy: Entropy,
        processors: list[int] | None,
        num_threads: int,
        server: Any,
    ) -> Info:
        """Makes the pool and the policy; see `PoolActor.prepare`.

        Args:
            spec: how.
            entropy: what the seeds are derived from.
            processors: those of this actor, or None.
            num_threads: of the pool.
            server: the actor of central inference, or None.
        """
        self._actor = _WithServer(server) if server is not None else _WithWeights()
        info = self._actor.prepare(spec, entropy, processors, num_threads)
        return dataclasses.replace(info, machine=ray.get_runtime_context().get_node_id())

    def fill(self, version: int, weights: list[Any]) -> tuple[Header, Payload]:
        """Fills a fragment; see `PoolActor.fill`.

        Header and arrays are two objects of Ray: the arrays of a fragment that is dropped are never
        moved.

        Args:
            version: of the weights.
            weights: their reference, in a list, so that only an actor that needs them fetches them.
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
