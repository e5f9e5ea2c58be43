"""Gymnasium's MuJoCo tasks, the DeepMind Control Suite, Gymnasium-Robotics and MetaWorld.

Private: the modules `family` of `mujoco`, `dm_control`, `robotics`, `mamujoco` and `metaworld` in
`envpool_py.tasks.families` load it.
Errors are those of `envpool_py.errors`.
"""

from collections.abc import Callable

SUPPORTED_VERSIONS: tuple[str, ...]

def open_library(library_file: str, plugin_directory: str) -> str:
    """Opens a library of one of SUPPORTED_VERSIONS, and its plug-ins; returns its version."""

def register_tasks(asset_directory: str) -> None:
    """Registers the tasks with the engine, once; `asset_directory` is searched for models."""

def register_suite(model_texts: Callable[[str], str]) -> None:
    """Registers the tasks of dm_control, once; `model_texts` returns the MJCF of a model's key."""

def register_robotics(asset_directory: str, model_texts: Callable[[list[str]], str]) -> None:
    """Registers the tasks of Gymnasium-Robotics, once; `model_texts` returns the text of a key."""

def register_mamujoco(asset_directory: str, model_texts: Callable[[str], str]) -> None:
    """Registers the scenarios of MaMuJoCo, once; `model_texts` returns the MJCF of a robot."""

def register_metaworld(model_paths: Callable[[str], str]) -> None:
    """Registers the tasks of MetaWorld, once; `model_paths` returns the path of a model."""

def model_memory() -> tuple[int, int]:
    """Returns the number of compiled models in use, and the bytes of changed arrays."""
