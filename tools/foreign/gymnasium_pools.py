"""Replaces Gymnasium's SyncVectorEnv and AsyncVectorEnv by pools.

If all environment functions make the same task, this package has it, and no wrapper changes it, a
pool is made instead. Otherwise the classes behave as in Gymnasium.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import gymnasium
import gymnasium.vector
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from gymnasium.wrappers import OrderEnforcing, PassiveEnvChecker, RenderCollection, TimeLimit

import envpool_py
from tools.foreign.pools import POOLS

__all__ = ["install"]

# The wrappers that gymnasium.make adds to every environment. Pools have their functions built in.
_OF_MAKE = (OrderEnforcing, PassiveEnvChecker, RenderCollection, TimeLimit)
_RENDER_MODES = (None, "rgb_array", "rgb_array_list")
# Arguments that have no meaning for a pool.
_IGNORED = ("context", "copy", "daemon", "max_concurrency", "shared_memory")


@dataclass(frozen=True)
class _Made:
    """The arguments of `gymnasium.make`."""

    task_id: str
    max_episode_steps: int | None
    render_mode: str | None
    options: dict[str, Any] = field(default_factory=dict)


def install(checkout: str) -> None:
    """Replaces Gymnasium's classes."""
    del checkout
    for name in ("SyncVectorEnv", "AsyncVectorEnv"):
        setattr(gymnasium.vector, name, _substitute(getattr(gymnasium.vector, name)))
    for spec in gymnasium.registry.values():
        # Without a vector entry point, make_vec uses SyncVectorEnv.
        if str(spec.vector_entry_point).startswith("gymnasium."):
            spec.vector_entry_point = None


def _substitute(original: type[Any]) -> type[Any]:
    signature = inspect.signature(original.__init__)

    class Substitute(original):  # type: ignore[misc]
        def __new__(cls, *args: Any, **kwargs: Any) -> Any:
            given = signature.bind(None, *args, **kwargs).arguments
            del given["self"]
            pool = _pool(**{name: given[name] for name in given if name not in _IGNORED})
            return super().__new__(cls) if pool is None else pool

    Substitute.__name__ = Substitute.__qualname__ = original.__name__
    return Substitute


def _pool(
    env_fns: Sequence[Callable[[], gymnasium.Env[Any, Any]]],
    autoreset_mode: str | AutoresetMode = AutoresetMode.NEXT_STEP,
    **others: Any,
) -> VectorEnv[Any, Any, Any] | None:
    if others:
        return None
    envs = []
    try:
        for env_fn in env_fns:
            envs.append(env_fn())  # closed below if a later function raises
        return _pool_like(envs, AutoresetMode(autoreset_mode))
    finally:
        for env in envs:
            env.close()


def _pool_like(
    envs: Sequence[gymnasium.Env[Any, Any]], mode: AutoresetMode
) -> VectorEnv[Any, Any, Any] | None:
    made = _made(envs[0])
    if made is None or any(_made(env) != made for env in envs[1:]):
        return None
    POOLS.wanted += 1
    pool = envpool_py.make(
        made.task_id,
        num_envs=len(envs),
        autoreset_mode=mode,
        max_episode_steps=made.max_episode_steps,
        render_mode=made.render_mode,
        extra_infos=False,
        **made.options,
    )
    # The functions may have seeded their environments and action spaces. The pool gets these seeds.
    seeds = [getattr(env.unwrapped, "_np_random_seed", None) for env in envs]
    if None not in seeds:
        pool.reset(seed=seeds)
    pool.single_action_space = envs[0].action_space
    pool.action_space = batch_space(envs[0].action_space, len(envs))
    return envpool_py.FinalObsPerEnv(pool) if mode == AutoresetMode.SAME_STEP else pool


def _made(env: gymnasium.Env[Any, Any]) -> _Made | None:
    """Returns the arguments that made an environment; None: a pool cannot replace it."""
    inner, spec = env, env.spec
    while isinstance(inner, gymnasium.Wrapper):
        if type(inner) not in _OF_MAKE:
            return None
        inner = inner.env
    if spec is None or spec.id not in envpool_py.list_all_envs():
        return None
    if not str(spec.entry_point).startswith(("gymnasium.envs.", "ale_py.")):
        return None
    if env.render_mode not in _RENDER_MODES:
        return None
    options = {name: value for name, value in spec.kwargs.items() if name != "render_mode"}
    return _Made(spec.id, spec.max_episode_steps, env.render_mode, options)
