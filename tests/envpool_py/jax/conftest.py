"""Fixtures for the tests of `envpool_py.jax`, which are skipped if JAX is not installed."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Iterator
from typing import Any

import pytest

if importlib.util.find_spec("jax") is None:
    collect_ignore_glob = ["test_*.py"]
else:
    import jax

    # For shard_map. The setting has an effect only before the first use of JAX.
    jax.config.update("jax_num_cpu_devices", 2)


@pytest.fixture
def x64() -> Iterator[None]:
    """Enables JAX's 64-bit types."""
    jax.config.update("jax_enable_x64", True)
    yield
    jax.config.update("jax_enable_x64", False)


@pytest.fixture(scope="session")
def testing() -> Any:
    """Returns the module of test environments."""
    return importlib.import_module("envpool_py._testing")
