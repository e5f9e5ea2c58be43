"""Random calls from four threads, checked against a model; and workers that are killed.

`python -m tests.stress` and `python -m tests.stress.kills` run longer.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from envpool_py.tasks import registry
from tests.envpool_py.lifecycle import RunScript
from tests.stress.soak import TASKS

TESTS = Path(__file__).parents[2]

SOURCE = f"""
import sys
sys.path.append({str(TESTS)!r})
from stress.{{module}} import main
sys.exit(main({{arguments}}))
"""


@pytest.mark.parametrize(
    ("seconds", "seed"), [(6, 0), pytest.param(300, 1_000_000, marks=pytest.mark.long)]
)
def test_random_calls(run_script: RunScript, seconds: int, seed: int) -> None:
    arguments = ["--seconds", str(seconds), "--seed", str(seed)]
    printed = run_script(SOURCE.format(module="__main__", arguments=arguments))
    assert "rounds" in printed.splitlines()[-1]


def test_the_soak_has_all_families() -> None:
    names = {family.name for task in TASKS if (family := registry.family_of(task)) is not None}
    assert names == {family.name for family in registry.all_families().values()}


@pytest.mark.parametrize("minutes", [0.2, pytest.param(3, marks=pytest.mark.long)])
def test_all_families_with_faults(run_script: RunScript, minutes: float) -> None:
    """Memory is checked in longer runs (`make soak`)."""
    arguments = ["--minutes", str(minutes), "--no-memory"]
    printed = run_script(SOURCE.format(module="soak", arguments=arguments))
    assert "results equal to their twins'" in printed.splitlines()[-1]


@pytest.mark.long
@pytest.mark.unsanitized
def test_killed_workers_leave_nothing(run_script: RunScript) -> None:
    arguments = ["--seconds", "60", "--kills", "200"]
    printed = run_script(SOURCE.format(module="kills", arguments=arguments))
    assert printed.splitlines()[-1].startswith("200 kills, by worker [50, 50, 50, 50]")
