"""envpool_py.bench: the turns, the arithmetic, what happens to a library that cannot take part."""

from __future__ import annotations

import dataclasses
import gc
import io
import json
import signal
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from rich.console import Console
from rich.table import Table

from envpool_py.bench import measure, peers, plot, report, worker
from envpool_py.bench.atari import atari_case
from envpool_py.bench.case import Case
from envpool_py.bench.drivers import FirstReadyDriver, OrderedDriver
from envpool_py.bench.measure import CaseResult, Result, Timing
from envpool_py.bench.peers import OURS, PARTICIPANTS, PEERS, Participant, default_peers
from envpool_py.bench.progress import TurnProgress
from envpool_py.bench.sample import Outcome, Sample

CASE = Case("CartPole-v1", num_envs=4, batch_size=4, num_threads=1)
SHORT = Timing(seconds=0.005, warmup_seconds=0.0, rounds=1)
MS = 1_000_000  # ns
MACHINE = {
    "cpu": "Some CPU",
    "cpus": [0, 1],
    "numa_nodes": [{"id": 0, "cpus": [0, 1]}],
    "default_num_threads": 2,
    "compiler": "g++ 12",
    "build_type": "Release",
}


def sample(rate: float, calls: int = 10) -> Sample:
    """One second at `rate` steps per second."""
    return Sample(calls=calls, rows=int(rate), wall_ns=1_000 * MS, cpu_ns=0)


def result_of(rates: Mapping[str, Iterable[float]], case: Case = CASE) -> CaseResult:
    return CaseResult(
        case, [Result(name, [sample(rate) for rate in values]) for name, values in rates.items()]
    )


def record_of(*results: CaseResult) -> dict[str, Any]:
    return report.record(results, Timing(1.0, 0.1, 3), MACHINE, {"commit": None}, "1.2.3")


def text_of(table: Table, width: int = 200) -> str:
    out = io.StringIO()
    Console(file=out, width=width).print(table)
    return out.getvalue()


# Cases


def test_a_case_survives_json() -> None:
    case = Case(
        "Pong-v5",
        num_envs=8,
        batch_size=4,
        num_threads=2,
        frame_skip=4,
        options={"stack_num": 4},
        peer_tasks={"gymnasium-sync": "ALE/Pong-v5"},
        peer_options={"gymnasium-sync": {}},
        wrappers={"FrameStackObservation": {"stack_size": 4}},
    )
    again = Case.from_json(json.loads(json.dumps(case.to_json())))
    assert again == case
    assert again.first_ready
    assert again.task_for("gymnasium-sync") == "ALE/Pong-v5"
    assert again.task_for("envpool") == "Pong-v5"
    assert again.options_for("envpool") == {"stack_num": 4}
    assert again.options_for("gymnasium-sync") == {}


@pytest.mark.parametrize(
    ("numbers", "message"),
    [
        ((0, 1, 1), "num_envs must be at least 1, got 0"),
        ((4, 0, 1), "batch_size must be at least 1, got 0"),
        ((4, 5, 1), r"batch_size must be at most num_envs \(4\), got 5"),
        ((4, 4, -1), "num_threads must be at least 1, got -1"),
    ],
)
def test_a_case_checks_its_numbers(numbers: tuple[int, int, int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Case("CartPole-v1", *numbers)


def test_titles_tell_cases_apart() -> None:
    assert Case("A-v0", 1, 1, 1).title == "A-v0, 1 env"
    assert Case("A-v0", 4096, 4096, 1).title == "A-v0, 4,096 envs"
    assert Case("A-v0", 1024, 256, 1).title == "A-v0, 1,024 envs, batches of 256"


# Turns


def test_participants_take_turns() -> None:
    turns = measure.schedule(["a", "b", "c"], 2)
    assert turns == [(0, "a"), (0, "b"), (0, "c"), (1, "a"), (1, "b"), (1, "c")]


def test_run_case_measures_in_turn_and_keeps_every_sample() -> None:
    rates = {"a": iter([30.0, 10.0, 20.0]), "b": iter([5.0, 5.0, 2.0])}
    launched: list[str] = []
    started: list[tuple[int, str]] = []

    def launch(name: str, case: Case, timing: Timing) -> Outcome:
        launched.append(name)
        assert case is CASE
        return Outcome("ok", sample(next(rates[name])), version="9")

    timing = Timing(1.0, 0.0, rounds=3)
    result = measure.run_case(CASE, ["a", "b"], timing, launch, lambda *turn: started.append(turn))
    assert launched == ["a", "b", "a", "b", "a", "b"]
    assert started == measure.schedule(["a", "b"], 3)
    a, b = result.results
    assert [entry.steps_per_s for entry in a.samples] == [30.0, 10.0, 20.0]
    assert (a.steps_per_s, b.steps_per_s) == (20.0, 5.0)
    assert a.spread == 1.0
    assert a.version == "9"
    assert a.problem is None


def test_one_that_cannot_take_part_is_left_out_and_the_others_go_on() -> None:
    launched: list[str] = []
    ended: list[tuple[int, str, bool]] = []
    missing = Outcome("unavailable", reason="b is not installed", remedy="pip install b")

    def launch(name: str, case: Case, timing: Timing) -> Outcome:
        launched.append(name)
        return missing if name == "b" else Outcome("ok", sample(1.0))

    result = measure.run_case(
        CASE,
        ["a", "b"],
        Timing(1.0, 0.0, rounds=2),
        launch,
        on_end=lambda turn, name, outcome: ended.append((turn, name, outcome is None)),
    )
    assert launched == ["a", "b", "a"]
    assert ended == [(0, "a", False), (0, "b", False), (1, "a", False), (1, "b", True)]
    b = result.results[1]
    assert b.problem is missing
    assert b.steps_per_s is None
    assert report.problems([result]) == [
        "without b: b is not installed; to add it: pip install b",
    ]


# The measurement itself


class FakeDriver:
    """Takes 1 ms of a clock of its own per call, and counts the calls."""

    num_actions = 4
    rows_per_call = 4

    def __init__(self) -> None:
        self.now = 7 * MS
        self.seen: list[Any] = []

    def action_space(self) -> Any:
        return gymnasium.spaces.Discrete(2)

    def advance(self, actions: Iterable[Any]) -> None:
        for action in actions:
            self.seen.append(action)
            self.now += MS

    def stats(self) -> Mapping[str, int]:
        return {"steps": 4 * len(self.seen), "step_ns": 600_000 * len(self.seen)}

    def close(self) -> None:
        pass


def measure_fake(driver: FakeDriver, seconds: float, warmup: float) -> Sample:
    return worker.measure(
        driver, ["p", "q", "r"], seconds, warmup, lambda: driver.now, lambda: 2 * driver.now
    )


def test_a_sample_counts_what_was_stepped_after_the_warm_up() -> None:
    driver = FakeDriver()
    measured = measure_fake(driver, seconds=0.1, warmup=0.02)
    assert measured.calls == 100
    assert measured.rows == 400
    assert measured.wall_ns == 100 * MS
    assert measured.cpu_ns == 200 * MS
    assert measured.stats == {"steps": 400, "step_ns": 60 * MS}
    assert measured.steps_per_s == 4000.0
    assert measured.call_us == 1000.0
    assert measured.outside_us == pytest.approx(400.0)
    assert len(driver.seen) == 120


def test_actions_come_in_order_without_a_break_after_the_warm_up() -> None:
    driver = FakeDriver()
    measure_fake(driver, seconds=0.01, warmup=0.004)
    assert driver.seen == [("p", "q", "r")[i % 3] for i in range(len(driver.seen))]


def test_a_call_longer_than_the_time_is_measured_whole() -> None:
    driver = FakeDriver()
    measured = measure_fake(driver, seconds=0.0001, warmup=0.0)
    assert (measured.calls, measured.wall_ns) == (1, MS)


def test_the_collector_is_off_while_measuring_only() -> None:
    states: list[bool] = []

    class Driver(FakeDriver):
        def advance(self, actions: Iterable[Any]) -> None:
            states.append(gc.isenabled())
            super().advance(actions)
            if len(self.seen) > 5:
                raise RuntimeError("broken")

    with pytest.raises(RuntimeError, match="broken"):
        measure_fake(Driver(), seconds=1.0, warmup=0.0)
    assert states[0] is True
    assert states[-1] is False
    assert gc.isenabled()


def test_time_outside_is_unknown_without_the_engines_clock() -> None:
    assert sample(1.0).outside_us is None
    assert Sample(1, 1, MS, MS, {"steps": 1, "step_ns": 0}).outside_us is None


@pytest.mark.parametrize(
    ("space", "shape", "dtype"),
    [
        (gymnasium.spaces.Discrete(3), (5,), np.int64),
        (gymnasium.spaces.Box(-1, 1, (2,), np.float32), (5, 2), np.float32),
        (gymnasium.spaces.MultiDiscrete([2, 3]), (5, 2), np.int64),
    ],
)
def test_actions_are_equal_for_equal_seeds(
    space: gymnasium.Space[Any], shape: tuple[int, ...], dtype: type
) -> None:
    first = worker.sample_actions(space, 5, seed=1)
    again = worker.sample_actions(space, 5, seed=1)
    other = worker.sample_actions(space, 5, seed=2)
    assert len(first) == 64
    assert all(batch.shape == shape and batch.dtype == dtype for batch in first)
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other)


def test_actions_of_many_environments_stay_small() -> None:
    batches = worker.sample_actions(gymnasium.spaces.Discrete(2), 50_000, seed=0)
    assert len(batches) == 8


class FakeEnv:
    """Remembers what it was asked."""

    def __init__(self) -> None:
        self.calls: list[tuple[Any, ...]] = []
        self.action_space = gymnasium.spaces.Discrete(2)

    def reset(self, seed: int | None = None) -> None:
        self.calls.append(("reset", seed))

    def step(self, action: Any) -> None:
        self.calls.append(("step", action))

    def async_reset(self) -> None:
        self.calls.append(("async_reset",))

    def recv(self) -> tuple[Any, ...]:
        self.calls.append(("recv",))
        return None, None, None, None, {"env_id": len(self.calls)}

    def send(self, action: Any, env_id: Any) -> None:
        self.calls.append(("send", action, env_id))

    def close(self) -> None:
        self.calls.append(("close",))


def test_the_ordered_driver_resets_once_and_steps() -> None:
    env = FakeEnv()
    driver = OrderedDriver(env, 4, seed=3)
    driver.advance(iter([10, 11]))
    assert env.calls == [("reset", 3), ("step", 10), ("step", 11)]
    assert driver.rows_per_call == 4
    assert driver.stats() is None


def test_the_first_ready_driver_answers_those_it_heard_from() -> None:
    env = FakeEnv()
    driver = FirstReadyDriver(env, 2)
    driver.advance(iter([10, 11]))
    assert env.calls == [("async_reset",), ("recv",), ("send", 10, 2), ("recv",), ("send", 11, 4)]
    assert driver.rows_per_call == 2


# Workers


def test_a_missing_library_is_named_with_the_command_that_installs_it() -> None:
    participant = Participant(
        "nolib", "NoLib", "no_such_library", "no-such-library", "pip install no-such-library",
        make=lambda case: pytest.fail("made"),
    )  # fmt: skip
    outcome = worker.run(participant, CASE, 0.001, 0.0)
    assert outcome == Outcome(
        "unavailable",
        reason="no_such_library is not installed",
        remedy="pip install no-such-library",
    )


@pytest.mark.parametrize(
    ("name", "task", "reason"),
    [
        ("gymnasium-sync", "NoSuchTask-v0", "gymnasium has no NoSuchTask-v0"),
        ("gymnasium-vectorized", "Pendulum-v1", "gymnasium has no NumPy-vectorised Pendulum-v1"),
    ],
)
def test_a_task_that_a_library_lacks_is_no_failure(name: str, task: str, reason: str) -> None:
    outcome = worker.run(PARTICIPANTS[name], Case(task, 1, 1, 1), 0.001, 0.0)
    assert outcome.status == "unavailable"
    assert outcome.reason is not None
    assert outcome.reason.startswith(reason)
    assert outcome.version == gymnasium.__version__


def test_what_a_library_raises_becomes_one_line() -> None:
    def raise_error(case: Case) -> Any:
        raise RuntimeError("first line\nsecond line")

    participant = Participant("x", "X", "json", "x", "", make=raise_error)
    outcome = worker.run(participant, CASE, 0.001, 0.0)
    assert outcome == Outcome("failed", reason="RuntimeError: first line")


@pytest.mark.parametrize(
    ("name", "batch_size", "rows_per_call"),
    [(OURS, 4, 4), (OURS, 2, 2), ("gymnasium-sync", 4, 4), ("gymnasium-vectorized", 2, 4)],
)
def test_a_worker_process_measures(name: str, batch_size: int, rows_per_call: int) -> None:
    case = Case("CartPole-v1", num_envs=4, batch_size=batch_size, num_threads=2)
    outcome = measure.launch_worker(name, case, SHORT)
    assert outcome.status == "ok", outcome.reason
    measured = outcome.sample
    assert measured is not None
    assert measured.calls >= 1
    assert measured.rows == measured.calls * rows_per_call
    assert measured.wall_ns >= 5 * MS
    assert outcome.version
    if name == OURS:
        assert measured.stats is not None
        assert measured.stats["step_ns"] > 0
        # Each of the two readings may be off by what was in flight just then.
        counted = measured.stats["steps"] + measured.stats["resets"]
        assert abs(counted - measured.rows) <= 2 * case.num_envs


def test_what_a_library_prints_does_not_mix_with_the_result() -> None:
    source = """
import os, sys
from envpool_py.bench import peers, worker

def chatter(case):
    print("from Python")
    os.write(1, b"from C")
    raise RuntimeError("no")

peers.PARTICIPANTS["x"] = peers.Participant("x", "X", "json", "x", "", make=chatter)
sys.exit(worker.main())
"""
    spec = {"participant": "x", "case": CASE.to_json(), "seconds": 0.001, "warmup_seconds": 0.0}
    done = subprocess.run(
        [sys.executable, "-c", source, "--json-spec", json.dumps(spec)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert Outcome.from_json(json.loads(done.stdout)).reason == "RuntimeError: no"
    assert "from Python" in done.stderr
    assert "from C" in done.stderr


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", "signal SIGKILL"),
        ("import sys; sys.exit('first\\nlast words')", "exit code 1: last words"),
        ("raise SystemExit(3)", "exit code 3"),
        ("print('nonsense')", "unreadable result"),
        ("print('{\"colour\": 1}')", "unreadable result"),
    ],
)
def test_a_process_that_dies_or_talks_nonsense_has_failed(source: str, reason: str) -> None:
    outcome = measure.run_process([sys.executable, "-c", source], SHORT)
    assert outcome.status == "failed"
    assert outcome.sample is None
    assert outcome.reason is not None
    assert outcome.reason.startswith(reason)


def test_a_process_that_hangs_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measure, "_START_SECONDS", 0.0)
    started = subprocess.Popen
    processes: list[Any] = []

    def start(*arguments: Any, **options: Any) -> Any:
        processes.append(started(*arguments, **options))
        return processes[-1]

    monkeypatch.setattr(subprocess, "Popen", start)
    command = [sys.executable, "-c", "import signal\nwhile True: signal.pause()"]
    outcome = measure.run_process(command, SHORT)
    assert outcome.status == "failed"
    assert outcome.reason is not None
    assert outcome.reason.startswith("no result after")
    assert processes[0].returncode == -signal.SIGKILL


def test_processes_per_environment_are_measured_only_in_moderation() -> None:
    few, many = default_peers(CASE), default_peers(Case("CartPole-v1", 256, 256, 2))
    assert set(few) - set(many) == {"gymnasium-async"}


def test_a_peer_of_few_tasks_joins_where_it_is_named() -> None:
    assert set(PEERS) - set(default_peers(CASE)) == {"ale-py"}
    assert default_peers(atari_case("Pong-v5", 8, 8, 2)) == PEERS


# Atari


def test_an_atari_case_names_the_game_as_each_library_does() -> None:
    case = atari_case("MsPacman-v5", 32, 16, 2)
    assert case.title == "MsPacman-v5, 32 envs, batches of 16"
    assert (case.task_for(OURS), case.task_for("envpool")) == ("MsPacman-v5", "MsPacman-v5")
    assert case.task_for("ale-py") == "ms_pacman"
    assert case.task_for("gymnasium-async") == "ale_py:ALE/MsPacman-v5"
    assert case.frame_skip == 4


@pytest.mark.parametrize("task", ["CartPole-v1", "ALE/Pong-v5", "Pnog-v5"])
def test_an_atari_case_is_of_an_atari_task(task: str) -> None:
    with pytest.raises(ValueError, match=f"expected an Atari task such as Pong-v5, got {task}"):
        atari_case(task, 8, 8, 2)


@pytest.mark.unsanitized  # the threads of other libraries
@pytest.mark.parametrize(
    ("name", "batch_size", "rows_per_call"),
    [
        (OURS, 4, 4),
        (OURS, 2, 2),
        ("envpool", 2, 2),
        ("ale-py", 4, 4),
        ("ale-py", 2, 2),
        ("gymnasium-sync", 2, 4),
    ],
)
def test_atari_games_are_measured(name: str, batch_size: int, rows_per_call: int) -> None:
    pytest.importorskip("ale_py")
    if name == "envpool":
        pytest.importorskip("envpool")
    outcome = measure.launch_worker(name, atari_case("Pong-v5", 4, batch_size, 2), SHORT)
    assert outcome.status == "ok", outcome.reason
    assert outcome.sample is not None
    assert outcome.sample.rows == outcome.sample.calls * rows_per_call


@pytest.mark.unsanitized  # the threads of other libraries
def test_all_libraries_see_the_same_frames() -> None:
    """The first observations of a game that chance has no part in: all idle frames are off."""
    pytest.importorskip("ale_py")
    case = atari_case("Pong-v5", 2, 2, 1)
    frames = {}
    for name in (OURS, "ale-py", "gymnasium-sync"):
        options = {**case.options_for(name)}
        if "noop_max" in options:
            options["noop_max"] = 0
        wrappers = {**case.wrappers}
        wrappers["AtariPreprocessing"] = {**wrappers["AtariPreprocessing"], "noop_max": 0}
        still = dataclasses.replace(
            case, peer_options={**case.peer_options, name: options}, wrappers=wrappers
        )
        env = PARTICIPANTS[name].make(still)
        env.reset(seed=0)
        for _ in range(20):
            frames[name], rewards = env.step(np.array([2, 3]))[:2]
        env.close()
        assert frames[name].shape == (2, 4, 84, 84)
        assert np.abs(rewards).max() <= 1
    for name in ("ale-py", "gymnasium-sync"):
        np.testing.assert_array_equal(frames[OURS], frames[name])


@pytest.mark.unsanitized  # the threads of other libraries
def test_the_environments_that_ale_py_hears_from_get_the_actions() -> None:
    pytest.importorskip("ale_py")
    case = atari_case("Pong-v5", 4, 2, 2)
    participant = PARTICIPANTS["ale-py"]
    env = participant.make(case)
    participant.drive(env, case)
    steps = np.zeros(4, int)
    for _ in range(40):
        env_id = env.step(np.zeros(2, int))[4]["env_id"]
        assert len(set(env_id)) == 2
        steps[env_id] += 1
    env.close()
    # Not all, perhaps: one may be in a thread that has lost its processor for so long.
    assert (steps > 0).sum() >= 3


def test_a_task_of_a_module_that_is_missing_is_no_failure() -> None:
    case = Case("A-v0", 1, 1, 1, peer_tasks={"gymnasium-sync": "no_such_module:A-v0"})
    outcome = worker.run(PARTICIPANTS["gymnasium-sync"], case, 0.001, 0.0)
    assert outcome.status == "unavailable"
    assert outcome.reason == "no_such_module is not installed"
    assert outcome.remedy == 'pip install "envpool_py[bench]"'


def test_gymnasium_wraps_each_environment() -> None:
    case = Case("CartPole-v1", 2, 2, 1, wrappers={"FrameStackObservation": {"stack_size": 3}})
    env = PARTICIPANTS["gymnasium-sync"].make(case)
    assert env.single_observation_space.shape == (3, 4)
    env.close()
    with pytest.raises(peers.UnavailableError, match="no NumPy-vectorised CartPole-v1"):
        PARTICIPANTS["gymnasium-vectorized"].make(case)


# Reports


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


def test_progress_without_a_terminal_is_one_line_each() -> None:
    out = io.StringIO()
    with TurnProgress(Console(file=out, width=200), turns=2) as progress:
        progress.case("CartPole-v1, 4 envs")
        progress.start(0, OURS)
        progress.end(0, OURS, Outcome("ok", sample(2_690_000.0)))
        progress.end(0, "envpool", Outcome("unavailable", reason="envpool is not installed"))
        progress.end(1, "envpool", None)
    assert out.getvalue().splitlines() == [
        "[1/2] CartPole-v1, 4 envs: envpool_py, round 1: 2.69 M steps/s",
        "[2/2] CartPole-v1, 4 envs: EnvPool, round 1: envpool is not installed",
    ]


def test_progress_on_a_terminal_names_what_runs() -> None:
    out = io.StringIO()
    console = Console(file=out, width=100, force_terminal=True, color_system=None)
    with TurnProgress(console, turns=1) as progress:
        progress.case("CartPole-v1, 4 envs")
        progress.start(0, "envpool")
        progress.end(0, "envpool", Outcome("ok", sample(1.0)))
    assert "CartPole-v1, 4 envs: EnvPool, round 1" in out.getvalue()
    assert "1/1" in out.getvalue()


# Plots


def test_a_plot_is_a_picture_that_grows_with_its_bars(tmp_path: Path) -> None:
    image = pytest.importorskip("PIL.Image")
    rates = {OURS: [2e6], "envpool": [4e5], "plain C++ loop": [3e7], "gymnasium-sync": []}
    heights = []
    for cases in (1, 5):
        path = tmp_path / f"{cases}.png"
        plot.draw(record_of(*[result_of(rates)] * cases), path)
        with image.open(path) as picture:
            picture.verify()
            assert picture.format == "PNG"
            heights.append(picture.height)
    assert heights[1] > heights[0]


def test_a_plot_carries_its_labels(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    path = tmp_path / "plot.svg"
    plot.draw(record_of(result_of({OURS: [2e6], "envpool": [4e5]})), path)
    text = path.read_text()  # SVG keeps each text beside its outlines as a comment
    for label in ("CartPole-v1, 4 envs", "400 k (ours 5.00x)", "2.00 M", "EnvPool", "Some CPU"):
        assert label in text


def test_without_matplotlib_the_message_names_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(plot.PlotError, match=r'pip install "envpool_py\[bench\]"'):
        plot.draw(record_of(result_of({OURS: [1.0]})), tmp_path / "plot.png")
    assert list(tmp_path.iterdir()) == []


def test_nothing_measured_is_nothing_to_plot(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    with pytest.raises(plot.PlotError, match="nothing was measured"):
        plot.draw(record_of(result_of({OURS: []})), tmp_path / "plot.png")
