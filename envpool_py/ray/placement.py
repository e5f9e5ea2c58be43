"""Placement of the actors of a fleet on machines and processors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from envpool_py.errors import InputError, ResourceError
from envpool_py.pool import core
from envpool_py.ray.framework import ray

__all__ = ["ActorResources", "placement_of"]

_STRATEGIES = {"spread": "SPREAD", "pack": "PACK"}


@dataclass(frozen=True)
class ActorResources:
    """What Ray reserves for an actor.

    Attributes:
        strategy: Ray's scheduling strategy.
        num_cpus: processors that Ray reserves.
        num_threads: number of threads of the pool.
        processors: the processors to which the actor is bound; None: not bound.
    """

    strategy: Any
    num_cpus: int
    num_threads: int
    processors: list[int] | None = None


class Placement(Protocol):
    """Assigns each actor to a machine and its processors."""

    num_actors: int

    def resources_for(self, actor: int) -> ActorResources | None:
        """Returns the resources of an actor to start; None if there are currently none."""

    def close(self) -> None:
        """Releases all resources."""


def placement_of(
    name: str, num_actors: int | None, cpus_per_actor: int, start_timeout: float
) -> Placement:
    """Returns a placement, and reserves its processors.

    Raises:
        InputError: the name is unknown, or the number of actors is missing.
        ResourceError: the cluster does not have the processors.
    """
    if name == "numa":
        return NodePlacement(num_actors, start_timeout)
    if name not in _STRATEGIES:
        raise InputError(f'placement: expected "spread", "pack" or "numa", got {name!r}')
    if num_actors is None:
        raise InputError(f'num_actors: expected a number with placement="{name}", got None')
    return GroupPlacement(_STRATEGIES[name], num_actors, cpus_per_actor, start_timeout)


class GroupPlacement:
    """A placement group with a bundle for each actor.

    If a machine is gone, Ray moves its bundles to other machines as soon as they have free
    processors. The actors that replace the lost ones wait for this.
    """

    def __init__(self, strategy: str, num_actors: int, cpus: int, timeout: float) -> None:
        """Reserves the processors.

        Raises:
            ResourceError: the cluster does not have the processors within `timeout` seconds.
        """
        self.num_actors = num_actors
        self._cpus = cpus
        bundles = [{"CPU": cpus} for _ in range(num_actors)]
        self._group = ray.util.placement_group(bundles, strategy=strategy)
        if not self._group.wait(timeout_seconds=timeout):
            ray.util.remove_placement_group(self._group)
            raise ResourceError(
                f"placement: needs {num_actors} times {cpus} free processors, and the cluster "
                f"has {ray.available_resources().get('CPU', 0):g} of "
                f"{ray.cluster_resources().get('CPU', 0):g} free after {timeout:g} s"
            )

    def resources_for(self, actor: int) -> ActorResources:
        """Returns the bundle of the actor."""
        strategy = ray.util.scheduling_strategies.PlacementGroupSchedulingStrategy(
            self._group, placement_group_bundle_index=actor
        )
        return ActorResources(strategy, self._cpus, self._cpus)

    def close(self) -> None:
        """Removes the group."""
        ray.util.remove_placement_group(self._group)


class NodePlacement:
    """One actor for each NUMA node of each machine, bound to its processors.

    A placement group cannot bind to a NUMA node, so actors are placed by machine. When a machine
    is gone, its actors wait for another one that has NUMA nodes without an actor.
    """

    def __init__(self, num_actors: int | None, timeout: float) -> None:
        """Queries the NUMA nodes of all machines.

        Args:
            num_actors: at most the number of NUMA nodes. None: one for each.
            timeout: seconds to wait for the answers.

        Raises:
            ResourceError: there are fewer NUMA nodes than actors, or none.
        """
        self._timeout = timeout
        self._known: dict[str, list[list[int]]] = {}
        self._at: dict[int, tuple[str, int]] = {}
        self._ask_new_machines()
        nodes = sum(len(nodes) for nodes in self._known.values())
        self.num_actors = nodes if num_actors is None else num_actors
        if self.num_actors > nodes or not nodes:
            raise ResourceError(
                f"num_actors: expected at most {nodes}, one for each NUMA node of the cluster, got "
                f"{self.num_actors}"
                if nodes
                else "placement: found no NUMA node on the machines of the cluster"
            )

    def resources_for(self, actor: int) -> ActorResources | None:
        """Returns a NUMA node without an actor; if possible, the actor's previous node."""
        self._ask_new_machines()
        others = {place for number, place in self._at.items() if number != actor}
        free = [
            (machine, index)
            for machine, nodes in self._known.items()
            for index in range(len(nodes))
            if (machine, index) not in others
        ]
        before = self._at.get(actor)
        if not free:
            self._at.pop(actor, None)
            return None
        machine, index = self._at[actor] = before if before in free else free[0]
        processors = self._known[machine][index]
        # Ray's number of processors of the machine is configurable, and may be less than the real
        # one.
        reserved = int(self._cpus[machine] // len(self._known[machine]))
        strategy = ray.util.scheduling_strategies.NodeAffinitySchedulingStrategy(
            machine, soft=False
        )
        return ActorResources(strategy, min(reserved, len(processors)), len(processors), processors)

    def _ask_new_machines(self) -> None:
        machines = {
            node["NodeID"]: node["Resources"].get("CPU", 0) for node in ray.nodes() if node["Alive"]
        }
        self._cpus = machines
        self._known = {name: nodes for name, nodes in self._known.items() if name in machines}
        new = [name for name, cpus in machines.items() if name not in self._known and cpus > 0]
        strategy = ray.util.scheduling_strategies.NodeAffinitySchedulingStrategy
        ask = ray.remote(memory_nodes)
        answers = {
            name: ask.options(num_cpus=0, scheduling_strategy=strategy(name, soft=False)).remote()
            for name in new
        }
        for name, answer in answers.items():
            try:
                self._known[name] = ray.get(answer, timeout=self._timeout)
            except ray.exceptions.RayError:
                continue  # the machine is gone or too slow; the next call retries

    def close(self) -> None:
        """Does nothing: only the actors reserve processors."""


def memory_nodes() -> list[list[int]]:
    """Returns, for each NUMA node of this machine, the processors that this process may use."""
    return [list(node["cpus"]) for node in core.system_info()["numa_nodes"]]
