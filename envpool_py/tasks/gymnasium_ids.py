"""The ids of tasks in Gymnasium's registry, under the namespace "EnvPool/"."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import gymnasium
from gymnasium.envs.registration import EnvSpec

from envpool_py.tasks import registry

__all__ = ["NAMESPACE", "SpecKeywords", "gymnasium_id", "register_known", "spec_of"]

NAMESPACE = "EnvPool"
_VECTOR_ENTRY_POINT = "envpool_py.tasks.make:make_gymnasium"
_ENTRY_POINT = "envpool_py.tasks.single_env:SingleEnv"


class SpecKeywords(dict[str, Any]):
    """The keywords of a registered spec, which make `vector_kwargs` of `make_vec` work for pools.

    `gymnasium.make_vec` calls a vector entry point only if `vector_kwargs` is empty. Before it
    checks this, it pops "vectorization_mode" and then "vector_kwargs" from the spec's keywords,
    with its own arguments as defaults. If a pool is to be made, `pop("vector_kwargs")` adds them to
    the entry point's keywords and returns an empty dict, which passes the check. So
    `make_vec(id, vector_kwargs={"autoreset_mode": mode})` makes a pool.
    """

    _for_pool = True

    def pop(self, name: str, *default: Any) -> Any:
        """Removes a keyword and returns it, or the default."""
        value = super().pop(name, *default)
        if name == "vectorization_mode":
            self._for_pool = getattr(value, "value", value) in (None, "vector_entry_point")
        if name == "vector_kwargs" and value and self._for_pool:
            self.update(value)
            return {}
        return value


def gymnasium_id(task_id: str) -> str:
    """Returns the id under which a task is registered with Gymnasium.

    Gymnasium allows only one "/" in an id, after the namespace. A "/" in the task's own id becomes
    a ".".
    """
    return f"{NAMESPACE}/{task_id.replace('/', '.')}"


def register_known() -> None:
    """Registers the tasks that are known so far; does not load plug-ins."""
    for task_id in registry.known_ids():
        name = gymnasium_id(task_id)
        registered = gymnasium.registry.get(name)
        if registered is not None and registered.vector_entry_point == _VECTOR_ENTRY_POINT:
            continue
        max_episode_steps, reward_threshold = registry.limits_of(task_id)
        if registered is not None:
            gymnasium.logger.warn(f"Overriding environment {name} already in registry.")
        # gymnasium.register compares each new id with all others, which takes a third of the time
        # in which this package is imported.
        gymnasium.registry[name] = EnvSpec(
            name,
            entry_point=_ENTRY_POINT,
            vector_entry_point=_VECTOR_ENTRY_POINT,
            max_episode_steps=max_episode_steps,
            reward_threshold=reward_threshold,
            kwargs=SpecKeywords(task_id=task_id),
        )

    for family in registry.all_families().values():
        for benchmark, (function, keywords) in family.benchmarks.items():
            name = f"{NAMESPACE}/{benchmark}"
            if name not in gymnasium.registry:
                gymnasium.registry[name] = EnvSpec(
                    name,
                    entry_point=family.single_benchmarks.get(benchmark),
                    vector_entry_point=function,
                    kwargs=SpecKeywords(keywords),
                )


def spec_of(description: Mapping[str, Any]) -> EnvSpec:
    """Returns the spec with which Gymnasium makes pools of a described task, without keywords."""
    return EnvSpec(
        gymnasium_id(description["id"]),
        entry_point=_ENTRY_POINT,
        vector_entry_point=_VECTOR_ENTRY_POINT,
        reward_threshold=description["reward_threshold"],
    )
