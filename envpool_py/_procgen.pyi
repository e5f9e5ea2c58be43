"""The Procgen tasks.

Private: `envpool_py.tasks.families.procgen` uses it. Errors are those of `envpool_py.errors`.
"""

def open_library(library_file: str, pictures: str) -> int:
    """Opens a library of Procgen; returns the version of its interface, 1 or 3.

    `pictures` is the directory of its pictures, with a final slash.
    """

def register_tasks() -> None:
    """Registers the tasks with the engine, once."""
