"""The actors of a fleet: their placement and their start."""

from __future__ import annotations

import time
from types import TracebackType
from typing import TYPE_CHECKING, Any

from envpool_py.errors import ClosedError, InputError, InputTypeError, ResourceError
from envpool_py.ray.fleet.seeds import SeedKey
from envpool_py.ray.fleet.spec import ActorSpec
from envpool_py.ray.framework import ray
from envpool_py.ray.inference import InferenceServer
from envpool_py.ray.placement import ActorResources, placement_of
from envpool_py.ray.pool_actor import RayPoolActor

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["ActorGroup"]


class ActorGroup:
    """Actors on a Ray cluster, each in a separate process. A `RolloutStream` starts them.

    Attributes:
        spec: specification of the actors.
        num_actors: number of actors.
        seed: seed of the fleet, from which the seeds of all pools are derived.
        least_resumes: the least `SeedKey.resumes` with which no stream has started pools.
        actor_class: class of the actors, which Ray runs in each process.
    """

    actor_class: type[RayPoolActor] = RayPoolActor

    def __init__(
        self,
        spec: ActorSpec,
        num_actors: int | None = None,
        *,
        seed: int = 0,
        cpus_per_actor: int = 1,
        placement: str = "spread",
        inference: str = "local",
        inference_gpus: float = 0,
        start_timeout: float = 60.0,
    ) -> None:
        """Reserves processors. Ray must be initialized (`ray.init`).

        Args:
            spec: specification of the actors.
            num_actors: number of actors, at least 1. None, with `placement="numa"`: one for each
                NUMA node of the cluster.
            seed: seed of the fleet, at least 0. Every pool that is started gets different seeds,
                including pools of replaced actors.
            cpus_per_actor: processors that Ray reserves for an actor, at least 1. Also the number
                of threads of its pool, unless `spec.settings` has `num_threads`. Not used with
                "numa".
            placement: "spread" (a placement group that spreads the actors over the machines, as
                evenly as their processors allow), "pack" (on as few machines as possible) or "numa"
                (one actor for each NUMA node of each machine, bound to its processors).
            inference: "local" (each actor has the policy) or "central" (one actor has the policy,
                and the other actors send it their observations).
            inference_gpus: GPUs that Ray reserves for the actor of central inference.
            start_timeout: seconds to wait until the cluster has the processors to reserve, and the
                GPUs.

        Raises:
            InputError, InputTypeError: an argument is not valid, or Ray is not initialized.
            ResourceError: the cluster does not have the processors or the GPUs.
        """
        if not isinstance(spec, ActorSpec):
            raise InputTypeError(f"spec: expected an ActorSpec, got {type(spec).__name__}")
        if inference not in ("local", "central"):
            raise InputError(f'inference: expected "local" or "central", got {inference!r}')
        if num_actors is not None and num_actors < 1:
            raise InputError(f"num_actors: expected at least 1, got {num_actors}")
        if cpus_per_actor < 1:
            raise InputError(f"cpus_per_actor: expected at least 1, got {cpus_per_actor}")
        if not ray.is_initialized():
            raise InputError("ActorGroup: Ray is not initialized; call ray.init() first")
        if inference == "central":
            _await_gpus(inference_gpus, start_timeout)
        self.spec = spec
        self.seed = seed
        self._placement = placement_of(placement, num_actors, cpus_per_actor, start_timeout)
        self.num_actors = self._placement.num_actors
        self._server: InferenceServer | None = None
        self._server_gpus = inference_gpus if inference == "central" else None
        self.least_resumes = 0
        self._has_stream = False
        self._closed = False

    def attach(self) -> None:
        """Assigns the actors to a stream.

        Raises:
            InputError: another stream uses them.
            ClosedError: the group is closed.
        """
        if self._closed:
            raise ClosedError("the group of actors is closed")
        if self._has_stream:
            raise InputError("actors: another stream uses this group; close it first")
        self._has_stream = True

    def detach(self) -> None:
        """Reverses `attach`. The stream must have ended the actors."""
        self._has_stream = False
        if self._server is not None and ray.is_initialized():
            self._server.close()
        self._server = None

    def begin(self, seed_key: SeedKey) -> tuple[Any, Any] | None:
        """Begins to start an actor; before the first one, that of central inference.

        Args:
            seed_key: number and incarnation of the actor, and the source of its seeds.

        Returns:
            The actor's handle, and the reference of its `Info`. None: there are
                currently no processors for the actor.
        """
        resources = self._placement.resources_for(seed_key.actor)
        if resources is None:
            return None
        if self._server_gpus is not None and self._server is None:
            of_server = seed_key._replace(actor=self.num_actors, incarnation=0)
            self._server = InferenceServer(self.spec, self.num_actors, self._server_gpus, of_server)
        handle = _make(self.actor_class, resources)
        server = None if self._server is None else self._server.handle
        arguments = (self.spec, seed_key, resources.processors, resources.num_threads, server)
        return handle, handle.prepare.remote(*arguments)

    def end(self, handle: Any) -> None:
        """Ends an actor's process, if it is alive."""
        if ray.is_initialized():
            ray.kill(handle)

    def close(self) -> None:
        """Releases the processors; close the stream before. Idempotent."""
        if self._closed:
            return
        self._closed = True
        if ray.is_initialized():
            self._placement.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc_value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()


def _await_gpus(count: float, timeout: float) -> None:
    """Waits until the cluster has GPUs; without them, the actor would never start."""
    deadline = time.monotonic() + timeout
    while (present := ray.cluster_resources().get("GPU", 0.0)) < count:
        if time.monotonic() >= deadline:
            raise ResourceError(
                f"inference_gpus: the cluster has {present:g} GPUs after {timeout:g} s, and needs "
                f"{count:g}"
            )
        time.sleep(0.1)


def _make(actor_class: type[RayPoolActor], resources: ActorResources) -> Any:
    # Disables Ray's restarts and retries, because both could fill a fragment twice.
    options = {
        "num_cpus": resources.num_cpus,
        "scheduling_strategy": resources.strategy,
        "max_restarts": 0,
        "max_task_retries": 0,
    }
    return ray.remote(actor_class).options(**options).remote()
