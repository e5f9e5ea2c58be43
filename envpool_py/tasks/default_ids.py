"""Pools under the ids of other libraries, such as `gymnasium.make_vec("CartPole-v1")`."""

from __future__ import annotations

import dataclasses
from types import TracebackType
from typing import TYPE_CHECKING

import gymnasium
from gymnasium.envs.registration import EnvSpec

from envpool_py.tasks import catalog, registry
from envpool_py.tasks.gymnasium_ids import SpecKeywords, gymnasium_id, register_known

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["DefaultIds", "register_as_default"]


def register_as_default(*task_ids: str) -> DefaultIds:
    """Registers tasks with Gymnasium under their own ids, in place of Gymnasium's environments.

        envpool_py.register_as_default("CartPole-v1")
        envs = gymnasium.make_vec("CartPole-v1", num_envs=8)  # a pool

    `gymnasium.make_vec` then makes pools, and `gymnasium.make` single environments of the engine.
    For programs with tables of settings by id. The registration is of this process: it reaches
    processes that are forked from it, and no others. A library that registers the same ids later
    replaces it.

    Args:
        *task_ids: ids from `list_all_envs`. None given: all that Gymnasium's registry has now.

    Returns:
        A context manager, whose end restores the registry.

    Raises:
        UnknownTaskError: no such id.
    """
    if not task_ids:
        task_ids = tuple(each for each in catalog.task_ids() if each in gymnasium.registry)
    for task_id in task_ids:
        if not catalog.exists(task_id):
            catalog.load(task_id)  # raises the error
    register_known()
    return DefaultIds([registry.canonical_id(task_id) for task_id in task_ids])


class DefaultIds:
    """The ids of one `register_as_default`.

    Attributes:
        task_ids: the ids.
    """

    def __init__(self, task_ids: list[str]) -> None:
        self.task_ids = task_ids
        self._before: dict[str, EnvSpec | None] = {}
        self._ours: dict[str, EnvSpec] = {}
        for task_id in task_ids:
            spec = gymnasium.registry[gymnasium_id(task_id)]
            keywords = SpecKeywords(task_id=task_id)
            self._ours[task_id] = dataclasses.replace(spec, id=task_id, kwargs=keywords)
            self._before[task_id] = gymnasium.registry.get(task_id)
            gymnasium.registry[task_id] = self._ours[task_id]

    def undo(self) -> None:
        """Restores the registry, except for ids that were registered again. Idempotent."""
        for task_id, before in self._before.items():
            if gymnasium.registry.get(task_id) is not self._ours[task_id]:
                continue
            if before is None:
                del gymnasium.registry[task_id]
            else:
                gymnasium.registry[task_id] = before

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc_value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.undo()
