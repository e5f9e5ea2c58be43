"""Names of the program's main module that are looked up in a worker process."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

from envpool_py.python_envs.program import MainModule, Program

from ..lifecycle import needs_proc

pytestmark = needs_proc

PROGRAM = """
import os, pickle, sys
import envpool_py, gymnasium, numpy as np

print("main module:", __name__, sys.argv[1:], flush=True)

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


def test_programs_without_a_file() -> None:
    for program in (Program(None, None, []), Program("package.__main__", __file__, [])):
        main = MainModule(program)
        assert not hasattr(main, "__path__")
        with pytest.raises(AttributeError, match="'Mine' in worker processes, which cannot load"):
            _ = main.Mine


def test_a_program_that_fails(tmp_path: Path) -> None:
    """Each lookup shows why."""
    path = tmp_path / "program.py"
    path.write_text("name = 1\nraise ArithmeticError('it fails')")
    before = sys.modules["__main__"]
    try:
        main = MainModule(Program(None, str(path), []))
        sys.modules["__main__"] = main
        for _ in range(2):
            with pytest.raises(ArithmeticError, match="it fails"):
                _ = main.name
            assert sys.modules["__main__"] is main
        path.write_text("name = 1\nraise SystemExit")
        assert main.name == 1
    finally:
        sys.modules["__main__"] = sys.modules["__mp_main__"] = before
