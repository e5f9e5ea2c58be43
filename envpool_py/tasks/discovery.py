"""Plug-ins: modules from outside this package that add tasks when they are imported.

An installed plug-in names its module in the entry-point group `envpool_py.tasks`:

    [project.entry-points."envpool_py.tasks"]
    my_env = "my_env"

Entry points are read only when an id is unknown or all ids are listed, because reading them takes
tens of milliseconds. A plug-in that is not installed is named by its module: in the id
("my_env:MyEnv-v0"), or with `--import my_env` on the command line.

Called by `catalog`, `resolve` and the command line, from any thread. No lock is held while a module
is imported. If two threads import the same plug-in, Python's import system runs it only once.
"""

from __future__ import annotations

import importlib.util
import os
import sys
import threading
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from types import ModuleType

from envpool_py.errors import MissingPackageError, PluginError
from envpool_py.tasks import gymnasium_ids, registry
from envpool_py.tasks.importing import import_module

__all__ = [
    "GROUP",
    "Plugin",
    "PluginWarning",
    "import_named",
    "imported",
    "load_all",
    "plugins",
    "problems",
    "split",
    "tasks_of",
]

GROUP = "envpool_py.tasks"
"""The entry points by which an installed package names the modules of its tasks."""
_COMPILED = (".so", ".pyd")


class PluginWarning(RuntimeWarning):
    """An installed plug-in cannot be loaded. The other plug-ins are loaded."""


@dataclass(frozen=True)
class Plugin:
    """An entry point of an installed package.

    Attributes:
        name: name of the entry point.
        module: the module that the entry point names.
        distribution: the package with the entry point, and its version: "my-env 1.0".
        problem: why the plug-in could not be loaded, or None.
    """

    name: str
    module: str
    distribution: str
    problem: str | None = None


# Replaced as a whole, so that readers need no lock. None: the entry points have not been read.
_plugins: tuple[Plugin, ...] | None = None
_taking = threading.Lock()
_loading = threading.local()
# The plug-ins that `import_named` has imported, each with the tasks that it added. Worker processes
# must import the same plug-ins.
_imported: dict[str, tuple[str, ...]] = {}


def _renew_lock() -> None:
    global _taking
    _taking = threading.Lock()


os.register_at_fork(after_in_child=_renew_lock)  # another thread of the parent may hold it


def split(task_id: str) -> tuple[str | None, str]:
    """Returns the module and the id of "module:id"; the module is None if there is no ":"."""
    module, _, name = task_id.rpartition(":")
    return (module, name) if module else (None, task_id)


def import_named(name: str) -> ModuleType:
    """Imports a plug-in by the name of its module, or by the path of its file.

    Args:
        name: "my_env", or a path with a directory or a suffix ("./my_env.so", "build/my_env.py").

    Raises:
        MissingPackageError: importing it raises ImportError. Other errors of the module are not
            converted; PluginError is one of them.
    """
    is_path = _is_path(name)
    before = {*registry.known_ids()}
    try:
        module = _import_file(name) if is_path else import_module(name)
    except PluginError:
        raise  # a PluginError is an ImportError, but no package is missing
    except ImportError as error:
        raise MissingPackageError(f'the module "{name}" cannot be imported ({error})') from error
    _add_manifest(module)
    known = os.path.abspath(name) if is_path else name  # noqa: PTH100
    added = sorted({*registry.known_ids()} - before)
    _imported[known] = tuple(added) or _imported.get(known, ())
    return module


def imported() -> list[str]:
    """Returns the plug-ins that `import_named` has imported, by names valid in other processes."""
    return list(_imported)


def tasks_of(name: str) -> list[str]:
    """Imports a plug-in and returns the ids of its tasks, sorted.

    The tasks are those that the import has added, or those of the family if the module is one.
    Empty if the module adds none, or if an `import` statement had already imported it.

    Args:
        name: as in `import_named`.

    Raises:
        MissingPackageError: importing it raises ImportError.
    """
    module = import_named(name)
    if module.__name__ in registry.packages():
        return sorted(registry.all_families()[module.__name__.rpartition(".")[2]].tasks)
    return sorted(_imported[os.path.abspath(name) if _is_path(name) else name])  # noqa: PTH100


def plugins() -> Sequence[Plugin]:
    """Returns all installed plug-ins after loading them, sorted by distribution and name."""
    load_all()
    return _plugins or ()


def problems() -> list[str]:
    """Returns a line for each plug-in that could not be loaded; does not read entry points."""
    return [
        f"the plug-in {plugin.module} ({plugin.distribution}) cannot be loaded: {plugin.problem}"
        for plugin in _plugins or ()
        if plugin.problem is not None
    ]


def load_all() -> bool:
    """Loads all installed plug-ins; if this has been done already, only returns False.

    A plug-in that raises is named in a PluginWarning. The others are loaded.
    """
    global _plugins
    if _is_done() or getattr(_loading, "running", False):
        return False
    _loading.running = True  # a plug-in may list all ids while it is imported
    try:
        loaded = tuple(_loaded(plugin) for plugin in _installed())
    finally:
        _loading.running = False
    with _taking:
        if _is_done():  # another thread has loaded the plug-ins in the meantime
            return True
        _plugins = loaded
    gymnasium_ids.register_known()
    for problem in problems():
        warnings.warn(problem, PluginWarning, stacklevel=2)
    return True


def _is_done() -> bool:
    return _plugins is not None


def _installed() -> list[Plugin]:
    from importlib import metadata  # takes a third of the time of `import envpool_py`

    found = []
    for entry in metadata.entry_points(group=GROUP):
        owner = getattr(entry, "dist", None)
        distribution = f"{owner.name} {owner.version}" if owner is not None else "unknown package"
        found.append(Plugin(entry.name, entry.value.partition(":")[0].strip(), distribution))
    return sorted(set(found), key=lambda plugin: (plugin.distribution, plugin.name))


def _loaded(plugin: Plugin) -> Plugin:
    try:
        _add_manifest(import_module(plugin.module))
    except (Exception, SystemExit) as error:  # an error of one plug-in must not stop the others
        lines = str(error).strip().splitlines()
        text = f"{type(error).__name__}: {lines[0]}" if lines else type(error).__name__
        return replace(plugin, problem=text)
    return plugin


def _is_path(name: str) -> bool:
    return os.sep in name or name.endswith((".py", *_COMPILED))


def _add_manifest(module: ModuleType) -> None:
    """Adds the family of a package that has a manifest, whose extension module loads later."""
    name = module.__name__
    if hasattr(module, "__path__") and importlib.util.find_spec(f"{name}.manifest") is not None:
        registry.add(name)


def _import_file(path: str) -> ModuleType:
    """Imports a file as a module named as the file up to its first dot (my_env.cpython-311.so)."""
    path = os.path.abspath(path)  # noqa: PTH100
    name = os.path.basename(path).partition(".")[0]  # noqa: PTH119
    present = sys.modules.get(name)
    if present is not None and getattr(present, "__file__", None) == path:
        return present
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} is not a Python module")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module
