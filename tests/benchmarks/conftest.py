"""Makes the `benchmarks` package importable: it is part of the repository and not installed."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parents[2] / "benchmarks"


def _load() -> None:
    spec = importlib.util.spec_from_file_location(
        "benchmarks", _PACKAGE / "__init__.py", submodule_search_locations=[str(_PACKAGE)]
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["benchmarks"] = module
    spec.loader.exec_module(module)


_load()
