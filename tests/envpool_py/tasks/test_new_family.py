"""A new family needs only its own directory: its ids are listed, made, described and tested.

The package `new_family` beside this file is copied as `pond`; its module is compiled, and its table
of tasks is generated as `make docs` generates the tables of this repository's families. The test
changes nothing else.
"""

from __future__ import annotations

import functools
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from envpool_py.authoring import building

pytestmark = pytest.mark.unsanitized  # the plug-in's compiler command has no sanitizer flags

ROOT = Path(__file__).resolve().parents[3]
SOURCES = Path(__file__).with_name("new_family")
TASKS = ("Pond-v0", "WidePond-v0")
CONFORMANCE = "tests/conformance"

RunWithFamily = Callable[..., str]

WRITE_TABLE = """
import sys
from pathlib import Path
from tools import families
path = Path(sys.argv[1])
path.write_text(families.source_of([]))
path.write_text(families.source_of(families.registered_by("pond.family")))
"""


def run(command: list[str], cwd: Path, **environment: str) -> str:
    done = subprocess.run(
        command,
        cwd=cwd,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=1200,  # time for a compiler on a busy machine
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def run_with_family(made_once: Callable[..., Path]) -> RunWithFamily:
    """Returns a function that runs Python with arguments; it can import the package `pond`."""

    def run_in(parent: Path, *arguments: str) -> str:
        path = os.pathsep.join(filter(None, [str(parent), os.environ.get("PYTHONPATH")]))
        return run([sys.executable, *arguments], ROOT, PYTHONPATH=path)

    def make(parent: Path) -> None:
        package = parent / "pond"
        shutil.copytree(SOURCES, package, ignore=shutil.ignore_patterns("__pycache__"))
        building.compile_plugin([package / "module.cc"], flags=["-O0"])
        run_in(parent, "-c", WRITE_TABLE, str(package / "tasks.py"))

    return functools.partial(run_in, made_once("new_family", make))


def test_the_table_is_what_the_module_registers(run_with_family: RunWithFamily) -> None:
    printed = run_with_family("-c", "from pond.tasks import TASKS; print(TASKS)")
    assert printed.strip() == (
        "{'Pond-v0': Limits(max_episode_steps=20, reward_threshold=0.5), "
        "'WidePond-v0': Limits(max_episode_steps=60, reward_threshold=None)}"
    )


def test_it_is_listed_without_being_loaded_and_loaded_when_it_is_used(
    run_with_family: RunWithFamily,
) -> None:
    run_with_family(
        "-c",
        """
import sys
import gymnasium
import numpy as np
import envpool_py
from envpool_py.tasks import registry

registry.add("pond")
registry.add("pond")
ids = envpool_py.list_all_envs()
assert {"Pond-v0", "WidePond-v0", "CartPole-v1"} <= {*ids}
envpool_py.register_tasks()
assert gymnasium.spec("EnvPool/Pond-v0").reward_threshold == 0.5
assert gymnasium.spec("EnvPool/WidePond-v0").max_episode_steps == 60
try:
    envpool_py.make("Pnod-v0")
except envpool_py.errors.UnknownTaskError as error:
    assert 'did you mean "Pond-v0"' in str(error), error
assert "pond._pond" not in sys.modules

assert envpool_py.make_spec("WidePond-v0").options["stones"].default == 12
assert "pond._pond" in sys.modules
from pond.family import prepared
assert prepared == []
with envpool_py.make("Pond-v0", num_envs=3, slip=0.0, render_mode="rgb_array") as envs:
    assert prepared == ["Pond-v0"]
    envs.reset()
    for stone in (1, 2, 3, 4):
        observations, rewards, terminated, _, _ = envs.step(np.ones(3, int))
        assert (observations == stone).all()
    assert terminated.all() and (rewards == 1.0).all()
    picture = envs.render()[1]
    assert picture.shape == (1, 5, 3) and picture[0, 4, 1] == 255
envs = gymnasium.make_vec("EnvPool/WidePond-v0", 2, vectorization_mode="vector_entry_point")
assert envs.reset(seed=1)[0].tolist() == [0, 0]
envs.close()
assert envpool_py.list_all_envs() == ids
""",
    )


def test_the_command_line_knows_it(run_with_family: RunWithFamily) -> None:
    listed = run_with_family(
        "-c",
        "import pond.add; from envpool_py import cli; raise SystemExit(cli.main(['list', 'pond']))",
    )
    assert [line.split()[0] for line in listed.splitlines() if "Pond" in line] == [*TASKS]
    run_with_family(
        "-c",
        """
import pond.add
from envpool_py.cli.controls import controls_of
from envpool_py.tasks.spec import make_spec

keys = controls_of(make_spec("Pond-v0"), {})
assert (keys.text, keys.action(["space"]), keys.action([])) == ("space: leap", 1, 0)
# Without an entry in the manifest the keys are those of the action space.
assert controls_of(make_spec("WidePond-v0"), {}).action(["1"]) == 1
""",
    )


def test_the_guide_describes_it_or_says_that_it_does_not(run_with_family: RunWithFamily) -> None:
    printed = run_with_family(
        "-c",
        """
import sys
import pond.add
from pathlib import Path
from tools.guide import __main__ as guide
from tools.guide.coverage import undocumented

tables = {page.name: guide.described(page.read_text()) for page in guide.DOCS.glob("*.md")}
page = guide.rewritten(Path(sys.argv[1]).read_text())
print(page)
print("---")
for mine in ([], guide.described(page), [["tasks", "pond"], ["options", "Pond-v0"]], None):
    if mine is None:
        del tables["pond.md"]
    else:
        tables["pond.md"] = mine
    print(*undocumented(tables), sep="; ")
""",
        str(SOURCES / "pond.md"),
    )
    page, _, lacking = printed.partition("---\n")
    assert "| `Pond-v0` | 0..4 | 0..1 | 20 | 0.5 |" in page
    assert "| `WidePond-v0` | 0..11 | 0..1 | 60 |" in page
    assert "| `slip` | float | `0.1` | 0 to 1 | probability that a leap ends" in page
    assert lacking.splitlines() == [
        'docs/pond.md has no table of "tasks pond"',
        "",
        'docs/pond.md has no table of "options WidePond-v0"',
        "the manifest of pond names no page of docs/ that exists: pond.md",
    ]


def test_the_conformance_tests_run_over_it(run_with_family: RunWithFamily) -> None:
    """The same tests are collected as for CartPole-v1. A few run here, the long test runs all."""
    options = ("-m", "pytest", CONFORMANCE, "-p", "pond.add", "-p", "no:cacheprovider", "-q")
    ids = ",".join([*TASKS, "CartPole-v1"])
    listed = run_with_family(*options, "--collect-only", "--only-ids", ids)
    tests: dict[str, set[str]] = {task_id: set() for task_id in (*TASKS, "CartPole-v1")}
    for line in filter(lambda line: "::" in line, listed.splitlines()):
        task_id = max((name for name in tests if name in line), key=len)
        tests[task_id].add(line.replace(task_id, "ID"))
    assert len(tests["CartPole-v1"]) >= 50
    for task_id in TASKS:
        assert tests[task_id] == tests["CartPole-v1"]
    printed = run_with_family(*options, "--only-ids", ",".join(TASKS), "-k", "rows or seeds")
    assert re.search(r"^(12 passed, 2 skipped|14 passed)", printed, re.MULTILINE), printed


@pytest.mark.long
def test_it_passes_all_conformance_tests(run_with_family: RunWithFamily) -> None:
    run_with_family(
        "-m", "pytest", CONFORMANCE, "-p", "pond.add", "-p", "no:cacheprovider", "-q",
        "--only-ids", ",".join(TASKS),
    )  # fmt: skip
