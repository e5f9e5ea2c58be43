"""Gymnasium's MuJoCo tasks. Private: `envpool_py.mujoco.family` loads it.

Errors are those of `envpool_py.errors`.
"""

BUILT_VERSION: str

def open_library(library_file: str, plugin_directory: str) -> str:
    """Opens a MuJoCo library and, if it is of BUILT_VERSION, its plug-ins; returns its version."""

def register_tasks(asset_directory: str) -> None:
    """Registers the tasks with the engine, once; `asset_directory` is searched for models."""
