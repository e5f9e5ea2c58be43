"""benchmarks.run: the standard cases, their floors, what a run prints, writes and returns."""

from __future__ import annotations

import dataclasses
import io
import json
import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest
from rich.console import Console

import envpool_py
from benchmarks import plain_loop, records, run, tables
from benchmarks.cases import (
    ATARI_TASKS,
    SuiteCase,
    atari_suite,
    checks,
    python_suite,
    standard_suite,
)
from benchmarks.plain_loop import PlainLoop
from envpool_py.cli.bench.case import Case
from envpool_py.cli.bench.measure import CaseResult, KeptWorkers, Result, Timing
from envpool_py.cli.bench.peers import OURS, PEERS
from envpool_py.cli.bench.progress import TurnProgress
from envpool_py.cli.bench.sample import Outcome, Sample

LINE = SuiteCase(
    Case("CartPole-v1", 256, 256, 2), ("envpool",), {"envpool": 40.0}, 4.0, "cartpole", 35.0
)
SECOND = 1_000_000_000  # ns


def result_of(rates: Mapping[str, float | None], outside_us: float | None = None) -> CaseResult:
    results = []
    for name, rate in rates.items():
        samples = []
        if rate is not None:
            inside = None if outside_us is None else SECOND - int(outside_us * 100_000)
            stats = None if inside is None else {"step_ns": inside}
            samples = [Sample(100, int(rate), SECOND, SECOND, stats)]
        results.append(Result(name, samples))
    return CaseResult(LINE.case, results)


@pytest.mark.parametrize("num_threads", [1, 2, 64])
def test_the_standard_cases_can_be_measured(num_threads: int) -> None:
    suite = standard_suite(num_threads)
    titles = [line.case.title for line in suite]
    assert len(set(titles)) == len(titles)
    for line in suite:
        assert line.case.task in envpool_py.list_all_envs()
        assert set(line.peers) <= set(PEERS)
        assert set(line.floors) <= set(line.peers)
        assert line.case.num_threads <= min(num_threads, line.case.num_envs)
        assert line.participants[0] == OURS
    assert {line.case.task for line in suite if line.case.first_ready} == {"Pong-v5", "CartPole-v1"}
    assert {line.case.num_envs for line in suite} == {1, 8, 32, 256, 1024, 4096}


def test_the_atari_cases_are_those_of_the_project() -> None:
    suite = atari_suite(ATARI_TASKS, 2)
    assert [line.case.title for line in suite[:2]] == [
        "Pong-v5, 8 envs", "Pong-v5, 32 envs, batches of 16",
    ]  # fmt: skip
    assert len(suite) == 12
    for line in suite:
        assert dict(line.floors) == {"envpool": 4.0, "ale-py": 4.0, "gymnasium-async": 8.0}
        assert line.case.num_threads == 2
        assert set(line.peers) <= set(PEERS)


def test_a_floor_says_what_the_aim_is() -> None:
    (line, *_) = atari_suite(["Pong-v5"], 2)
    rates = {OURS: 400.0, "envpool": 100.0, "ale-py": 101.0, "gymnasium-async": None}
    found = checks([line], [result_of(rates)])
    assert [(check.what, check.verdict) for check in found] == [
        ("at least 4 times EnvPool (aim 6)", "PASS"),
        ("at least 4 times ale-py vector (aim 6)", "MISS"),
        ("at least 8 times Gymnasium async", "UNKNOWN"),
    ]


def test_cases_of_long_episodes_are_measured_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Timing] = []

    def launch(name: str, case: Case, timing: Timing) -> Outcome:
        seen.append(timing)
        return fake_launch({}, name)

    monkeypatch.setattr(KeptWorkers, "launch", staticmethod(launch))
    line = dataclasses.replace(LINE, peers=(), limit=None, length=2.5)
    with TurnProgress(Console(file=io.StringIO()), 1) as progress:
        run.measure([line], Timing(0.8, 0.2, 1), progress)
    assert seen == [Timing(2.0, 0.5, 1)]


@pytest.mark.parametrize(
    ("rates", "outside_us", "verdicts"),
    [
        ({OURS: 4000.0, "envpool": 100.0}, 3.9, ["PASS", "PASS"]),
        ({OURS: 3999.0, "envpool": 100.0}, 4.0, ["MISS", "MISS"]),
        ({OURS: 4000.0, "envpool": None}, None, ["UNKNOWN", "UNKNOWN"]),
        ({OURS: None, "envpool": 100.0}, None, ["UNKNOWN", "UNKNOWN"]),
    ],
)
def test_floors(
    rates: dict[str, float | None], outside_us: float | None, verdicts: list[str]
) -> None:
    found = checks([LINE], [result_of(rates, outside_us)])
    assert [check.verdict for check in found] == verdicts
    assert [check.what for check in found] == [
        "at least 40 times EnvPool",
        "under 4 us of a call outside the environment",
    ]


def test_tables_are_whole_on_a_narrow_terminal() -> None:
    result = result_of({OURS: 40e6, "envpool": 4e5, plain_loop.NAME: 50e6}, 0.5)
    out = io.StringIO()
    tables.show(Console(file=out, width=80), [LINE], [result], checks([LINE], [result]))
    text = out.getvalue()
    for expected in (
        "CartPole-v1,",
        "40.0 M",
        "100x",  # relative to EnvPool
        "50.0",  # ns per step and core, our pool
        "40.0",  # ns per step and core, the plain loop
        "1.25x",
        "35",
        "0.50",  # us outside the environment
        "PASS",
    ):
        assert expected in text
    assert "…" not in text
    assert max(map(len, text.splitlines())) <= 80


@pytest.mark.parametrize(
    ("suite", "width"),
    [(standard_suite(2) + atari_suite(ATARI_TASKS, 2), 80), (python_suite(), 90)],
    ids=["C++", "Python"],
)
def test_the_table_of_all_libraries_is_whole_on_a_narrow_terminal(
    suite: list[SuiteCase], width: int
) -> None:
    peers = {peer for line in suite for peer in line.peers}
    rates: dict[str, float | None] = dict.fromkeys([OURS, *peers], 123_456.0)
    out = io.StringIO()
    tables.show(Console(file=out, width=width), [LINE], [result_of(rates)], [])
    text = out.getvalue()
    assert text.count("123 k") == 1 + len(peers)
    assert "…" not in text


def test_a_table_without_rows_is_left_out() -> None:
    out = io.StringIO()
    tables.show(Console(file=out, width=80), [], [], [])
    assert out.getvalue() == ""


@pytest.mark.skipif(shutil.which("c++") is None, reason="needs a C++ compiler")
def test_the_plain_loop_compiles_and_measures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CXX", raising=False)
    monkeypatch.delenv("LD_PRELOAD", raising=False)  # a compiler must not load a sanitizer
    loop = PlainLoop("cartpole", tmp_path)
    loop.build()
    for num_envs, num_threads in ((5, 2), (1, 2)):
        case = Case("CartPole-v1", num_envs, num_envs, num_threads)
        outcome = loop.launch(case, Timing(0.01, 0.0, 1))
        assert outcome.status == "ok", outcome.reason
        assert outcome.sample is not None
        assert outcome.sample.rows > 0
        assert outcome.sample.wall_ns >= SECOND // 100


def test_without_a_compiler_the_loop_is_unavailable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CXX", "no-such-compiler")
    loop = PlainLoop("cartpole", tmp_path)
    loop.build()
    outcome = loop.launch(LINE.case, Timing(0.01, 0.0, 1))
    assert outcome.status == "unavailable"
    assert outcome.reason == "no compiler called no-such-compiler"


def fake_launch(rates: Mapping[str, float], name: str) -> Outcome:
    return Outcome("ok", Sample(100, int(rates.get(name, 1e5)), SECOND, SECOND, {"step_ns": 1}))


@pytest.fixture
def fast(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, float]:
    """Replaces the measurements by a table of rates; the run writes its results to `tmp_path`."""
    rates = {OURS: 1e8}
    monkeypatch.setattr(
        KeptWorkers, "launch", staticmethod(lambda name, case, timing: fake_launch(rates, name))
    )
    monkeypatch.setattr(PlainLoop, "build", lambda self: None)
    monkeypatch.setattr(
        PlainLoop, "launch", lambda self, case, timing: fake_launch(rates, plain_loop.NAME)
    )
    monkeypatch.setattr(records, "RESULTS", tmp_path)
    monkeypatch.setattr(run, "_ROOT", tmp_path)
    return rates


def test_a_run_prints_and_writes_everything(
    fast: dict[str, float], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("matplotlib")
    assert run.main(["--quick", "--only", "cartpole", "--name", "named"]) == 0
    out, err = capsys.readouterr()
    assert "Environment steps per second" in out
    assert "how far from the limit" in out
    assert "PASS" in out
    record = json.loads((tmp_path / "named.json").read_text())
    suite = [line for line in standard_suite(2) if line.case.task == "CartPole-v1"]
    assert [case["title"] for case in record["cases"]] == [line.case.title for line in suite]
    assert {check["verdict"] for check in record["floors"]} == {"PASS", "MISS"}
    assert (tmp_path / "named.png").read_bytes().startswith(b"\x89PNG\r\n\x1a\n")
    assert "wrote named.json" in err.splitlines()


@pytest.mark.parametrize(("ours", "code"), [(1e8, 0), (1.0, 1)])
def test_check_makes_a_miss_an_error(fast: dict[str, float], ours: float, code: int) -> None:
    fast[OURS] = ours
    arguments = ["--quick", "--only", "256 envs"]
    assert run.main(arguments) == 0
    assert run.main([*arguments, "--check"]) == code


def test_a_pattern_without_cases_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert run.main(["--only", "zzz"]) == 2
    assert "no case has 'zzz' in its title" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ([], Timing(0.8, 0.2, 3)),
        (["--quick"], Timing(0.2, 0.05, 1)),
        (["--quick", "--seconds", "2", "--rounds", "5"], Timing(2.0, 0.05, 5)),
        (["--seconds", "0.01"], Timing(0.01, 0.01, 3)),
    ],
)
def test_timing(arguments: list[str], expected: Timing) -> None:
    assert run.make_timing(run.parse(arguments)) == expected
