"""benchmarks.console: turns, figures and floors, and a short run of everything."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

pytest.importorskip("ale_py")

from benchmarks import console, console_memory, console_plot, console_speed, records, run
from benchmarks.console_memory import MeasurementError, Memory
from benchmarks.console_speed import ALE, OURS, OURS_IN_ONE_CALL, TURNS, GameSpeed
from envpool_py import _atari, _atari_debug
from envpool_py.cli.bench import plot
from envpool_py.tasks.families.atari import roms

MEMORY = Memory("pong", 2048, 33600, 10_000, 40_000.0, 1.5, 500, 50_000.0, 2000.0)


def speed(game: str, ours: float, ale: float, problem: str | None = None) -> GameSpeed:
    frame_us = {OURS: [ours], ALE: [ale], OURS_IN_ONE_CALL: [ours / 2]}
    return GameSpeed(game, 100, 1, frame_us, {OURS: [1.0], ALE: [50.0]}, problem)


def everything(ours: float, ale: float) -> list[GameSpeed]:
    return [speed(game, ours, ale) for game in roms.games()]


def verdicts(results: list[GameSpeed], memory: Memory | None = MEMORY) -> list[str]:
    return [entry.verdict for entry in console.checks(results, memory)]


def test_medians_and_ratios() -> None:
    result = speed("pong", 20.0, 100.0)
    result.frame_us = {OURS: [20.0, 90.0, 25.0], ALE: [110.0, 100.0, 5.0], OURS_IN_ONE_CALL: [7.0]}
    assert result.ratio == 4.0
    record = result.to_json()
    assert (record["ours_us"], record["ale_us"], record["ours_in_one_call_us"]) == (25, 100, 7)
    assert record["frame_us"][OURS] == [20.0, 90.0, 25.0]


def test_the_mean_is_geometric() -> None:
    results = [speed("pong", 10.0, 20.0), speed("breakout", 10.0, 80.0)]
    assert console.mean_ratio(results) == pytest.approx(4.0)


def test_floors_are_those_of_the_project() -> None:
    found = console.checks(everything(25.0, 100.0), MEMORY)
    assert [(entry.case, entry.what, entry.bound) for entry in found] == [
        ("geometric mean of all 104 games", "at least 4 times ale-py (aim 6)", 4.0),
        ("pong", "at least 4 times ale-py", 4.0),
        ("a console with its frame", "under 64 KB", 64.0),
        ("consoles", "under 2 s to make 10,000", 2.0),
    ]
    assert [entry.verdict for entry in found] == ["PASS"] * 4


def test_missed_floors() -> None:
    slow = everything(25.0, 99.0)
    heavy = Memory("pong", 2048, 33600, 1000, 80_000.0, 0.2, 500, 64_000.0, 2000.0)
    assert verdicts(slow, heavy) == ["MISS"] * 4  # the time is scaled to 10,000 consoles


def test_what_is_not_measured_passes_no_floor() -> None:
    results = everything(10.0, 100.0)
    results[5].problem = "ale-py ends elsewhere: memory"
    assert verdicts(results, None) == ["UNKNOWN", "PASS", "UNKNOWN", "UNKNOWN"]
    results = [speed("pong", 10.0, 100.0, "differs")]
    assert verdicts(results) == ["UNKNOWN", "UNKNOWN", "PASS", "PASS"]
    assert verdicts([speed("qbert", 10.0, 100.0)])[1] == "UNKNOWN"


def test_a_part_of_the_games_is_named_as_one() -> None:
    assert console.checks([speed("pong", 1.0, 9.0)], None)[0].case == (
        "geometric mean of 1 of 104 games"
    )


def test_a_plan_splits_the_actions_where_a_game_is_over() -> None:
    rom = _atari_debug.Rom("breakout", roms.rom_bytes("breakout"))
    episodes, position = console_speed.plan(rom, 4000, 1)
    actions = [action for episode in episodes for action in episode]
    assert len(episodes) > 1
    assert len(actions) == 4000
    assert set(actions) == set(_atari.describe_game("breakout")["minimal_actions"])
    runner = _atari_debug.GameRunner(rom, seed=1, repeat_action_probability=0.0)
    for number, episode in enumerate(episodes):
        if number:
            assert runner.terminal
            runner.reset()
        for action in episode:
            assert not runner.terminal
            runner.act(action)
    assert position == (
        runner.ram().tobytes(),
        runner.screen().tobytes(),
        4000,
        runner.terminal,
    )


def test_all_turns_play_the_same_frames() -> None:
    seen: list[tuple[int, str]] = []
    result = console_speed.measure_game(
        "breakout", 3000, 2, 3, 1, lambda turn, name: seen.append((turn, name))
    )
    assert result.problem is None
    assert result.episodes > 1
    assert seen == [(turn, name) for turn in range(2) for name in TURNS]
    assert {name: len(times) for name, times in result.frame_us.items()} == dict.fromkeys(TURNS, 2)
    assert {name: len(times) for name, times in result.snapshot_us.items()} == {OURS: 2, ALE: 2}
    assert all(us > 0 for times in result.frame_us.values() for us in times)
    assert all(us > 0 for times in result.snapshot_us.values() for us in times)


def test_other_frames_are_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    turn: Callable[..., Any] = console_speed._TURN[ALE]

    def wrong(rom: _atari_debug.Rom, episodes: list[list[int]], *rest: int) -> Any:
        return turn(rom, [[0] * len(episode) for episode in episodes], *rest)

    monkeypatch.setitem(console_speed._TURN, ALE, wrong)
    result = console_speed.measure_game("pong", 200, 1, 1, 1)
    assert result.problem is not None
    assert result.problem.startswith("ale-py ends elsewhere: memory")


@pytest.mark.unsanitized
def test_memory_is_at_least_that_of_the_frames() -> None:
    memory = console_memory.launch("pong", 200, 40)
    assert memory.frame_bytes == 160 * 210
    assert memory.frame_bytes < memory.runner_bytes < 10 * memory.frame_bytes
    assert memory.frame_bytes + memory.rom_bytes < memory.console_bytes < 20 * memory.frame_bytes
    assert memory.make_s > 0
    assert memory.runner_make_us > 0


def test_memory_that_cannot_be_measured_says_why() -> None:
    with pytest.raises(MeasurementError, match="pnog"):
        console_memory.launch("pnog", 1, 1)


def test_the_heaviest_game_has_the_largest_frame() -> None:
    lines = {game: _atari_debug.Rom(game, roms.rom_bytes(game)).lines for game in roms.games()}
    assert lines[console_memory.heaviest(roms.games())] == max(lines.values())


def test_a_quick_run_prints_and_writes_everything(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("matplotlib")
    monkeypatch.setattr(records, "RESULTS", tmp_path)
    monkeypatch.setattr(run, "_ROOT", tmp_path)
    arguments = ["--quick", "--frames", "20", "--consoles", "20"]
    code = console.main([*arguments, "--check"])
    out, err = capsys.readouterr()
    for expected in ("Microseconds a frame", "To take a snapshot", "Resident memory", "Floors"):
        assert expected in out
    assert "[12/12] tennis: " in err
    assert "wrote latest.console.json" in err.splitlines()
    record = json.loads((tmp_path / "latest.console.json").read_text())
    assert [game["game"] for game in record["games"]] == list(console.QUICK_GAMES)
    assert [game["problem"] for game in record["games"]] == [None] * 12
    assert record["settings"] == {"frames": 20, "rounds": 1, "seed": 1}
    assert record["versions"] == {"ale-py": console_speed.ALE_VERSION}
    assert {"commit", "dirty", "machine", "memory", "date"} <= set(record)
    assert (tmp_path / "latest.console.png").read_bytes().startswith(b"\x89PNG\r\n\x1a\n")
    assert code == int(any(floor["verdict"] != "PASS" for floor in record["floors"]))


def test_a_game_that_is_none_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert console.main(["pnog"]) == 2
    assert 'did you mean "pong"' in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ([], (104, 3000, 3, 10_000)),
        (["--quick"], (12, 300, 1, 1000)),
        (["--quick", "--rounds", "2", "pong"], (1, 300, 2, 1000)),
        (["pong", "pong", "qbert", "--frames", "7"], (2, 7, 3, 10_000)),
    ],
)
def test_arguments(arguments: list[str], expected: tuple[int, int, int, int]) -> None:
    parsed = console.parse(arguments)
    assert (len(parsed.games), parsed.frames, parsed.rounds, parsed.consoles) == expected
    assert parsed.name == "latest.console"


def test_tables_of_all_games_fit_a_narrow_terminal() -> None:
    results = everything(25.0, 100.0)
    results[0].problem = "differs"
    out = io.StringIO()
    console.show(Console(file=out, width=80), results, MEMORY, console.checks(results, MEMORY))
    text = out.getvalue()
    for game in roms.games():
        assert game in text
    for expected in ("25.0", "12.5", "100.0", "4.00x", "differs", "The lowest ratios", "50,000"):
        assert expected in text
    assert "…" not in text


def test_a_plot_of_ratios_carries_its_labels(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    path = tmp_path / "plot.svg"
    lines = [("geometric mean 3.00x", 3.0), ("floor", 4.0), ("aim", 6.0)]
    console_plot.draw({"pong": 5.0, "breakout": 2.0}, lines, path, ylabel="times", title="Some CPU")
    text = path.read_text()
    for label in ("pong", "breakout", "geometric mean 3.00x", "floor", "aim", "times", "Some CPU"):
        assert f"<!-- {label} -->" in text
    assert text.index("<!-- breakout -->") < text.index("<!-- pong -->")  # the lowest ratio first
    with pytest.raises(plot.PlotError, match="nothing was measured"):
        console_plot.draw({}, lines, path, ylabel="times", title="Some CPU")
