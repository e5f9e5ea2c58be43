"""Loading the Procgen family, and errors for a package that is missing or damaged."""

from __future__ import annotations

import importlib.util
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from envpool_py.tasks.families.procgen import manifest
from envpool_py.tasks.families.procgen.manifest import FAMILY, PACKAGE

if sys.version_info >= (3, 11):
    import tomllib
else:  # pip contains the same parser
    from pip._vendor import tomli as tomllib

ROOT = Path(__file__).resolve().parents[5]
RunScript = Callable[..., str]

needs_package = pytest.mark.skipif(
    importlib.util.find_spec(PACKAGE) is None, reason=f"the package {PACKAGE} is not installed"
)

# Makes importlib find the package in another directory; None: it finds none.
ELSEWHERE = """
import importlib.util
from types import SimpleNamespace

find = importlib.util.find_spec
directory = {directory!r}
importlib.util.find_spec = lambda name, package=None: find(name, package) if name != {name!r} else (
    None if directory is None else SimpleNamespace(submodule_search_locations=[directory])
)
"""
TRY = """
import envpool_py

assert envpool_py.make_spec("CoinrunEasy-v0").action_space.n == 15
for _ in range(2):  # nothing of the first attempt stays
    try:
        envpool_py.make("CoinrunEasy-v0")
    except envpool_py.errors.MissingPackageError as error:
        print(error)
envpool_py.make("CartPole-v1").close()
"""


def message(run_forked: RunScript, directory: Path | None) -> str:
    where = None if directory is None else str(directory)
    script = ELSEWHERE.format(directory=where, name=PACKAGE) + TRY
    first, second = run_forked(script).splitlines()
    assert first == second
    assert first.startswith("the Procgen tasks cannot be made (")
    assert FAMILY.install is not None
    assert first.endswith(f"); {FAMILY.install}")
    return first


def test_without_the_package(run_forked: RunScript) -> None:
    said = message(run_forked, None)
    assert f"(the package {PACKAGE} is not installed)" in said
    assert "Linux on x86-64 with Python 3.10 to 3.13" in said
    if sys.version_info < (3, 14):
        assert "`pip install " in said


def test_a_package_without_a_library(run_forked: RunScript, tmp_path: Path) -> None:
    library = tmp_path / "data" / "prebuilt" / "libenv.so"
    assert f"({library} is missing)" in message(run_forked, tmp_path)


def copied_package(tmp_path: Path) -> Path:
    """Copies the installed package, whose library is a link."""
    found = importlib.util.find_spec(PACKAGE)
    assert found is not None
    assert found.submodule_search_locations
    installed = Path(found.submodule_search_locations[0])
    package = tmp_path / PACKAGE
    shutil.copytree(installed / "data" / "assets", package / "data" / "assets")
    (package / "data" / "prebuilt").mkdir()
    library = Path("data") / "prebuilt" / "libenv.so"
    (package / library).symlink_to(installed / library)
    return package


@needs_package
def test_pictures_that_are_damaged_or_missing(run_forked: RunScript, tmp_path: Path) -> None:
    """The library would end the process."""
    package = copied_package(tmp_path)
    picture = package / "data" / "assets" / "kenney" / "Tiles" / "bomb.png"
    image = picture.read_bytes()
    picture.write_bytes(image[:100])
    expected = f"({picture} has 100 bytes, expected {len(image)})"
    assert expected in message(run_forked, package)
    picture.unlink()
    assert f"({picture} cannot be read: No such file" in message(run_forked, package)


@needs_package
def test_a_library_that_is_none(run_forked: RunScript, tmp_path: Path) -> None:
    package = copied_package(tmp_path)
    library = package / "data" / "prebuilt" / "libenv.so"
    library.unlink()
    library.write_bytes(b"no library")
    assert "(the Procgen library cannot be opened: " in message(run_forked, package)


@needs_package
def test_the_package_itself_is_not_imported(run_script: RunScript) -> None:
    run_script(
        """
        import sys
        import envpool_py

        assert "envpool_py._procgen" not in sys.modules
        with envpool_py.make("CoinrunEasy-v0", num_envs=2) as envs:
            envs.reset(seed=0)
            envs.step([7, 7])
        assert "envpool_py._procgen" in sys.modules
        assert not {"procgen", "procgen_gym", "gym", "gym3"} & sys.modules.keys()
        """
    )


@needs_package
def test_pools_in_a_forked_process(run_forked: RunScript) -> None:
    """The pictures that the parent has loaded serve the child."""
    printed = run_forked(
        """
        import os
        import envpool_py

        def play():
            with envpool_py.make("MazeEasy-v0", num_envs=3, num_threads=2, seed=5) as envs:
                envs.reset()
                for action in range(15):
                    observations, *_ = envs.step([action] * 3)
                return hash(observations.tobytes())

        expected = play()
        child = os.fork()
        if child == 0:
            os._exit(0 if play() == expected else 1)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        """
    )
    assert printed == "0\n"


def test_the_command_installs_what_the_tests_use() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    group = {}
    for each in project["dependency-groups"]["no-deps"]:
        if not each.startswith("procgen"):
            continue
        requirement, _, marker = each.partition("; ")
        assert marker.endswith("sys_platform == 'linux' and platform_machine == 'x86_64'")
        group[requirement] = marker.split(" and sys_platform")[0]
    assert group == {
        "procgen==0.10.7": "python_version == '3.10'",
        "procgen-mirror==0.10.7": "python_version >= '3.11' and python_version < '3.13'",
        "procgen-gym==0.1.1": "python_version == '3.13'",
    }
    extra = project["project"]["optional-dependencies"]["procgen"]
    assert extra == [project["dependency-groups"]["no-deps"][-1]]
    wheels = {wheel.removeprefix("--no-deps ") for wheel in manifest._WHEELS.values()}
    assert wheels == group.keys()


@needs_package
def test_keys() -> None:
    from envpool_py.tasks.families.procgen.controls import ProcgenKeys

    keys = ProcgenKeys()
    assert [keys.action(held) for held in ([], ["left"], ["right", "up"], ["down", "left"])] == [
        4,
        1,
        8,
        0,
    ]
    assert [keys.action(["right", key]) for key in "dawsqe"] == [9, 10, 11, 12, 13, 14]
    assert keys.action(["left", "right"]) == 4
