"""The command `envpool-py`: output, exit codes, one-line errors."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import envpool_py
from envpool_py import cli
from envpool_py.cli import bench_command, info_command, list_command
from envpool_py.cli.bench.atari import atari_case
from envpool_py.cli.bench.case import Case
from envpool_py.cli.bench.measure import Timing
from envpool_py.cli.bench.peers import OURS, PEERS
from envpool_py.cli.bench.sample import Outcome, Sample
from envpool_py.tasks.spec import describe

ESCAPE = "\x1b"


def lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        cli.main(["--version"])
    assert ended.value.code == 0
    assert capsys.readouterr() == (f"envpool-py {envpool_py.__version__}\n", "")


# list


@pytest.mark.parametrize(("columns", "most"), [(None, 100), ("200", 100), ("80", 80), ("40", 80)])
def test_list_shows_every_task(
    forked_python: Any, tmp_path: Path, columns: str | None, most: int
) -> None:
    """Each task has its whole id and a line of at most 100 characters, for any console width."""
    env = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    if columns is not None:
        env["COLUMNS"] = columns
    # A separate process, because other tests may have registered tasks.
    result = forked_python.run("-m", "envpool_py.cli", "list", cwd=tmp_path, env=env)
    assert result.returncode == 0
    assert result.stderr == ""
    assert ESCAPE not in result.stdout
    # A line that begins with a space goes on with the task of a long id.
    rows = [line.split() for line in result.stdout.splitlines() if not line.startswith(" ")]
    ours = [task for task in envpool_py.list_all_envs() if not task.startswith("Testing/")]
    assert [row[0] for row in rows[2:]] == ours
    assert len(result.stdout.splitlines()) == 2 + len(ours) + sum(len(row) == 1 for row in rows[2:])
    assert max(len(line) for line in result.stdout.splitlines()) <= most
    cartpole = next(row for row in rows if row[0] == "CartPole-v1")
    assert cartpole[1:] == ["4", "x", "float32", "0..1", "500"]


def test_info_shows_wide_spaces_whole(capsys: pytest.CaptureFixture[str]) -> None:
    """Each space is on one line, for any width of the terminal."""
    task_id = "MiniGrid-Empty-5x5-v0"
    whole = list_command.describe_space(describe(task_id, {})["observation"])
    assert cli.main(["list", task_id]) == 0
    assert whole not in capsys.readouterr().out
    assert cli.main(["info", task_id]) == 0
    assert f"observation  {whole}" in lines(capsys.readouterr().out)


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        (None, ["A-v0", "Ab-v0", "B-v1"]),
        ("a", ["A-v0", "Ab-v0"]),
        ("a*", ["A-v0", "Ab-v0"]),
        ("?-v?", ["A-v0", "B-v1"]),
        ("[b]*", ["B-v1"]),
        ("v1", ["B-v1"]),
        ("v1*", []),
    ],
)
def test_patterns_are_text_or_globs(pattern: str | None, expected: list[str]) -> None:
    assert list_command.matching(["A-v0", "Ab-v0", "B-v1"], pattern) == expected


def test_list_suggests_when_nothing_matches(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["list", "CartPoel-v1"]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert lines(err) == [
        "envpool-py: no environment matches 'CartPoel-v1'; did you mean \"CartPole-v1\"?"
    ]


BOX = {"kind": "box", "dtype": "float32", "shape": (2, 3)}


@pytest.mark.parametrize(
    ("space", "text"),
    [
        ({**BOX, "low": np.full((2, 3), -1.5), "high": np.ones((2, 3))},
         "2 x 3 x float32 in [-1.5, 1]"),
        ({**BOX, "low": np.full((2, 3), -np.inf), "high": np.ones((2, 3))}, "2 x 3 x float32"),
        ({**BOX, "low": np.zeros((2, 3)), "high": np.arange(6.0)}, "2 x 3 x float32"),
        ({"kind": "box", "dtype": "uint8", "shape": (), "low": np.array(0), "high": np.array(9)},
         "uint8 in [0, 9]"),
        ({"kind": "discrete", "dtype": "int64", "n": 3, "start": -1}, "-1..1"),
        ({"kind": "multi_discrete", "dtype": "int64", "shape": (2,), "nvec": np.array([4, 4])},
         "2 x 0..3"),
        ({"kind": "multi_discrete", "dtype": "int64", "shape": (2,), "nvec": np.array([2, 4])},
         "2 x 0..(1 to 3)"),
        ({"kind": "multi_binary", "dtype": "int8", "shape": (4,)}, "4 x 0..1"),
        ({"kind": "dict", "children": [("a", {"kind": "discrete", "n": 2, "start": 0})]},
         "a: 0..1"),
        ({"kind": "tuple", "children": [{"kind": "discrete", "n": 2, "start": 0}] * 2},
         "0..1, 0..1"),
    ],
)  # fmt: skip
def test_spaces_in_a_few_words(space: dict[str, Any], text: str) -> None:
    assert list_command.describe_space(space) == text


# info


def test_info_shows_version_and_machine(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["info"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    found = [line.split()[0] for line in lines(out)]
    assert found[:4] == ["version", "compiled", "cpu", "cpuset"]
    assert found[-1] == "threads"
    assert envpool_py.__version__ in out


def test_info_of_an_unknown_task_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["info", "CartPoel-v1"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    (line,) = lines(err)
    assert line.startswith("envpool-py: error: unknown task_id")
    assert "CartPole-v1" in line


def test_info_names_every_node() -> None:
    system = {
        "cpu": "Some CPU",
        "cpus": [0, 1, 2, 8],
        "numa_nodes": [{"id": 0, "cpus": [0, 1, 2]}, {"id": 3, "cpus": [8]}],
        "default_num_threads": 4,
        "compiler": "g++ 12",
        "build_type": "Release",
    }
    assert info_command.facts("1.0", system) == [
        ("version", "1.0"),
        ("compiled by", "g++ 12, Release"),
        ("cpu", "Some CPU"),
        ("cpuset", "4 cpus: 0-2,8"),
        ("NUMA node 0", "3 cpus: 0-2"),
        ("NUMA node 3", "1 cpu: 8"),
        ("threads", "4 in a pool, unless told otherwise"),
    ]


@pytest.mark.parametrize(
    ("cpus", "text"), [([], ""), ([4], "4"), ([0, 1], "0-1"), ([9, 0, 1, 2, 5, 8], "0-2,5,8-9")]
)
def test_cpu_numbers_as_the_kernel_writes_them(cpus: list[int], text: str) -> None:
    assert info_command.cpu_ranges(cpus) == text


# bench: arguments


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["CartPoel-v1"], "no environment is called 'CartPoel-v1'; did you mean \"CartPole-v1\"?"),
        (["zzz"], "no environment is called 'zzz'; `envpool-py list` shows all"),
        (["CartPole-v1", "--num-envs", "0"], "--num-envs: expected a whole number of at least 1"),
        (["CartPole-v1", "--num-envs", "two"], "got 'two'"),
        (["CartPole-v1", "--num-threads", "-1"], "--num-threads: expected a whole number"),
        (["CartPole-v1", "--rounds", "1.5"], "--rounds: expected a whole number"),
        (["CartPole-v1", "--seconds", "0"], "--seconds: expected a number of seconds above 0"),
        (["CartPole-v1", "--seconds", "nan"], "got 'nan'"),
        (["CartPole-v1", "--seconds", "inf"], "got 'inf'"),
        (["CartPole-v1", "--num-envs", "4", "--batch-size", "5"], "at most num_envs (4), got 5"),
        (["CartPole-v1", "--against", "envpol"], "no peer is called 'envpol'; did you mean"),
        (["CartPole-v1", "--against", ","], "--against: expected"),
        (["CartPole-v1", "--plot", "plot.gif"], "expected a name that ends in .png"),
        (["CartPole-v1", "--json", "no/such/directory/x.json"], "in an existing directory"),
        (["CartPole-v1", "--json", "."], "in an existing directory"),
        (["CartPole-v1", "--json", "x" * 300], "in an existing directory"),
        (["CartPole-v1", "--colour"], "unrecognized arguments: --colour"),
    ],
)
def test_bad_arguments_are_one_line_and_exit_code_2(
    arguments: list[str],
    message: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(bench_command, "launch_worker", lambda *a: pytest.fail("measured"))
    assert cli.main(["bench", *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    (line,) = lines(err)
    assert line.startswith("envpool-py: error: ")
    assert message in line


@pytest.mark.parametrize("arguments", [[], ["lst"]])
def test_no_such_command(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(arguments) == 2
    (line,) = lines(capsys.readouterr().err)
    assert "envpool-py --help" in line


# bench: runs


class FakeWorkers:
    """Replaces the worker processes; `outcomes` overrides the results of some."""

    def __init__(self) -> None:
        self.launched: list[str] = []
        self.cases: list[Case] = []
        self.timing: Timing | None = None
        self.outcomes: dict[str, Outcome] = {}

    def __call__(self, name: str, case: Case, timing: Timing) -> Outcome:
        self.launched.append(name)
        self.cases.append(case)
        self.timing = timing
        rate = 6_000_000 if name == OURS else 500_000
        measured = Sample(calls=100, rows=rate, wall_ns=1_000_000_000, cpu_ns=1)
        return self.outcomes.get(name, Outcome("ok", measured, version="1.0"))


@pytest.fixture
def workers(monkeypatch: pytest.MonkeyPatch) -> FakeWorkers:
    fake = FakeWorkers()
    monkeypatch.setattr(bench_command, "launch_worker", fake)
    return fake


def test_bench_measures_in_turn_and_prints_the_table(
    workers: FakeWorkers, capsys: pytest.CaptureFixture[str]
) -> None:
    code = cli.main(
        [
            "bench",
            "CartPole-v1",
            "--num-envs",
            "16",
            "--batch-size",
            "4",
            "--num-threads",
            "3",
            "--seconds",
            "0.5",
            "--rounds",
            "2",
            "--against",
            "envpool,gymnasium-sync",
        ]
    )
    assert code == 0
    assert workers.launched == [OURS, "envpool", "gymnasium-sync"] * 2
    assert set(map(repr, workers.cases)) == {repr(Case("CartPole-v1", 16, 4, 3))}
    assert workers.timing is not None
    assert (workers.timing.seconds, workers.timing.rounds) == (0.5, 2)
    out, err = capsys.readouterr()
    assert ESCAPE not in out + err
    assert "CartPole-v1, 16 envs, batches of 4, 3 threads" in out
    rows = {line.split("  ")[0]: line for line in lines(out)}
    assert "6.00 M" in rows["envpool_py"]
    assert "500 k" in rows["EnvPool"]
    assert "12.0x" in rows["EnvPool"]
    assert "[1/6] " in err
    assert "[6/6] " in err


# Peers that take part only if they are named.
IN_PYTHON = {"gymnasium-single", "mamujoco", "mpe2", "sb3", "tianshou", "puffer"}


def test_bench_defaults(workers: FakeWorkers) -> None:
    assert cli.main(["bench", "CartPole-v1", "--rounds", "1"]) == 0
    case = workers.cases[0]
    assert (case.num_envs, case.batch_size) == (8, 8)
    assert case.num_threads >= 1
    assert workers.launched[0] == OURS
    assert set(workers.launched[1:]) == set(PEERS) - {"ale-py"} - IN_PYTHON


def test_bench_sets_all_libraries_to_the_same_atari_frames(workers: FakeWorkers) -> None:
    assert cli.main(["bench", "Pong-v5", "--rounds", "1", "--batch-size", "4"]) == 0
    case = workers.cases[0]
    assert case == atari_case("Pong-v5", 8, 4, case.num_threads)
    assert set(workers.launched[1:]) == set(PEERS) - IN_PYTHON


def test_bench_against_none(workers: FakeWorkers) -> None:
    assert cli.main(["bench", "CartPole-v1", "--rounds", "2", "--against", "none"]) == 0
    assert workers.launched == [OURS, OURS]


def test_a_missing_peer_is_named_and_no_error(
    workers: FakeWorkers, capsys: pytest.CaptureFixture[str]
) -> None:
    workers.outcomes["envpool"] = Outcome(
        "unavailable", reason="envpool is not installed", remedy="pip install envpool"
    )
    assert cli.main(["bench", "CartPole-v1", "--rounds", "1", "--against", "envpool"]) == 0
    message = "without EnvPool: envpool is not installed; to add it: pip install envpool"
    assert message in capsys.readouterr().err.splitlines()


def test_our_own_failure_is_exit_code_1(
    workers: FakeWorkers, capsys: pytest.CaptureFixture[str]
) -> None:
    workers.outcomes[OURS] = Outcome("failed", reason="signal SIGSEGV")
    assert cli.main(["bench", "CartPole-v1", "--rounds", "1", "--against", "envpool"]) == 1
    out, err = capsys.readouterr()
    assert "without envpool_py: signal SIGSEGV" in err.splitlines()
    assert "500 k" in out


def test_bench_writes_its_files(workers: FakeWorkers, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    json_path, plot_path = tmp_path / "o.json", tmp_path / "o.png"
    arguments = ["--json", str(json_path), "--plot", str(plot_path)]
    assert cli.main(["bench", "CartPole-v1", "--against", "envpool", *arguments]) == 0
    record = json.loads(json_path.read_text())
    assert record["version"] == envpool_py.__version__
    (case,) = record["cases"]
    assert case["ratios"] == {"envpool": 12.0}
    assert [len(result["samples"]) for result in case["results"]] == [3, 3]
    assert plot_path.read_bytes().startswith(b"\x89PNG\r\n\x1a\n")


def test_without_matplotlib_the_run_goes_on_without_its_plot(
    workers: FakeWorkers,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    path = tmp_path / "plot.png"
    assert cli.main(["bench", "CartPole-v1", "--against", "none", "--plot", str(path)]) == 0
    assert not path.exists()
    out, err = capsys.readouterr()
    assert "6.00 M" in out
    assert "no plot: matplotlib is not installed; to add it: pip install 'matplotlib>=3.8'" in err


def test_a_file_that_cannot_be_written_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    directory = tmp_path / "results"
    directory.mkdir()

    def launch(*arguments: Any) -> Outcome:
        directory.rmdir()
        return Outcome("ok", Sample(1, 1, 1, 1))

    monkeypatch.setattr(bench_command, "launch_worker", launch)
    path = str(directory / "o.json")
    arguments = ["bench", "CartPole-v1", "--rounds", "1", "--against", "none", "--json", path]
    assert cli.main(arguments) == 2
    out, err = capsys.readouterr()
    assert "steps/s" in out
    assert lines(err)[-1] == f"envpool-py: error: cannot write {path}: No such file or directory"


def test_interruption_is_exit_code_130(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupt(*arguments: Any) -> Outcome:
        raise KeyboardInterrupt

    monkeypatch.setattr(bench_command, "launch_worker", interrupt)
    assert cli.main(["bench", "CartPole-v1"]) == 130
    assert lines(capsys.readouterr().err) == ["envpool-py: interrupted"]


def test_the_command_runs_from_a_directory_with_another_envpool_py(tmp_path: Path) -> None:
    # Workers must use the command's own package, whatever the current directory contains.
    decoy = tmp_path / "envpool_py"
    decoy.mkdir()
    (decoy / "__init__.py").write_text("raise RuntimeError('the wrong envpool_py')\n")
    source = "import sys; sys.path.remove(''); from envpool_py.cli import main; sys.exit(main())"
    done = subprocess.run(
        [sys.executable, "-c", source, "bench", "CartPole-v1", "--seconds", "0.005",
         "--rounds", "1", "--against", "none"],
        cwd=tmp_path, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "steps/s" in done.stdout


def test_a_reader_that_leaves_early_is_no_error() -> None:
    source = (
        "import os, sys\n"
        "read, write = os.pipe()\n"
        "os.close(read)\n"
        "os.dup2(write, 1)\n"
        "from envpool_py.cli import main\n"
        "sys.exit(main(['list']))\n"
    )
    done = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
