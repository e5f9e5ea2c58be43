"""Loads this package's extension modules so that they see one another's symbols.

On macOS the linker merges the classes of exceptions that modules throw to each other. Linux does so
only for modules that are loaded globally, and libc++ compares these classes by address. Imported
when an interpreter of `make check-portable` starts; others' modules are loaded as always.
"""

from __future__ import annotations

import os
import sys
from importlib.machinery import ExtensionFileLoader, ModuleSpec
from types import ModuleType

__all__: list[str] = []

_create = ExtensionFileLoader.create_module


def _create_globally(self: ExtensionFileLoader, spec: ModuleSpec) -> ModuleType:
    if not spec.name.startswith("envpool_py."):
        return _create(self, spec)
    flags = sys.getdlopenflags()
    sys.setdlopenflags(flags | os.RTLD_GLOBAL)
    try:
        return _create(self, spec)
    finally:
        sys.setdlopenflags(flags)


ExtensionFileLoader.create_module = _create_globally  # type: ignore[method-assign]
