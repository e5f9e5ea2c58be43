"""benchmarks.samplers: its table and record, with processes that stand for the samplers."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

import benchmarks.samplers.__main__ as samplers
from benchmarks import records

PRINTS = """
import json, sys
print("a library's own output")
print(json.dumps({"steps": 100 * len(sys.argv), "seconds": 2.0, "versions": {"one": "1.0"}}))
"""


def processes(*titles: str) -> list[samplers.Sampler]:
    return [samplers.Sampler(title, [sys.executable, "-c", PRINTS]) for title in titles]


def test_results_and_a_sampler_without_one(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(records, "RESULTS", tmp_path)
    monkeypatch.setattr(samplers, "ROOT", tmp_path)
    missing = samplers.Sampler("missing", [sys.executable, "-c", "import no_such_module"])
    monkeypatch.setattr(
        samplers, "make_samplers", lambda _: [*processes(samplers.OURS, "other"), missing]
    )
    arguments = ["--sample-factory", "python", "--only", "Pong", "--rounds", "2", "--name", "short"]
    assert samplers.main(arguments) == 0
    shown = capsys.readouterr()
    assert "Pong-v5, 32 envs" in shown.out
    assert "1.00x" in shown.out
    assert "missing gave no result: ModuleNotFoundError" in shown.err
    record = json.loads((tmp_path / "short.json").read_text())
    [case] = record["cases"]
    ours, other, absent = case["samplers"]
    assert ours["rates"] == [550.0, 550.0]  # ten arguments and the program
    assert other["steps_per_s"] == 550.0
    assert absent["steps_per_s"] is None
    assert "no_such_module" in absent["problem"]


def test_ours_must_have_a_result(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(records, "RESULTS", tmp_path)
    monkeypatch.setattr(samplers, "ROOT", tmp_path)
    failing = samplers.Sampler(samplers.OURS, [sys.executable, "-c", "raise SystemExit(3)"])
    monkeypatch.setattr(samplers, "make_samplers", lambda _: [failing])
    assert samplers.main(["--sample-factory", "python", "--only", "Pong", "--quick"]) == 1


def test_no_case(capsys: pytest.CaptureFixture[str]) -> None:
    assert samplers.main(["--sample-factory", "python", "--only", "Checkers"]) == 2
    assert "no case has 'Checkers' in its title" in capsys.readouterr().err
