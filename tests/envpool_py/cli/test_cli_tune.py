"""`envpool-py tune`, and `bench` with --scaling and --profile: arguments, output and files."""

from __future__ import annotations

import json
import re
from pathlib import Path

import gymnasium
import pytest

import envpool_py
from envpool_py import cli
from envpool_py.cli import bench_command, scaling_command, tune_command
from envpool_py.cli.bench.case import Case
from envpool_py.cli.bench.measure import Timing
from envpool_py.cli.bench.peers import OURS
from envpool_py.cli.bench.sample import Outcome, Sample


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["tune", "CartPoel-v1"], "no environment is called 'CartPoel-v1'; did you mean"),
        (
            ["tune", "CartPole-v1", "--policy", "no_such:act"],
            "--policy no_such:act: ModuleNotFound",
        ),
        (
            ["tune", "CartPole-v1", "--consumer-us", "-1"],
            "--consumer-us: expected a number of micr",
        ),
        (["tune", "CartPole-v1", "--consumer-us", "x"], "at least 0, got 'x'"),
        (
            ["tune", "CartPole-v1", "--num-envs", "4", "--max-envs", "8"],
            "--max-envs: cannot be",
        ),
        (
            ["tune", "CartPole-v1", "--policy", "math:sqrt", "--consumer-us", "5"],
            "--policy: cannot be",
        ),
        (["tune", "CartPole-v1", "--option", "sutton=1"], "no option 'sutton'"),
        (["tune", "CartPole-v1", "--seconds", "0"], "--seconds: expected a number of seconds"),
        (
            ["bench", "CartPole-v1", "--profile", "--scaling"],
            "--profile: cannot be combined with --scaling",
        ),
        (["bench", "CartPole-v1", "--trace", "t.json"], "--trace: needs --profile"),
        (
            ["bench", "CartPole-v1", "--profile", "--against", "none"],
            "--against: cannot be",
        ),
        (["bench", "CartPole-v1", "--envs-per-thread", "4"], "--envs-per-thread: needs --scaling"),
        (
            ["bench", "CartPole-v1", "--scaling", "--num-envs", "4"],
            "--num-envs: cannot be",
        ),
        (
            ["bench", "CartPole-v1", "--scaling", "--batch-size", "4"],
            "--batch-size: cannot be",
        ),
        (["bench", "CartPole-v1", "--scaling", "--envs-per-thread", "1"], "at least 2, got 1"),
    ],
)
def test_bad_arguments_are_one_line_and_exit_code_2(
    arguments: list[str],
    message: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for module in (bench_command, scaling_command):
        monkeypatch.setattr(module, "launch_worker", lambda *a: pytest.fail("measured"))
    monkeypatch.setattr(tune_command, "Tuner", lambda *a: pytest.fail("measured"))
    assert cli.main(arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    (line,) = err.strip().splitlines()
    assert line.startswith("envpool-py: error: ")
    assert message in line


def test_tune_prints_a_call_that_works(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "tuned.json"
    arguments = ["--seconds", "0.6", "--max-envs", "32", "--consumer-us", "20", "--json", str(path)]
    assert (
        cli.main(["tune", "CartPole-v1", "--option", "sutton_barto_reward=true", *arguments]) == 0
    )
    out = capsys.readouterr().out
    call, _, comment = out.strip().splitlines()[-1].partition("  # ")
    assert re.fullmatch(r"[\d.]+ [kM]? ?steps/s.*", comment)
    with eval(call, {"envpool_py": envpool_py, "True": True}) as pool:
        assert pool.num_envs <= 32
        assert pool.config["sutton_barto_reward"] is True
        chosen = {"num_envs": pool.num_envs, "num_threads": pool.num_threads}
    record = json.loads(path.read_text())
    assert chosen.items() <= record["chosen"].items()
    assert record["call"] == call
    assert record["consumer_us"] == 20.0
    assert sum(entry["final"] for entry in record["measured"]) >= 2
    # Zero means that making the pool took too long.
    assert all(entry["steps_per_s"] >= 0 for entry in record["measured"])


def test_tune_with_a_policy_of_the_working_directory(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tuned_policy.py").write_text(
        "import numpy as np\n"
        "def act(observations):\n    return (observations[:, 2] > 0).astype(np.int64)\n"
        "def wrong(observations):\n    return np.zeros(1, np.float32)\n"
    )
    common = ["tune", "CartPole-v1", "--num-envs", "8", "--seconds", "0.3", "--policy"]
    assert cli.main([*common, "tuned_policy:act"]) == 0
    assert "num_envs=8" in capsys.readouterr().out
    assert cli.main([*common, "tuned_policy:wrong"]) == 2
    assert "actions" in capsys.readouterr().err


def test_tune_workers_of_environments_in_python(
    capsys: pytest.CaptureFixture[str],
) -> None:
    spec = gymnasium.spec("CartPole-v1")
    task = "TunedCartPole-v0"
    gymnasium.register(task, entry_point=spec.entry_point, max_episode_steps=50)
    try:
        assert cli.main(["tune", task, "--max-envs", "4", "--seconds", "1"]) == 0
    finally:
        del gymnasium.registry[task]
    out = capsys.readouterr().out
    assert "num_workers" in out
    assert f'envpool_py.make("{task}", num_envs=' in out


class FakeWorkers:
    def __init__(self) -> None:
        self.cases: list[Case] = []

    def __call__(self, name: str, case: Case, timing: Timing) -> Outcome:
        self.cases.append(case)
        rate = 1000 * case.num_threads
        return Outcome("ok", Sample(calls=10, rows=rate, wall_ns=10**9, cpu_ns=1), version="1.0")


def test_scaling_measures_both_modes_and_writes_its_files(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("matplotlib")
    workers = FakeWorkers()
    monkeypatch.setattr(scaling_command, "launch_worker", workers)
    json_path, plot_path = tmp_path / "s.json", tmp_path / "s.svg"
    code = cli.main(
        ["bench", "CartPole-v1", "--scaling", "--num-threads", "4", "--rounds", "1", "--against",
         "envpool", "--consumer-us", "100", "--json", str(json_path), "--plot", str(plot_path)]
    )  # fmt: skip
    assert code == 0
    ours = workers.cases[::2]
    assert [(c.num_threads, c.num_envs, c.batch_size) for c in ours] == [
        (1, 8, 8), (1, 8, 4), (2, 16, 16), (2, 16, 8), (4, 32, 32), (4, 32, 16)
    ]  # fmt: skip
    assert {case.consumer_us for case in workers.cases} == {100.0}
    record = json.loads(json_path.read_text())
    assert record["scaling"]["envs_per_thread"] == 8
    points = record["scaling"]["curves"]["first-ready"][OURS]
    assert [point["efficiency"] for point in points] == [1.0, 1.0, 1.0]
    assert "consumer 100 us a batch" in plot_path.read_text()
    assert "first-ready" in capsys.readouterr().out


@pytest.mark.parametrize("batch_size", ["16", "32"])
def test_profile_prints_tables_and_writes_its_files(
    batch_size: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    pytest.importorskip("matplotlib")
    monkeypatch.setenv("COLUMNS", "120")  # in narrower tables the headings wrap
    trace, plot = tmp_path / "t.json", tmp_path / "t.png"
    arguments = ["--num-envs", "32", "--batch-size", batch_size, "--num-threads", "2"]
    files = ["--trace", str(trace), "--plot", str(plot)]
    assert (
        cli.main(["bench", "CartPole-v1", "--profile", "--seconds", "0.1", *arguments, *files]) == 0
    )
    out = capsys.readouterr().out
    for text in ("stepping", "asleep", "a step", "a batch", "recording changed the rate by"):
        assert text in out
    assert json.loads(trace.read_text())["traceEvents"]
    assert plot.stat().st_size > 1000
