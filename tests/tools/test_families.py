"""tools.families: the names read from a register.cc, and the text written."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

SOURCE = Path(__file__).resolve().parents[2] / "tools" / "families.py"

LAKES = """
  registry.Add<Lake>("Lake-v1", {.max_episode_steps = 100, .reward_threshold = 0.7});
  registry.Add<toy::Lake>(
      "BigLake-v0", {});
"""
HILLS = 'registry.Add<Hill>("Hill-v0", {.max_episode_steps = 9}, Hill::OptionsOf("steep"));'
LIMITS = {"Lake-v1": (100, 0.7), "BigLake-v0": (None, None), "Hill-v0": (9, None)}


@pytest.fixture(scope="module")
def families() -> ModuleType:
    spec = importlib.util.spec_from_file_location("scripts_families", SOURCE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def engine_of(*ids: str) -> SimpleNamespace:
    def describe_task(task_id: str, options: dict[str, Any]) -> dict[str, Any]:
        limit, threshold = LIMITS[task_id]
        return {"max_episode_steps": limit, "reward_threshold": threshold}

    return SimpleNamespace(list_tasks=lambda: sorted(ids), describe_task=describe_task)


def test_families_keep_the_order_of_their_sources(families: ModuleType) -> None:
    rows = families.core_rows({"lakes": LAKES, "hills": HILLS}, engine_of(*LIMITS))
    assert rows == {
        "lakes": [("Lake-v1", 100, 0.7), ("BigLake-v0", None, None)],
        "hills": [("Hill-v0", 9, None)],
    }


@pytest.mark.parametrize(
    "registered", [("Lake-v1", "BigLake-v0"), (*LIMITS, "Hill-v1")], ids=["fewer", "more"]
)
def test_sources_that_are_not_what_was_built(
    families: ModuleType, registered: tuple[str, ...]
) -> None:
    with pytest.raises(families.FamilyError, match=r"^Hill-v[01]: spelt in a register.cc or "):
        families.core_rows({"lakes": LAKES, "hills": HILLS}, engine_of(*registered))


def test_a_table_is_read_back_as_it_was(families: ModuleType) -> None:
    rows = [(name, *limits) for name, limits in LIMITS.items()] + [("Valley-v0", None, -1.5)]
    source = families.source_of(rows)
    scope: dict[str, Any] = {}
    exec(source, scope)
    assert [(name, *limits) for name, limits in scope["TASKS"].items()] == rows
    assert '    "Hill-v0": Limits(9),\n    "Valley-v0": Limits(None, -1.5),\n}\n' in source
    exec(families.source_of([]), scope)
    assert scope["TASKS"] == {}


def test_a_module_that_cannot_be_imported(families: ModuleType) -> None:
    with pytest.raises(families.FamilyError, match="no_such_module cannot be imported"):
        families.registered_by("no_such_module")
