"""Loading the MuJoCo family, and errors for a library that is missing or of another version."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import gymnasium
import pytest

mujoco = pytest.importorskip("mujoco")
_mujoco = pytest.importorskip("envpool_py._mujoco")

RunScript = Callable[..., str]

SUPPORTED = _mujoco.SUPPORTED_VERSIONS

ANT = Path(gymnasium.__file__).parent / "envs" / "mujoco" / "assets" / "ant.xml"

# Makes importlib find the package `mujoco` in another directory; None: it finds none.
ELSEWHERE = """
import importlib.util
from types import SimpleNamespace

find = importlib.util.find_spec
directory = {directory!r}
importlib.util.find_spec = lambda name, package=None: find(name, package) if name != "mujoco" else (
    None if directory is None else SimpleNamespace(submodule_search_locations=[directory])
)
"""
TRY = """
import envpool_py

assert "Ant-v5" in envpool_py.list_all_envs()
for _ in range(2):  # nothing of the first attempt stays
    try:
        envpool_py.make("Ant-v5")
    except envpool_py.errors.MissingPackageError as error:
        print(error)
envpool_py.make("CartPole-v1").close()
"""


def messages(run_forked: RunScript, directory: Path | None) -> str:
    where = None if directory is None else str(directory)
    first, second = run_forked(ELSEWHERE.format(directory=where) + TRY).splitlines()
    assert first == second
    assert first.startswith("the MuJoCo tasks cannot be loaded (")
    assert first.endswith("); what they need: `pip install 'mujoco>=3.3.0,<=4.0.0'`")
    return first


def test_without_mujoco(run_forked: RunScript) -> None:
    expected = "the package mujoco is not installed"
    assert expected in messages(run_forked, None)


def test_a_package_without_a_library(run_forked: RunScript, tmp_path: Path) -> None:
    assert f"{tmp_path} has no libmujoco.so.*" in messages(run_forked, tmp_path)


def test_a_library_that_is_none(run_forked: RunScript, tmp_path: Path) -> None:
    (tmp_path / "libmujoco.so.3.17.0").write_bytes(b"no library")
    assert "cannot be opened: " in messages(run_forked, tmp_path)


def library_that_says(version: str, directory: Path) -> Path:
    """Copies the installed library and replaces its version by another of the same length."""
    installed = next(Path(mujoco.__file__).parent.glob("libmujoco.so.*"))
    image, own = installed.read_bytes(), mujoco.__version__
    assert f"\0{own}\0".encode() in image
    library = directory / f"libmujoco.so.{version}"
    library.write_bytes(image.replace(f"\0{own}\0".encode(), f"\0{version}\0".encode()))
    return library


@pytest.mark.parametrize("how", ["older", "newer"])
def test_a_library_of_another_version(how: str, run_forked: RunScript, tmp_path: Path) -> None:
    other = {"older": "2", "newer": "9"}[how] + mujoco.__version__[1:]
    library = library_that_says(other, tmp_path)
    message = messages(run_forked, tmp_path)
    *others, newest = SUPPORTED
    expected = f"expected a MuJoCo of version {', '.join(others)} or {newest}, found {other} in"
    assert f"{expected} {library}" in message


def test_a_library_that_differs_from_the_version_that_it_states(
    run_forked: RunScript, tmp_path: Path
) -> None:
    """Uses the nearest supported versions whose names have the same length."""
    own = SUPPORTED.index(mujoco.__version__)
    alike = [version for version in SUPPORTED if len(version) == len(SUPPORTED[own])]
    alike.remove(SUPPORTED[own])
    alike.sort(key=lambda version: abs(SUPPORTED.index(version) - own))
    for version in alike[:4]:
        library_that_says(version, tmp_path)
        expected = f"says that it is version {version} but does not work like it: "
        assert expected in messages(run_forked, tmp_path)
        (tmp_path / f"libmujoco.so.{version}").unlink()


def test_mujoco_itself_is_not_imported(run_script: RunScript) -> None:
    run_script(
        """
        import sys
        import envpool_py

        assert "envpool_py._mujoco" not in sys.modules
        with envpool_py.make("Ant-v5", num_envs=2) as envs:
            envs.reset(seed=0)
        assert "envpool_py._mujoco" in sys.modules
        assert "mujoco" not in sys.modules
        """
    )


@pytest.mark.parametrize("first", ["mujoco", "envpool_py.tasks.families.mujoco.family"])
def test_beside_mujocos_own_bindings(first: str, run_script: RunScript) -> None:
    """Both use one library, but keep separate error handlers."""
    run_script(
        f"""
        import {first}
        import envpool_py
        import mujoco
        import numpy as np

        with envpool_py.make("InvertedPendulum-v5", num_envs=2, num_threads=2) as envs:
            envs.reset(seed=0)
            for _ in range(50):
                envs.step(np.ones((2, 1), np.float32))
        rng = np.random.default_rng(0)
        for kibibytes in range(17, 6, -1):
            size = f'<size memory="{{kibibytes}}K"/><option'
            model = mujoco.MjModel.from_xml_string(
                open({str(ANT)!r}).read().replace("<option", size)
            )
            data = mujoco.MjData(model)
            try:
                for _ in range(3000):
                    data.ctrl[:] = rng.uniform(-1, 1, 8)
                    mujoco.mj_step(model, data)
            except mujoco.FatalError as error:
                assert "stack overflow" in str(error)
                break
        else:
            raise AssertionError("no error")
        """
    )
