"""Shared by all Python tests: the packages that are not installed, the handling of sanitizers."""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


def _load(name: str) -> None:
    """Make a package of the repository importable that is not installed."""
    spec = importlib.util.spec_from_file_location(
        name, ROOT / name / "__init__.py", submodule_search_locations=[str(ROOT / name)]
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)


for _name in ("benchmarks", "tools"):
    _load(_name)

# "address" or "thread" where the engine was built with a sanitizer (make asan, make tsan).
SANITIZER = os.environ.get("ENVPOOL_SANITIZER", "")


def pytest_report_header() -> str:
    import envpool_py

    built = f", under the {SANITIZER} sanitizer" if SANITIZER else ""
    return f"envpool_py {envpool_py.__version__}{built}"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if not SANITIZER:
        return
    reasons = {"unsanitized": f"measures memory or time; run under the {SANITIZER} sanitizer"}
    if SANITIZER == "thread":
        reasons["foreign_threads"] = "compares with threads that ThreadSanitizer cannot follow"
    for item in items:
        for name, reason in reasons.items():
            if item.get_closest_marker(name):
                item.add_marker(pytest.mark.skip(reason=reason))


@pytest.fixture(scope="session", autouse=True)
def _other_programs_run_without_the_sanitizer(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Start ffmpeg without the sanitizer's library, which Python's child processes would inherit.

    ThreadSanitizer ends it otherwise, half way through a film: it does not see ffmpeg's own locks.
    """
    if not SANITIZER:
        return
    try:
        imageio_ffmpeg = importlib.import_module("imageio_ffmpeg")
    except ImportError:
        return
    program = tmp_path_factory.mktemp("programs") / "ffmpeg"
    ffmpeg = imageio_ffmpeg.get_ffmpeg_exe()
    program.write_text(f'#!/bin/sh\nexec env -u LD_PRELOAD "{ffmpeg}" "$@"\n')
    program.chmod(0o755)
    os.environ["IMAGEIO_FFMPEG_EXE"] = str(program)
