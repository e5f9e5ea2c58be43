"""benchmarks.tuning: its grid, and a short run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks import tuning
from envpool_py.cli.bench.tuning import Limits, Setting


def test_the_grid_has_whole_half_and_quarter_batches() -> None:
    found = tuning.grid(Limits([1, 2], most_envs=4))
    assert len(set(found)) == len(found) == 2 * (1 + 2 + 3)
    assert Setting(4, 2, 1) in found
    assert all(1 <= setting.batch_size <= setting.num_envs for setting in found)


@pytest.mark.unsanitized
def test_a_quick_run_prints_and_writes_everything(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(tuning, "QUICK", tuning.Lengths(0.2, 0.001, 0.01, 1))
    monkeypatch.setattr(tuning, "CONSUMERS_US", (100.0,))
    monkeypatch.setattr(tuning, "HIDING_TASK", "CartPole-v1")
    path = tmp_path / "tuning.json"
    assert tuning.main(["CartPole-v1", "--quick", "--json", str(path)]) == 0
    printed = capsys.readouterr().out
    assert "The choice of tune beside the best of a grid" in printed
    assert "First-ready pools with a policy that waits" in printed
    record = json.loads(path.read_text())
    [chosen], [hidden] = record["chosen"], record["hidden"]
    assert chosen["ratio"] == chosen["choice_steps_per_s"] / chosen["best_steps_per_s"] > 0
    assert hidden["steps_per_s"] > 0
    assert hidden["setting"]["num_envs"] == 4 * hidden["setting"]["batch_size"]
