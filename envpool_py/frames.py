"""Collects the pictures of every step, for `render_mode="rgb_array_list"`.

Behaves like Gymnasium's `RenderCollection` around each environment. A reset discards the pictures
of the environment's previous episode. `render` returns the collected pictures and discards them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["CollectingCore"]

Picture = NDArray[np.uint8]
Draw = Callable[[NDArray[np.int32]], Sequence[Picture]]


class CollectingCore:
    """The engine's pool, with the pictures of each environment after every reset and step.

    Args:
        core: `envpool_py._core.Pool`.
        draw: returns the pictures of idle environments.
        own_infos: whether results have "env_id" and "elapsed_step". The results of `core` always
            have them.
    """

    def __init__(self, core: Any, draw: Draw, own_infos: bool) -> None:
        self._core = core
        self._draw = draw
        self._own_infos = own_infos
        self._frames: list[list[Picture]] = [[] for _ in range(core.num_envs)]

    def __getattr__(self, name: str) -> Any:
        return getattr(self._core, name)

    def step(self, actions: Any, env_id: Any = None, /) -> Any:
        """As the pool's."""
        return self._collect(self._core.step(actions, env_id))

    def recv(self, timeout: float | None = None, /) -> Any:
        """As the pool's."""
        return self._collect(self._core.recv(timeout))

    def reset(self, env_id: Any, seed: Any, mask: Any, options: Any, /) -> Any:
        """As the pool's."""
        result = self._core.reset(env_id, seed, mask, options)
        infos = result[-1]
        ids: NDArray[np.int32] = infos["env_id"]
        if mask is not None:
            ids = ids[mask]
        self._add(ids, ids)
        self._strip(infos)
        return result

    def load_states(self, states: Any, env_id: Any = None, /) -> Any:
        """As the pool's. Discards the collected pictures, like a reset."""
        result = self._core.load_states(states, env_id)
        ids: NDArray[np.int32] = result[-1]["env_id"]
        self._add(ids, ids)
        self._strip(result[-1])
        return result

    def take(self, env_ids: Iterable[int]) -> tuple[list[Picture], ...]:
        """Returns the pictures of these environments since the latest call, and discards them."""
        taken = []
        for env in env_ids:
            taken.append(self._frames[env])
            self._frames[env] = []
        return tuple(taken)

    def _collect(self, result: Any) -> Any:
        infos = result[-1]
        ids: NDArray[np.int32] = infos["env_id"]
        self._add(ids, ids[infos["elapsed_step"] == 0])
        self._strip(infos)
        return result

    def _strip(self, infos: dict[str, Any]) -> None:
        if self._own_infos:
            return
        for each in (infos, infos.get("final_info", {})):
            for name in ("env_id", "elapsed_step"):
                each.pop(name, None)
                each.pop("_" + name, None)

    def _add(self, ids: NDArray[np.int32], new: NDArray[np.int32]) -> None:
        for env in new.tolist():
            self._frames[env] = []
        for env, picture in zip(ids.tolist(), self._draw(ids), strict=True):
            self._frames[env].append(picture)
