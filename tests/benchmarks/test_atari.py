"""benchmarks.atari: floors, tables, pools, profiles, and a run that writes all results."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

pytest.importorskip("ale_py")

from benchmarks import atari, atari_profile, pool_cost, records, run
from benchmarks.atari import Measured
from benchmarks.atari_profile import Profile, ProfileError, StepParts
from benchmarks.cases import ATARI_TASKS, atari_suite
from benchmarks.pool_cost import PoolCost, PoolError, PoolSample
from envpool_py.cli.bench.atari import atari_case
from envpool_py.cli.bench.case import Case
from envpool_py.cli.bench.measure import CaseResult, KeptWorkers, Result, Timing
from envpool_py.cli.bench.peers import OURS, UnavailableError
from envpool_py.cli.bench.sample import Outcome, Sample

SECOND = 1_000_000_000  # ns
PARTS = StepParts(50.0, 3.0, 1.0, 0.5, 54.5)


def pools(make_s: float, ours: float, envpool: float | None) -> list[PoolCost]:
    theirs = [] if envpool is None else [PoolSample(60.0, 1.0, envpool)]
    return [
        PoolCost(OURS, 1024, [PoolSample(make_s, 0.3, ours)]),
        PoolCost("envpool", 1024, theirs, None if theirs else "envpool is not installed"),
    ]


def measured(costs: list[PoolCost], profiles: Sequence[Profile]) -> Measured:
    rates = []
    for line in atari_suite(["Pong-v5"], 2):
        results = [
            Result(name, [Sample(100, 40_000 if name == OURS else 5_000, SECOND, SECOND)])
            for name in line.participants
        ]
        rates.append(CaseResult(line.case, results))
    return Measured(rates, costs, list(profiles))


# Floors


@pytest.mark.parametrize(
    ("costs", "outside_us", "verdicts"),
    [
        (pools(0.99, 100e3, 300e3), 7.4, ["PASS", "PASS", "PASS"]),
        (pools(1.0, 100e3, 299e3), 7.5, ["MISS", "MISS", "MISS"]),
        (pools(0.5, 100e3, None), None, ["PASS", "UNKNOWN", "UNKNOWN"]),
        ([], None, ["UNKNOWN", "UNKNOWN", "UNKNOWN"]),
    ],
)
def test_floors(costs: list[PoolCost], outside_us: float | None, verdicts: list[str]) -> None:
    profiles = [] if outside_us is None else [Profile("Pong-v5", PARTS, outside_us)]
    found = atari.more_checks(measured(costs, profiles), ["Pong-v5"])
    assert [floor.verdict for floor in found] == verdicts
    assert [(floor.case, floor.what) for floor in found] == [
        ("Pong-v5, 1,024 envs", "under 1 s to make"),
        ("Pong-v5, 1,024 envs", "at least 3 times less memory than EnvPool"),
        ("Pong-v5, 1 thread", "under 12 us a step that are not emulation"),
    ]


def test_what_is_missing_is_named() -> None:
    lacking = measured(pools(0.5, 1e5, None), [])
    lacking.profile_problem = "not built"
    assert atari.problems(lacking) == [
        "pools without EnvPool: envpool is not installed",
        "no profile: not built",
    ]


def test_tables_are_whole_on_a_narrow_terminal() -> None:
    everything = measured(pools(0.25, 140e3, 1300e3), [Profile("Pong-v5", PARTS, 2.0)])
    out = io.StringIO()
    atari.show(Console(file=out, width=80), everything, atari.more_checks(everything, ["Pong-v5"]))
    text = out.getvalue()
    for expected in ("40.0 k", "8.00x", "0.25", "1,300", "140", "50.0", "6.5", "9.29", "PASS"):
        assert expected in text
    assert "…" not in text
    assert max(map(len, text.splitlines())) <= 80


# Pools


def test_peers_have_one_turn() -> None:
    assert pool_cost.turns([OURS, "envpool"], 3) == [
        (0, OURS),
        (0, "envpool"),
        (1, OURS),
        (2, OURS),
    ]


def test_a_pool_that_fails_is_left_out() -> None:
    launched: list[tuple[str, int]] = []

    def launch(name: str, case: Case) -> PoolSample:
        launched.append((name, case.num_envs))
        if name != OURS:
            raise PoolError("no")
        return PoolSample(float(len(launched)), 1.0, 10.0)

    cases = {OURS: atari_case("Pong-v5", 8, 8, 2), "envpool": atari_case("Pong-v5", 4, 4, 2)}
    ours, envpool = pool_cost.measure_pools(cases, 3, launch)
    assert launched == [(OURS, 8), ("envpool", 4), (OURS, 8), (OURS, 8)]
    assert (ours.median("make_s"), ours.num_envs, ours.problem) == (3.0, 8, None)
    assert (envpool.median("make_s"), envpool.num_envs, envpool.problem) == (None, 4, "no")
    assert pool_cost.memory_ratio([ours, envpool], "envpool") is None
    assert envpool.to_json()["problem"] == "no"
    assert len(ours.to_json()["samples"]) == 3


@pytest.mark.unsanitized
def test_a_pool_holds_at_least_its_frames_and_a_thousand_are_light() -> None:
    sample = pool_cost.launch_process(OURS, atari_case("Pong-v5", 256, 256, 2))
    assert sample.make_s > 0
    assert sample.reset_s > 0
    assert 4 * 84 * 84 + 210 * 160 < sample.env_bytes < 250_000


def test_a_pool_that_cannot_be_made_says_why() -> None:
    cart_pole = Case("CartPole-v1", 2, 2, 1)
    with pytest.raises(PoolError, match="ale-py has no CartPole-v1"):
        pool_cost.launch_process("ale-py", cart_pole)
    with pytest.raises(UnavailableError):
        pool_cost.measure("ale-py", cart_pole)


# Profiles


def test_everything_but_emulation_adds_up() -> None:
    profile = Profile("Pong-v5", PARTS, 2.0)
    assert profile.beside_emulation_us == 6.5
    assert profile.to_json()["beside_emulation_us"] == 6.5
    assert profile.to_json()["emulation_us"] == 50.0


def test_parts_are_read_from_the_program(tmp_path: Path) -> None:
    program = tmp_path / "program"
    program.touch()
    commands: list[Sequence[str]] = []

    def runner(command: Sequence[str]) -> str:
        commands.append(command)
        return (
            '{"emulation_us": 50, "pixels_us": 3, "stack_us": 1, "rest_us": 0.5, '
            '"environment_us": 54.5}'
        )

    assert atari_profile.measure_parts("MsPacman-v5", 9, program, runner) == PARTS
    ((_, game, rom, chunks),) = commands
    assert (game, Path(rom).name, chunks) == ("ms_pacman", "ms_pacman.bin", "9")
    with pytest.raises(ProfileError, match="unreadable result of program"):
        atari_profile.measure_parts("Pong-v5", 9, program, lambda command: "{}")


def test_a_program_that_is_missing_or_fails_says_why(tmp_path: Path) -> None:
    with pytest.raises(ProfileError, match="nothing is not built; `make bench-atari` builds it"):
        atari_profile.measure_parts("Pong-v5", 9, tmp_path / "nothing")
    with pytest.raises(ProfileError, match="cannot be run: No such file"):
        atari_profile.run_program([str(tmp_path / "nothing")])
    with pytest.raises(ProfileError, match="last words"):
        atari_profile.run_program([sys.executable, "-c", "import sys; sys.exit('a\\nlast words')"])


def test_outside_is_per_step() -> None:
    case = atari_case("Pong-v5", 8, 8, 1)
    sample = Sample(100, 800, 1_000_000, 0, {"step_ns": 200_000})  # 8 us a call outside the steps
    assert atari_profile.outside_of(CaseResult(case, [Result(OURS, [sample])])) == 1.0
    failed = Result(OURS, problem=Outcome("failed", reason="it broke"))
    with pytest.raises(ProfileError, match="Pong-v5, 8 envs: it broke"):
        atari_profile.outside_of(CaseResult(case, [failed]))


def test_a_pool_of_one_thread_spends_time_outside() -> None:
    assert 0 < atari_profile.measure_outside("Pong-v5", Timing(0.02, 0.0, 1)) < 1e4


# The command


@pytest.mark.parametrize(
    ("arguments", "tasks", "peer_envs", "name"),
    [
        ([], ATARI_TASKS, 1024, "latest.atari"),
        (["--check", "--name", "kept"], ATARI_TASKS, 1024, "kept"),
        (["--quick"], ATARI_TASKS, 64, "latest.atari"),
        (["Qbert-v5", "Pong-v5", "Qbert-v5"], ("Qbert-v5", "Pong-v5"), 1024, "latest.atari"),
        (["--rounds", "5"], ATARI_TASKS, 1024, "latest.atari"),
    ],
)
def test_arguments(arguments: list[str], tasks: tuple[str, ...], peer_envs: int, name: str) -> None:
    parsed = atari.parse(arguments)
    assert parsed.tasks == tasks
    assert parsed.peer_envs == peer_envs
    assert parsed.name == name


def test_a_task_that_is_none_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        atari.parse(["Pnog-v5"])
    assert caught.value.code == 2
    assert 'did you mean "Pong-v5"' in capsys.readouterr().err


@pytest.fixture
def made_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Replaces the measurements by fixed figures; the run writes its results to `tmp_path`."""
    table: dict[str, Any] = {"rate": 1e5, "parts": PARTS}

    def launch(name: str, case: Case, timing: Timing) -> Outcome:
        rate = table["rate"] if name == OURS else 1e4
        return Outcome("ok", Sample(100, int(rate), SECOND, SECOND, {"step_ns": SECOND - 100}))

    def parts(*_: object) -> StepParts:
        if table["parts"] is None:
            raise ProfileError("not built")
        return table["parts"]

    monkeypatch.setattr(KeptWorkers, "launch", staticmethod(launch))
    monkeypatch.setattr(atari_profile, "launch_worker", launch)
    monkeypatch.setattr(atari_profile, "measure_parts", parts)
    monkeypatch.setattr(
        pool_cost, "measure_pools", lambda cases, rounds, **_: pools(0.2, 1e5, 1.3e6)
    )
    monkeypatch.setattr(records, "RESULTS", tmp_path)
    monkeypatch.setattr(run, "_ROOT", tmp_path)
    return table


def test_a_run_prints_and_writes_everything(
    made_up: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("matplotlib")
    assert atari.main(["--check", "--name", "named"]) == 0
    out, err = capsys.readouterr()
    for expected in ("Environment steps per second", "A pool of Pong-v5", "Microseconds a step"):
        assert expected in out
    assert "MISS" not in out
    record = json.loads((tmp_path / "named.json").read_text())
    assert [case["case"]["task"] for case in record["cases"]] == [
        task for task in ATARI_TASKS for _ in range(2)
    ]
    assert [profile["task"] for profile in record["profiles"]] == list(ATARI_TASKS)
    assert [library["name"] for library in record["pools"]["libraries"]] == [OURS, "envpool"]
    assert len(record["floors"]) == 12 * 3 + 2 + 6
    assert (tmp_path / "named.png").read_bytes().startswith(b"\x89PNG\r\n\x1a\n")
    assert "wrote named.json" in err.splitlines()


def test_check_makes_what_is_not_measured_an_error(
    made_up: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    made_up["parts"] = None
    assert atari.main(["Pong-v5"]) == 0
    assert "no profile: not built" in capsys.readouterr().err.splitlines()
    assert atari.main(["Pong-v5", "--check"]) == 1
    made_up.update(parts=PARTS, rate=3e4)
    assert atari.main(["Pong-v5", "--check"]) == 1
