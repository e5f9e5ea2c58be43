"""Names of the program's main module that are looked up in a worker process."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from collections.abc import Callable
from multiprocessing import spawn
from pathlib import Path

import pytest

from envpool_py.python_envs.program import MainModule, Program

from ..lifecycle import needs_proc

pytestmark = needs_proc

PROGRAM = """
import os, pickle, sys
import envpool_py, gymnasium, numpy as np

# In one write, because two workers print at the same time.
os.write(1, f"main module: {__name__} {sys.argv[1:]}\\n".encode())

class Thing:
    value = 7

class Mine(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(0, 9, (1,), np.float32)
    action_space = gymnasium.spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        return np.zeros(1, np.float32), {}

    def step(self, action):
        return np.zeros(1, np.float32), 0.0, False, False, {"thing": Thing()}

    def loaded(self, pickled):
        return pickle.loads(pickled).value

class Wrapper(gymnasium.Wrapper):
    pass

gymnasium.register("Mine-v0", entry_point=f"{__name__}:Mine")
"""

Run = Callable[..., str]


@pytest.fixture
def run_program(tmp_path: Path) -> Run:
    """Runs a program, whose lines are added to those of PROGRAM, and returns what it prints."""

    def run(source: str, *, module: bool = False) -> str:
        path = tmp_path / "program.py"
        path.write_text(PROGRAM + textwrap.dedent(source))
        what = ["-m", "program"] if module else [str(path)]
        ended = subprocess.run(
            [sys.executable, *what, "argument"],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
        )
        assert (ended.returncode, ended.stderr) == (0, "")
        return ended.stdout

    return run


@pytest.mark.unsanitized
@pytest.mark.parametrize("module", [False, True])
def test_a_program_that_registers_its_own_ids(run_program: Run, module: bool) -> None:
    output = run_program(
        """
        if __name__ == "__main__":
            actions = np.zeros(2, int)
            for method in ("forkserver", "spawn", "fork"):
                with envpool_py.make(
                    "Mine-v0", num_envs=2, num_workers=1, start_method=method
                ) as pool:
                    pool.reset()
                    things = pool.step(actions)[4]["thing"]
                    assert all(type(thing) is Thing for thing in things), things
                    print(method, pool.call("loaded", pickle.dumps(Thing())), flush=True)
            spec = gymnasium.spec("Mine-v0")
            spec.additional_wrappers = (
                gymnasium.envs.registration.WrapperSpec("w", "__main__:Wrapper", {}),
            )
            with envpool_py.make_python(lambda: gymnasium.make(spec), 2, num_workers=2) as pool:
                print(pool.reset()[0].tolist(), flush=True)
            with envpool_py.make_python(Mine, 2, num_workers=1) as pool:
                pool.reset()
                print(pool.step(actions)[4]["thing"][0].value, flush=True)
        """,
        module=module,
    )
    loaded = "main module: __mp_main__ ['argument']"
    assert output.splitlines() == [
        "main module: __main__ ['argument']",
        loaded,
        "forkserver (7, 7)",
        loaded,
        "spawn (7, 7)",
        "fork (7, 7)",
        loaded,
        loaded,
        "[[0.0], [0.0]]",
        "7",  # the class was sent by value
    ]


@pytest.mark.unsanitized
def test_a_program_without_a_condition(run_program: Run) -> None:
    """It runs up to its first pool in the worker."""
    output = run_program(
        """
        with envpool_py.make("Mine-v0", num_envs=2, num_workers=1) as pool:
            print(pool.reset()[0].tolist(), flush=True)

        class Late(Mine):
            pass

        gymnasium.register("Late-v0", entry_point="__main__:Late")
        try:
            envpool_py.make("Late-v0", num_envs=2, num_workers=1)
        except envpool_py.errors.WorkerError as error:
            print(str(error).splitlines()[0])
        """
    )
    assert output.splitlines() == [
        "main module: __main__ ['argument']",
        "main module: __mp_main__ ['argument']",
        "[[0.0], [0.0]]",
        "main module: __mp_main__ ['argument']",
        "worker 0 could not make its environments: AttributeError: module '__main__' has no "
        "attribute 'Late' in worker processes, which load the program up to its first pool: make "
        'the pool below `if __name__ == "__main__"`',
    ]


@pytest.fixture
def main_module_of(monkeypatch: pytest.MonkeyPatch) -> Callable[..., MainModule]:
    """Makes a program's main module that of this process until the end of the test."""
    for name in ("__main__", "__mp_main__"):
        monkeypatch.setitem(sys.modules, name, sys.modules[name])
    monkeypatch.setattr(MainModule, "program", None)
    monkeypatch.setattr(sys, "argv", [])

    def install(module: str | None, path: Path | None) -> MainModule:
        main = MainModule(Program(module, path and str(path), ["argument"]))
        main.install()
        return main

    return install


def loaded_by_multiprocessing() -> str:
    """Returns what children of `multiprocessing` load; "__main__" is nothing."""
    data = spawn.get_preparation_data("child")
    return str(data.get("init_main_from_name") or data["init_main_from_path"])


def test_programs_without_a_file(main_module_of: Callable[..., MainModule]) -> None:
    for module, path in ((None, None), ("package.__main__", Path(__file__))):
        main = main_module_of(module, path)
        assert not hasattr(main, "__path__")
        with pytest.raises(AttributeError, match="'Mine' in worker processes, which cannot load"):
            _ = main.Mine
        assert loaded_by_multiprocessing() == "__main__"


def test_when_a_program_is_loaded(
    main_module_of: Callable[..., MainModule], tmp_path: Path
) -> None:
    path = tmp_path / "program.py"
    path.write_text("name = 1\nraise ArithmeticError('it fails')")
    main = main_module_of(None, path)
    for _ in range(2):  # each lookup shows why
        with pytest.raises(ArithmeticError, match="it fails"):
            _ = main.name
        assert sys.modules["__main__"] is main
    path.write_text("name = 1\nraise SystemExit")
    assert loaded_by_multiprocessing() == "__main__"
    assert main.name == 1
    assert loaded_by_multiprocessing() == str(path)
    assert Program.of_this_process({}) == Program(None, str(path), ["argument"])

    path.write_text("import envpool_py\nname = 2\nenvpool_py.make_python(None)")
    main = main_module_of(None, path)
    assert main.name == 2
    with pytest.raises(AttributeError, match="up to its first pool"):
        _ = main.missing
    assert loaded_by_multiprocessing() == "__main__"
