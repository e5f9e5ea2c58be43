"""Gymnasium's MuJoCo tasks. Private: `envpool_py.mujoco.family` loads it.

Errors are those of `envpool_py.errors`.
"""

BUILT_VERSION: str

def open_library(library_file: str, plugin_directory: str) -> str:
    """Opens a MuJoCo library, and its plug-ins if it is of BUILT_VERSION; returns its version."""

def register_tasks(asset_directory: str) -> None:
    """Registers the tasks with the engine, once; models are looked for in `asset_directory`."""
