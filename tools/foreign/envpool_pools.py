"""Replaces EnvPool by the compat module.

`import envpool` finds `envpool_py.compat.envpool`. Helpers of the tests come from the checkout.
EnvPool's own extension modules are replaced by stubs that contain only names, so that test files
that import them can be loaded. Older tests use `import gym`. EnvPool's pools have used Gymnasium
since 1.0, so `gym` is Gymnasium here.
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
    """Installs the compat module as `envpool`."""
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
