"""Puts the compat module in the place of EnvPool.

`import envpool` finds `envpool_py.compat.envpool`. Helpers of the tests come from the checkout. Of
EnvPool's own extension modules there are only names, so that the tests beside can be imported.
Older tests say `import gym`, which EnvPool's pools have not been for since 1.0: it is Gymnasium.
"""

from __future__ import annotations

import importlib
import sys
import types
from pathlib import Path

import gymnasium

from envpool_py.compat.alias import alias

__all__ = ["install"]

_INTERNAL = {"envpool.atari.atari_envpool": ("_AtariEnvPool", "_AtariEnvSpec")}


def install(checkout: str) -> None:
    """Puts the compat module in place."""
    alias()
    sys.modules.setdefault("gym", gymnasium)
    for name in ("envpool.python", "envpool.mujoco"):
        package = importlib.import_module(name)
        package.__path__.append(str(Path(checkout, *name.split("."))))
    for name, members in _INTERNAL.items():
        module = types.ModuleType(name)
        for member in members:
            setattr(module, member, types.SimpleNamespace())
        sys.modules[name] = module
