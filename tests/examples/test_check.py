"""The check of the training libraries: when it fails, and its report."""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path
from typing import Any

import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


@pytest.fixture
def check(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Returns the program with installation, tests and training replaced."""
    monkeypatch.syspath_prepend(EXAMPLES)
    for name in ("cartpole", "report", "check"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    module = importlib.import_module("check")
    monkeypatch.setattr(module, "_stage", lambda: Path())
    monkeypatch.setattr(module, "_install", lambda name: Path(name))
    monkeypatch.setattr(module, "_test", lambda library, python, package: None)
    return module


def run(
    check: Any,
    monkeypatch: pytest.MonkeyPatch,
    directory: Path,
    returns: dict[str, float],
    name: str = "pfrl",
    **changes: Any,
) -> None:
    """Runs the check for library `name`; each engine reaches its entry of `returns`.

    `changes` modify the records of our engines.
    """

    def learn(library: Any, python: Path, package: Path, engine: str, arguments: Any) -> None:
        recorded = f"{name}.{engine.removesuffix('-processes')}.json"
        record = json.loads((EXAMPLES / "results" / recorded).read_text())
        record["evaluation"]["mean_return"] = returns[engine]
        if engine.startswith("envpool_py"):
            record.update(changes)
        (directory / f"{name}.{engine}.json").write_text(json.dumps(record))

    monkeypatch.setattr(check, "_learn", learn)
    monkeypatch.setattr(sys, "argv", ["check.py", "--only", name, "--results", str(directory)])
    check.main()


def test_passes_and_draws(
    check: Any,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    run(check, monkeypatch, tmp_path, {"gymnasium": 475.0, "envpool_py": 500.0})
    out = capsys.readouterr().out
    assert "475.0" in out
    assert "returns in training equal" in out
    assert "missed" not in out
    assert (tmp_path / "cartpole.png").read_bytes().startswith(b"\x89PNG")
    assert not (tmp_path / "cartpole-processes.png").exists()


def test_a_library_with_all_engines(
    check: Any,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    returns = dict.fromkeys(check.ENGINES + check.PROCESS_ENGINES, 500.0)
    run(check, monkeypatch, tmp_path, returns, name="torchrl")
    assert capsys.readouterr().out.count("returns in training equal") == 2
    for picture in ("cartpole.png", "cartpole-processes.png"):
        assert (tmp_path / picture).read_bytes().startswith(b"\x89PNG")


def test_fails_where_training_differs(
    check: Any,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    returns = {"gymnasium": 500.0, "envpool_py": 500.0}
    with pytest.raises(
        SystemExit, match="returns in training differ: pfrl on envpool_py and gymnasium"
    ):
        run(check, monkeypatch, tmp_path, returns, returns_sha256="another")
    assert "returns in training differ" in capsys.readouterr().out


def test_fails_where_a_return_is_missed(
    check: Any,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SystemExit, match="a mean return is too low"):
        run(check, monkeypatch, tmp_path, {"gymnasium": 500.0, "envpool_py": 474.9})
    assert "missed" in capsys.readouterr().out


def test_fails_where_a_part_fails(
    check: Any,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def fail(library: Any, python: Path, package: Path) -> None:
        raise check.StepFailedError("tests failed with status 1")

    monkeypatch.setattr(check, "_test", fail)
    with pytest.raises(SystemExit, match="failed: pfrl"):
        run(check, monkeypatch, tmp_path, {})
    assert "tests failed with status 1" in capsys.readouterr().out


def test_programs_of_envpool_alone(
    check: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """These programs have their own comparison, and need no CartPole record."""
    compared: list[Path] = []
    monkeypatch.setattr(check, "_compare", lambda python, package, results: compared.append(python))
    monkeypatch.setattr(
        sys, "argv", ["check.py", "--only", "from-envpool", "--results", str(tmp_path)]
    )
    check.main()
    assert compared == [Path("envpool")]

    def fail(python: Path, package: Path, results: Path) -> None:
        raise check.StepFailedError("the comparison failed with status 1")

    monkeypatch.setattr(check, "_compare", fail)
    with pytest.raises(SystemExit, match="failed: from-envpool"):
        check.main()
    assert "the comparison failed with status 1" in capsys.readouterr().out


def test_the_recorded_runs_reach_the_return(check: Any) -> None:
    names = [library.name for library in check.LIBRARIES]
    records = check.report.read(EXAMPLES / "results", names)
    for library in check.LIBRARIES:
        runs = records[library.name]
        assert set(runs) == set(library.engines)
        for record in runs.values():
            assert record["evaluation"]["episodes"] == 100
            assert check.report.mean_return(record) >= check.TARGET
        for pair in check.report.PAIRS:
            assert check.report.same_training(runs, pair) == (set(pair) <= set(library.engines))
    for picture in check.PICTURES.values():
        assert (EXAMPLES / "results" / picture).read_bytes().startswith(b"\x89PNG")


def test_every_record_is_one_line() -> None:
    for path in (EXAMPLES / "results").rglob("*.json"):
        text = path.read_text()
        assert text == json.dumps(json.loads(text)) + "\n"
