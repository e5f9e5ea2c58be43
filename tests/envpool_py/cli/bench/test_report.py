"""Tables, records and problems."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from envpool_py.cli.bench import report
from envpool_py.cli.bench.case import Case
from envpool_py.cli.bench.measure import Result
from envpool_py.cli.bench.peers import OURS
from envpool_py.cli.bench.sample import Outcome

from .results import CASE, record_of, result_of, text_of


@pytest.mark.parametrize(
    ("rate", "text"),
    [
        (0.5, "0.50"),
        (980, "980"),
        (999.4, "999"),
        (999.6, "1.00 k"),
        (60_700, "60.7 k"),
        (424_000, "424 k"),
        (999_600, "1.00 M"),
        (2_690_000, "2.69 M"),
        (28_000_000, "28.0 M"),
        (1.2e9, "1.20 G"),
    ],
)
def test_rates_have_three_digits(rate: float, text: str) -> None:
    assert report.format_rate(rate) == text


@pytest.mark.parametrize(
    ("ratio", "text"),
    [(0.00123, "0.0012x"), (0.5, "0.50x"), (9.994, "9.99x"), (12.04, "12.0x"), (1158, "1,158x")],
)
def test_ratios_have_two_or_three_digits(ratio: float, text: str) -> None:
    assert report.format_ratio(ratio) == text


def test_ratios_are_ours_over_the_peers_median() -> None:
    result = result_of({OURS: [100, 300, 200], "envpool": [10, 20, 90], "gymnasium-sync": []})
    assert result.ratio("envpool") == 10.0
    assert result.ratio("gymnasium-sync") is None
    assert result.ratio("nobody") is None


def test_the_table_shows_frames_where_steps_skip_some() -> None:
    rates = {OURS: [3000.0], "envpool": [1500.0]}
    plain = text_of(report.comparison_table(result_of(rates)))
    assert "frames/s" not in plain
    assert "2.00x" in plain
    skipping = Case("Pong-v5", 4, 4, 1, frame_skip=4)
    text = text_of(report.comparison_table(result_of(rates, skipping)))
    assert "frames/s" in text
    assert "12.0 k" in text


def test_problems_say_where_they_struck() -> None:
    lacks = Outcome("unavailable", reason="envpool has no B-v0")
    here, there = result_of({OURS: [1.0]}), result_of({OURS: [1.0]}, Case("B-v0", 1, 1, 1))
    there.results.append(Result("envpool", problem=lacks))
    assert report.problems([here, there]) == ["without EnvPool (B-v0, 1 env): envpool has no B-v0"]
    assert report.problems([here]) == []


def test_a_record_holds_everything_and_is_json() -> None:
    result = result_of({OURS: [100, 300, 200], "envpool": [10, 20, 90]})
    result.results[1].version = "1.2.5"
    record = json.loads(json.dumps(record_of(result)))
    assert record["schema"] == report.SCHEMA
    assert record["version"] == "1.2.3"
    assert record["versions"] == {"envpool": "1.2.5"}
    assert record["date"].endswith("+00:00")
    assert record["machine"]["cpu"] == "Some CPU"
    assert record["machine"]["cores"] == 2
    assert record["machine"]["compiler"] == "g++ 12"
    assert record["timing"] == {"seconds": 1.0, "warmup_seconds": 0.1, "rounds": 3}
    (case,) = record["cases"]
    assert Case.from_json(case["case"]) == CASE
    assert case["ratios"] == {"envpool": 10.0}
    ours = case["results"][0]
    assert (ours["name"], ours["status"], ours["steps_per_s"]) == (OURS, "ok", 200.0)
    assert [raw["steps_per_s"] for raw in ours["samples"]] == [100.0, 300.0, 200.0]
    assert set(ours["samples"][0]) == {
        "calls", "rows", "wall_ns", "cpu_ns", "stats", "steps_per_s",
    }  # fmt: skip


def test_the_commit_is_that_of_a_tree_of_its_own(tmp_path: Path) -> None:
    none = {"commit": None, "dirty": None}
    assert report.source_record(tmp_path) == none
    git = ["git", "-C", str(tmp_path), "-c", "user.name=n", "-c", "user.email=e@example.org"]
    for arguments in (["init", "-q"], ["commit", "-q", "--allow-empty", "-m", "first"]):
        subprocess.run([*git, *arguments], check=True)
    source = report.source_record(tmp_path)
    assert len(source["commit"]) == 40
    assert source["dirty"] is False
    inside = tmp_path / "site-packages"
    inside.mkdir()
    (inside / "file").touch()
    assert report.source_record(inside) == none
    assert report.source_record(tmp_path)["dirty"] is True
