"""Gymnasium's MuJoCo tasks. Private: `envpool_py.mujoco.family` loads it.

Errors are those of `envpool_py.errors`.
"""

SUPPORTED_VERSIONS: tuple[str, ...]

def open_library(library_file: str, plugin_directory: str) -> str:
    """Opens a library of one of SUPPORTED_VERSIONS, and its plug-ins; returns its version."""

def register_tasks(asset_directory: str) -> None:
    """Registers the tasks with the engine, once; `asset_directory` is searched for models."""
