"""What every Python test shares: the handling of sanitizers."""

from __future__ import annotations

import os

import pytest

# "address" or "thread" where the engine was built with a sanitizer (make asan, make tsan).
SANITIZER = os.environ.get("ENVPOOL_SANITIZER", "")


def pytest_report_header() -> str:
    import envpool_py

    built = f", under the {SANITIZER} sanitizer" if SANITIZER else ""
    return f"envpool_py {envpool_py.__version__}{built}"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if not SANITIZER:
        return
    skip = pytest.mark.skip(reason=f"measures memory or time; run under the {SANITIZER} sanitizer")
    for item in items:
        if item.get_closest_marker("unsanitized"):
            item.add_marker(skip)
