"""Programs show each difference that the guide lists, with both libraries."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from .differences import COMPAT, MAIN, Difference, seen

ROOT = Path(__file__).resolve().parents[2]
EVERY = [
    pytest.param(item, surface, index, id=f"{surface}: {item.title}")
    for surface, items in (("COMPAT", COMPAT), ("MAIN", MAIN))
    for index, item in enumerate(items)
]
MODULES = {"COMPAT": "envpool_py.compat.envpool", "MAIN": "envpool_py"}


@pytest.mark.parametrize(("difference", "surface", "index"), EVERY)
def test_here(difference: Difference, surface: str, index: int) -> None:
    del index
    if difference.needs:
        pytest.importorskip(difference.needs)
    # Not imported: MetaWorld's import changes Gymnasium's registry.
    if difference.here_needs and importlib.util.find_spec(difference.here_needs) is None:
        pytest.skip(f"needs {difference.here_needs}")
    assert seen(difference, importlib.import_module(MODULES[surface])) == difference.sees


@pytest.mark.parametrize(("difference", "surface", "index"), EVERY)
def test_with_envpool(difference: Difference, surface: str, index: int) -> None:
    theirs = pytest.importorskip("envpool")
    if difference.needs:
        pytest.importorskip(difference.needs)
    if difference.unseen:
        pytest.skip(difference.unseen)
    came = in_a_process(surface, index) if difference.alone else seen(difference, theirs)
    assert came == difference.envpool_sees


def in_a_process(surface: str, index: int) -> Any:
    """Return the program's result with EnvPool, run in a child because it may hang or crash."""
    code = (
        f"import envpool, os; from tests.compat import differences as d; "
        f"print(repr(d.seen(d.{surface}[{index}], envpool)), flush=True); os._exit(0)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    return ast.literal_eval(done.stdout.splitlines()[-1])


@pytest.mark.parametrize(("difference", "surface", "index"), EVERY)
def test_is_one(difference: Difference, surface: str, index: int) -> None:
    del surface, index
    assert difference.unseen or difference.sees != difference.envpool_sees


def test_no_two_have_the_same_title() -> None:
    for items in (COMPAT, MAIN):
        assert len({item.title for item in items}) == len(items)
