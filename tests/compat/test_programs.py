"""`python -m envpool_py.compat`: programs that say `import envpool` run unchanged."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import envpool_py

PACKAGE = str(Path(envpool_py.__file__).resolve().parent.parent)


def run(
    directory: Path, *arguments: str, runner: tuple[str, ...] = ("-m", "envpool_py.compat")
) -> subprocess.CompletedProcess[str]:
    paths = [PACKAGE, *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
    return subprocess.run(
        [sys.executable, *runner, *arguments],
        cwd=directory,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


LOOP = """
import sys
import envpool
import envpool.registration
from envpool.classic_control import CartPoleEnvSpec
from envpool.python.protocol import EnvPool
import numpy as np

env: EnvPool = envpool.make("CartPole-v1", env_type="gym", num_envs=2)
env.reset()
steps = int(sys.argv[1])
for _ in range(steps):
    info = env.step(np.random.randint(2, size=2))[4]
assert isinstance(env.spec, CartPoleEnvSpec)
assert envpool is sys.modules["envpool_py.compat.envpool"]
print(sys.argv, __name__, info["players"]["env_id"].tolist())
"""


def test_a_program_runs_unchanged(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(LOOP)
    done = run(tmp_path, "program.py", "5", "--flag", "-m")
    assert done.stderr == ""
    assert done.stdout == "['program.py', '5', '--flag', '-m'] __main__ [0, 1]\n"
    assert done.returncode == 0


def test_argv_path_and_globals_are_those_of_python(tmp_path: Path) -> None:
    """A program sees the same values of these as without the runner."""
    (tmp_path / "inside").mkdir()
    (tmp_path / "inside" / "neighbour.py").write_text("VALUE = 'of the neighbour'\n")
    (tmp_path / "inside" / "program.py").write_text(
        "import atexit, os, sys, neighbour\n"
        "print(sys.argv, sys.path[0], neighbour.VALUE, __name__, __file__, __package__, __spec__)\n"
        "print(sys.modules['__main__'].__dict__ is globals(), os.getcwd(), type(__loader__))\n"
        "atexit.register(lambda: print(neighbour.VALUE, sys.modules['__main__'].os.name))\n"
    )
    expected = run(tmp_path, "inside/program.py", "a b", "", runner=())
    done = run(tmp_path, "inside/program.py", "a b", "")
    assert expected.returncode == 0, expected.stderr
    assert expected.stdout.count("of the neighbour") == 2
    assert (done.stdout, done.stderr) == (expected.stdout, expected.stderr)


def test_a_module_runs_unchanged(tmp_path: Path) -> None:
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "__init__.py").write_text("")
    (tmp_path / "package" / "train.py").write_text(LOOP)
    done = run(tmp_path, "-m", "package.train", "3")
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"['{tmp_path}/package/train.py', '3'] __main__ [0, 1]\n"


FAULTS = {
    "an error": "\n\ndef train():\n    raise KeyError('lost')\n\n\ntrain()\n",
    "one after another": "try:\n    1 / 0\nexcept ZeroDivisionError:\n    {}['lost']\n",
    "a syntax error": "import sys\nfor\n",
    "a message": "import sys\nsys.exit('in words')\n",
    "in another module": "import json\njson.loads('{')\n",
}


@pytest.mark.parametrize("fault", FAULTS)
def test_tracebacks_are_those_of_python(tmp_path: Path, fault: str) -> None:
    (tmp_path / "program.py").write_text(FAULTS[fault])
    expected, done = run(tmp_path, "program.py", runner=()), run(tmp_path, "program.py")
    assert expected.returncode == done.returncode == 1
    assert expected.stderr
    assert done.stderr == expected.stderr


def test_a_traceback_of_a_module_begins_in_it(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("import envpool\n{}['lost']\n")
    done = run(tmp_path, "-m", "train")
    files = [line for line in done.stderr.splitlines() if line.strip().startswith("File")]
    assert files == [f'  File "{tmp_path}/train.py", line 2, in <module>']
    assert done.stderr.endswith("KeyError: 'lost'\n")


def test_a_directory_runs(tmp_path: Path) -> None:
    (tmp_path / "program").mkdir()
    (tmp_path / "program" / "__main__.py").write_text("import envpool, sys; print(sys.argv)\n")
    assert run(tmp_path, "program", "x").stdout == "['program', 'x']\n"


@pytest.mark.parametrize(("end", "code"), [("sys.exit(3)", 3), ("sys.exit()", 0), ("", 0)])
def test_exit_codes_are_the_programs(tmp_path: Path, end: str, code: int) -> None:
    (tmp_path / "program.py").write_text(f"import sys, envpool\n{end}\n")
    assert run(tmp_path, "program.py").returncode == code


@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_processes_of_the_program_find_it_too(tmp_path: Path, method: str) -> None:
    (tmp_path / "program.py").write_text(
        "import multiprocessing\n"
        "import envpool\n\n\n"
        "def count(n):\n"
        "    env = envpool.make('CartPole-v1', env_type='gym', num_envs=n)\n"
        "    return len(env.reset()[0]), envpool.__name__\n\n\n"
        "if __name__ == '__main__':\n"
        f"    with multiprocessing.get_context('{method}').Pool(2) as pool:\n"
        "        print(pool.map(count, [1, 2, 3]))\n"
    )
    done = run(tmp_path, "program.py")
    name = "envpool_py.compat.envpool"
    assert done.stdout == f"[(1, '{name}'), (2, '{name}'), (3, '{name}')]\n", done.stderr


def test_programs_of_the_program_find_it_too(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(
        "import subprocess, sys\nsubprocess.run([sys.executable, 'other.py'], check=True)\n"
    )
    (tmp_path / "other.py").write_text("import envpool.atari as a; print(a.__name__)\n")
    done = run(tmp_path, "program.py")
    assert done.stdout == "envpool_py.compat.envpool.atari\n", done.stderr


def test_installed_envpool_does_not_come_first(tmp_path: Path) -> None:
    """A child process uses the compat module too, although it has only the path to find it by."""
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "envpool.py").write_text("raise SystemExit('the other one')\n")
    (tmp_path / "program.py").write_text(
        "import subprocess, sys, envpool\n"
        "code = 'import envpool; print(envpool.__name__)'\n"
        "subprocess.run([sys.executable, '-c', code], check=True)\n"
    )
    paths = os.pathsep.join([PACKAGE, str(tmp_path / "site")])
    done = subprocess.run(
        [sys.executable, "-m", "envpool_py.compat", "program.py"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": paths},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.stdout == "envpool_py.compat.envpool\n", done.stderr


@pytest.mark.parametrize(
    ("arguments", "code"), [([], 2), (["--no-such"], 2), (["nowhere.py"], 2), (["--help"], 0)]
)
def test_usage(tmp_path: Path, arguments: list[str], code: int) -> None:
    done = run(tmp_path, *arguments)
    assert done.returncode == code
    assert "envpool_py.compat" in done.stdout + done.stderr
    assert "Traceback" not in done.stderr


def test_the_main_api_imports_only_its_advice() -> None:
    code = (
        "import sys, envpool_py; envpool_py.make('CartPole-v1').reset(); "
        "print([name for name in sys.modules if name.startswith('envpool_py.compat')])"
    )
    done = run(Path(PACKAGE), "-c", code, runner=())
    assert done.stdout == "['envpool_py.compat', 'envpool_py.compat.hints']\n", done.stderr
