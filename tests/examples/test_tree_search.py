"""The tree search of examples/saved_states."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

PROGRAM = Path(__file__).resolve().parents[2] / "examples" / "saved_states" / "tree_search.py"


@pytest.fixture(name="program")
def load_program() -> ModuleType:
    spec = importlib.util.spec_from_file_location("tree_search", PROGRAM)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["tree_search"] = module  # dataclasses look for it
    spec.loader.exec_module(module)
    return module


def test_the_search_crosses_the_lake(program: ModuleType) -> None:
    found, at_random = program.lake(60, seed=0)
    assert sum(found.rewards) == 1.0
    assert sum(at_random.rewards) == 0.0
    assert found.nodes > 1_000


def test_the_search_hops_farther(program: ModuleType) -> None:
    pytest.importorskip("mujoco")
    found, at_random = program.hopper(12, 15, seed=0)
    assert sum(found.rewards) > sum(at_random.rewards) + 20.0
