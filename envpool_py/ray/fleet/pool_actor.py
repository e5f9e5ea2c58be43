"""An actor: a pool and a policy in one process, which write fragments in place."""

from __future__ import annotations

import os
import platform
import time
from typing import Any

from envpool_py.errors import InputError
from envpool_py.pool import core
from envpool_py.ray.fleet.layout import in_one_block, layout_of
from envpool_py.ray.fleet.messages import Header, Info, Payload
from envpool_py.ray.fleet.seeds import SeedKey, policy_seed, seeds_of
from envpool_py.ray.fleet.spec import ActorSpec, Policy, spaces_of
from envpool_py.rollout.rollout import Rollout

__all__ = ["PoolActor"]


class PoolActor:
    """Owns a pool and a copy of the policy, and fills fragments. Used by one thread at a time.

        actor = PoolActor()
        actor.prepare(spec, SeedKey(seed=0, resumes=0, actor=0, incarnation=0))
        header, payload = actor.fill(1, weights)

    The environments write into one block of memory, which `fill` returns. The next `fill` writes
    into the same block, so the transport must copy it before.
    """

    def prepare(
        self,
        spec: ActorSpec,
        seed_key: SeedKey,
        processors: list[int] | None = None,
        num_threads: int | None = None,
    ) -> Info:
        """Makes the pool and the policy.

        Args:
            spec: how to make the pool and the policy.
            seed_key: source of the seeds.
            processors: the processors to which this process is bound from now on, such as those of
                a NUMA node, if the system can bind it. None: the binding is unchanged.
            num_threads: number of threads of the pool, unless the spec's settings contain it.

        Raises:
            EnvPoolError: as `envpool_py.make`.
        """
        if processors is not None and hasattr(os, "sched_setaffinity"):
            # The pool derives its processors, and thus its NUMA node, from this affinity.
            os.sched_setaffinity(0, processors)
        self._seed_key = seed_key
        self._sequence = 0
        self._version = -1
        self._envs = _make(spec, seed_key, num_threads)

        def make(zeros: Any) -> Rollout:
            return Rollout(
                self._envs,
                spec.length,
                columns=spec.columns,
                framework=spec.framework,
                zeros=zeros,
            )

        self._rollout, self._block = in_one_block(make)
        self._layout = layout_of(self._rollout, self._block)
        self._policy = self._make_policy(spec)
        used: list[int] = core.system_info()["cpus"]
        return Info(self._layout, platform.node(), os.getpid(), used)

    def _make_policy(self, spec: ActorSpec) -> Policy:
        return spec.policy(spaces_of(self._envs, spec.num_envs, policy_seed(self._seed_key)))

    def _set_weights(self, version: int, weights: Any) -> None:
        self._policy.set_weights(weights)

    def _oldest_version(self) -> int:
        """Returns the version of the oldest weights that acted in the fragment."""
        return self._version

    def fill(self, version: int, weights: Any) -> tuple[Header, Payload]:
        """Fills a fragment.

        Args:
            version: version of the weights.
            weights: argument for the policy's `set_weights`. Not used if `version` is that of the
                latest call.

        Returns:
            The header, and the arrays, which the next call overwrites.

        Raises:
            Exception: any exception of the policy or of `Rollout.act`. If an environment failed,
                the next call resets the environments.
        """
        began = time.perf_counter()
        if version != self._version:
            self._set_weights(version, weights)
            self._version = version
        rollout = self._rollout
        for _ in rollout:
            actions, columns = self._policy.act(rollout.obs)
            rollout.act(actions, **columns)
        header = Header(
            actor=self._seed_key.actor,
            incarnation=self._seed_key.incarnation,
            sequence=self._sequence,
            version=self._oldest_version(),
            steps=int(rollout._host_valid.sum()),
            seconds=time.perf_counter() - began,
            nbytes=self._block.nbytes,
            episode_returns=rollout.episode_returns,
            episode_lengths=rollout.episode_lengths,
        )
        self._sequence += 1
        final = rollout._final
        if not final.count:
            return header, Payload(self._block)
        return header, Payload(self._block, final.rows, final.steps)

    def close(self) -> None:
        """Closes the pool."""
        self._envs.close()


def _make(spec: ActorSpec, seed_key: SeedKey, num_threads: int | None) -> Any:
    defaults: dict[str, Any] = {"record_episode_statistics": True}
    if num_threads is not None:
        defaults["num_threads"] = num_threads
    try:
        return spec.make(spec.num_envs, seeds_of(seed_key, spec.num_envs), **defaults)
    except InputError as error:
        if not str(error).startswith("seed"):
            raise
        # Some tasks accept only seeds of 32 bits, like their reference implementations.
        return spec.make(spec.num_envs, seeds_of(seed_key, spec.num_envs, bits=32), **defaults)
