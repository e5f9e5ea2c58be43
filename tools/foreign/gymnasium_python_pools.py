"""Replaces Gymnasium's SyncVectorEnv and AsyncVectorEnv by pools of environments in Python.

`make_python` gets the environment functions unchanged, with two workers in place of AsyncVectorEnv,
and without workers in place of SyncVectorEnv. If the arguments include a worker function, or allow
different spaces, the class behaves as in Gymnasium.
"""

from __future__ import annotations

import inspect
from typing import Any

import gymnasium
import gymnasium.vector
from gymnasium.vector import AutoresetMode

import envpool_py
from tools.foreign.pools import POOLS

__all__ = ["install"]

_NUM_WORKERS = {"SyncVectorEnv": 0, "AsyncVectorEnv": 2}
# Arguments that have no meaning for a pool.
_IGNORED = ("context", "copy", "daemon", "shared_memory")


def install(checkout: str) -> None:
    """Replaces Gymnasium's classes."""
    del checkout
    for name, num_workers in _NUM_WORKERS.items():
        original = getattr(gymnasium.vector, name)
        setattr(gymnasium.vector, name, _substitute(original, num_workers))


def _substitute(original: type[Any], num_workers: int) -> type[Any]:
    signature = inspect.signature(original.__init__)

    class Substitute(original):  # type: ignore[misc]
        def __new__(cls, *args: Any, **kwargs: Any) -> Any:
            given = signature.bind(None, *args, **kwargs).arguments
            del given["self"]
            others = given.keys() - {"env_fns", "autoreset_mode", *_IGNORED}
            if others - {"observation_mode"} or given.get("observation_mode", "same") != "same":
                return super().__new__(cls)
            POOLS.wanted += 1
            fns = list(given["env_fns"])
            mode = AutoresetMode(given.get("autoreset_mode", AutoresetMode.NEXT_STEP))
            pool = envpool_py.make_python(
                fns,
                num_workers=min(num_workers, len(fns)),
                autoreset_mode=mode,
                extra_infos=False,
            )
            return envpool_py.FinalObsPerEnv(pool) if mode == AutoresetMode.SAME_STEP else pool

    Substitute.__name__ = Substitute.__qualname__ = original.__name__
    return Substitute
