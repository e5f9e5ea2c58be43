"""benchmarks.data_parallel: every way to learn runs, for one update."""

from __future__ import annotations

from pathlib import Path

import pytest

from .programs import record_of

pytest.importorskip("torch", reason="PyTorch is not installed")
pytestmark = pytest.mark.unsanitized


def test_all_ways(tmp_path: Path) -> None:
    arguments = ("--updates", "1", "--rounds", "1")
    record = record_of("data_parallel", *arguments, directory=tmp_path, timeout=600)
    rates = record["steps_per_s"]
    assert set(rates) == {
        "1 rank",
        "2 ranks",
        "2 ranks, no checks",
        "2 alone, waiting",
        "2 alone",
    }
    assert all(len(each) == 1 and each[0] > 0 for each in rates.values())
    two, alone = rates["2 ranks"][0], rates["2 alone"][0]
    assert record["ratios"]["2 ranks / 2 alone"] == round(two / alone, 2)
