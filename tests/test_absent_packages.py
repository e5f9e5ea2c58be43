"""What `--absent` skips, and what stays a failure."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from . import absent_packages

ROOT = Path(__file__).resolve().parents[1]


@pytest.mark.parametrize(
    ("text", "module"),
    [
        ("ModuleNotFoundError: No module named 'mujoco'", "mujoco"),
        ("MissingPackageError: the package mujoco is not installed", "mujoco"),
        ("its ROM comes with the ale-py package, which is not installed", "ale_py"),
        ("DependencyNotInstalled: MuJoCo is not installed, run `pip install`", "mujoco"),
        ("No module named 'mujoco_warp'", None),
        ("No module named 'pygame'", None),
        ("mujoco: assert 3 == 4", None),
        ("the package dm_mujoco is not installed", None),
    ],
)
def test_the_module_that_a_failure_names(text: str, module: str | None) -> None:
    assert absent_packages.missing(text, ["ale_py", "mujoco"]) == module


TESTS = """
def test_needs_it():
    import a_package_that_is_absent

def test_needs_another():
    import another_package_that_is_absent

def test_is_wrong():
    assert 1 == 2

def test_is_right():
    pass

def test_of_a_script():
    error = "Traceback\\nModuleNotFoundError: No module named 'a_package_that_is_absent'\\n"
    assert (1, error) == (0, ""), error

def test_of_the_message():
    expected = "x: No module named 'a_package_that_is_absent'"
    assert ["y: No module named 'a_package_that_is_absent'"] == [expected]

def test_after_it_was_caught():
    try:
        import a_package_that_is_absent
    except ImportError:
        assert 1 == 2
"""


@pytest.mark.parametrize("given", [True, False])
def test_the_option(given: bool, tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(TESTS)
    (tmp_path / "conftest.py").write_text(
        "from tests.absent_packages import add_option, pytest_runtest_makereport\n"
        "pytest_addoption = add_option\n"
    )
    option = ["--absent", "pygame,a_package_that_is_absent"] if given else []
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider", *option, "."],
        cwd=tmp_path,
        env={"PYTHONPATH": str(ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1, done.stdout + done.stderr
    assert ("4 failed, 1 passed, 2 skipped" if given else "6 failed, 1 passed") in done.stdout
    assert ("needs a_package_that_is_absent" in done.stdout) is given
