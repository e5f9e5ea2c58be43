"""Families: their manifests make ids known at once; the first use of a task loads its module."""

from __future__ import annotations

import hashlib
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import gymnasium
import numpy as np
import pytest

import envpool_py
from envpool_py import cli
from envpool_py.errors import InputError, MissingPackageError, RomError, UnknownTaskError
from envpool_py.tasks import catalog, registry
from envpool_py.tasks.manifest import Family, Limits, base_name, resolve

ROOT = Path(__file__).resolve().parents[3]
ENVS = ROOT / "engine" / "envs"

RunScript = Callable[..., str]

# Code for the beginning of a script; it makes the module look uninstalled.
HIDE = """
import sys

class Filter:
    def __init__(self, finder):
        self.finder = finder

    def find_spec(self, name, path=None, target=None):
        return None if name == {module!r} else self.finder.find_spec(name, path, target)

sys.meta_path[:] = [Filter(finder) for finder in sys.meta_path]
"""


# The manifests

EVERY_FAMILY = pytest.mark.parametrize("name", registry.all_families())


def test_the_tables_say_what_the_engine_registers() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tools.families", "--check"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_task_of_the_package_belongs_to_a_family(run_script: RunScript) -> None:
    printed = run_script(
        """
        from envpool_py.tasks import catalog, registry
        print(*(name for name in catalog.task_ids() if registry.family_of(name) is None))
        print(*registry.all_families())
        """
    )
    none, names = printed.splitlines()
    assert none == ""
    assert names.split() == sorted(path.parent.name for path in ENVS.rglob("register.cc"))


@EVERY_FAMILY
def test_a_manifest_names_what_there_is(name: str) -> None:
    family = registry.all_families()[name]
    assert family.tasks
    assert family.representatives <= family.tasks.keys()
    names = {base_name(task_id) for task_id in family.tasks}
    assert family.painters.keys() | family.keys.keys() <= names
    for reference in (*family.painters.values(), family.controls, family.bench_case):
        assert reference is None or callable(resolve(reference))
    assert family.page is not None
    assert (ROOT / "docs" / family.page).exists()
    for base in family.keys:
        task_id = next(task_id for task_id in family.tasks if base_name(task_id) == base)
        space = envpool_py.make_spec(task_id).action_space
        keys = family.keys[base]
        for action in (*keys.idle, *(action for action, _ in keys.actions.values())):
            assert space.contains(np.int64(action)), (task_id, action)


@EVERY_FAMILY
def test_the_extra_installs_what_a_family_needs(name: str) -> None:
    family = registry.all_families()[name]
    if family.extra is None:
        assert family.needs == ()
        return
    text = (ROOT / "pyproject.toml").read_text()
    listed = re.search(rf"^{family.extra} = \[\n(.*?)^\]", text, re.DOTALL | re.MULTILINE)
    assert listed is not None, f"pyproject.toml has no extra {family.extra}"
    for module in family.needs:
        assert f'"{module.replace("_", "-")}' in listed[1]


def test_a_package_is_a_family_where_it_has_a_manifest(tmp_path: Path) -> None:
    for name in ("lake", "sea", "tools"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").touch()
    for name in ("lake", "sea", "no_package"):
        (tmp_path / name).mkdir(exist_ok=True)
        (tmp_path / name / "manifest.py").touch()
    found = registry.find_packages("shop", [str(tmp_path / "no_such_directory"), str(tmp_path)])
    assert found == ["shop.lake", "shop.sea"]


def test_families_do_not_share_ids_or_names(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    for package, task_id in (("a_shop", "Pong-v5"), ("a_shop/toy_text", "Other-v0")):
        (tmp_path / package).mkdir()
        (tmp_path / package / "__init__.py").touch()
        (tmp_path / package / "manifest.py").write_text(
            "from envpool_py.tasks.manifest import Family, Limits\n"
            f"FAMILY = Family('A', {{'{task_id}': Limits()}})\n"
        )
    before = envpool_py.list_all_envs(), registry.packages()
    with pytest.raises(InputError, match="a_shop: Pong-v5 is a task of Atari"):
        registry.add("a_shop")
    with pytest.raises(InputError, match=r"families\.toy_text is a family of the same name"):
        registry.add("a_shop.toy_text")
    with pytest.raises(ImportError, match="no_such_package"):
        registry.add("no_such_package")
    assert registry.add("envpool_py.tasks.families.toy_text") is registry.all_families()["toy_text"]
    assert (envpool_py.list_all_envs(), registry.packages()) == before


# Ids


def test_atari_has_two_ids_for_every_game() -> None:
    ids = set(envpool_py.list_all_envs())
    ale = {task_id for task_id in ids if task_id.startswith("ALE/")}
    assert len(ale) == 104
    assert {task_id.removeprefix("ALE/") for task_id in ale} <= ids
    assert {"ALE/Pong-v5", "Pong-v5", "ALE/TicTacToe3D-v5", "UpNDown-v5"} <= ids


def test_nothing_is_loaded_before_it_is_used(run_script: RunScript) -> None:
    printed = run_script(
        """
        import sys
        import gymnasium
        import envpool_py

        def loaded():
            return "envpool_py._atari" in sys.modules

        ids = envpool_py.list_all_envs()
        assert "Pong-v5" in ids and "ALE/Pong-v5" in ids and ids == sorted(ids)
        assert gymnasium.spec("EnvPool/Pong-v5").max_episode_steps == 27_000
        assert gymnasium.spec("EnvPool/ALE.Pong-v5").max_episode_steps is None
        envpool_py.register_tasks()
        envpool_py.make("CartPole-v1").close()
        envpool_py.make_spec("CartPole-v1")
        try:
            envpool_py.make("Pogn-v5")
        except envpool_py.errors.UnknownTaskError as error:
            print(error)
        assert not loaded()
        envpool_py.make_spec("ALE/Pong-v5")
        assert loaded()
        assert envpool_py.list_all_envs() == ids
        """
    )
    assert printed.strip() == 'unknown task_id "Pogn-v5"; did you mean "Pong-v5"?'


@pytest.mark.parametrize(
    ("wrong", "meant"),
    [
        ("Pogn-v5", "Pong-v5"),
        ("pong-v5", "Pong-v5"),
        ("ALE/pong-v5", "ALE/Pong-v5"),
        ("Pong", "Pong-v5"),
        ("SpaceInvader-v5", "SpaceInvaders-v5"),
        ("TicTacToe3d-v5", "TicTacToe3D-v5"),
        ("Cartpole-v1", "CartPole-v1"),
    ],
)
def test_the_nearest_id_of_all_families_is_suggested(wrong: str, meant: str) -> None:
    for call in (envpool_py.make, envpool_py.make_spec, envpool_py.make_dm):
        with pytest.raises(UnknownTaskError) as caught:
            call(wrong)
        assert str(caught.value) == f'unknown task_id "{wrong}"; did you mean "{meant}"?'


def test_ids_that_other_libraries_have_name_what_to_take() -> None:
    known = envpool_py.list_all_envs()
    absent = {
        name: why
        for family in registry.all_families().values()
        for name, why in family.absent.items()
    }
    assert {"Ant-v3", "Reacher-v2", "Pusher-v4", "tabular/Blackjack-v0"} <= absent.keys()
    assert not absent.keys() & set(known)
    for name, why in absent.items():
        with pytest.raises(UnknownTaskError) as caught:
            envpool_py.make(name)
        assert str(caught.value) == f'unknown task_id "{name}": {why}'
        assert why.rpartition("take ")[2] in known


def test_an_id_that_is_near_to_none() -> None:
    with pytest.raises(UnknownTaskError, match=r'"\?\?\?"; envpool_py.list_all_envs\(\) gives all'):
        envpool_py.make("???")


def test_through_gymnasium(run_script: RunScript) -> None:
    """Gymnasium's ids allow one slash, so a slash in the task's id is replaced by a dot."""
    printed = run_script(
        """
        import gymnasium
        import envpool_py

        for name in ("EnvPool/ALE.Pong-v5", "EnvPool/Pong-v5"):
            envs = gymnasium.make_vec(name, num_envs=2, vectorization_mode="vector_entry_point")
            print(envs, envs.reset(seed=0)[0].shape[0], envs.spec.id)
            again = gymnasium.make_vec(envs.spec)
            assert (again.reset(seed=0)[0] == envs.reset(seed=0)[0]).all()
            envs.close()
            again.close()
        """
    )
    assert printed.splitlines() == [
        "GymnasiumPool(ALE/Pong-v5, num_envs=2) 2 EnvPool/ALE.Pong-v5",
        "GymnasiumPool(Pong-v5, num_envs=2) 2 EnvPool/Pong-v5",
    ]


def test_many_threads_may_be_the_first_to_use_a_family(run_script: RunScript) -> None:
    run_script(
        """
        import threading
        import envpool_py

        failures = []
        barrier = threading.Barrier(8)

        def use(number):
            try:
                barrier.wait()
                with envpool_py.make(("ALE/Pong-v5", "Pong-v5")[number % 2], seed=0) as envs:
                    envs.reset()
            except BaseException as error:
                failures.append(error)

        threads = [threading.Thread(target=use, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not failures, failures
        """
    )


def test_importing_again_registers_nothing_twice(run_script: RunScript) -> None:
    run_script(
        """
        import sys
        import envpool_py

        envpool_py.make_spec("ALE/Pong-v5")
        kept = {"envpool_py._core", "envpool_py._atari"}
        for name in [name for name in sys.modules if name.split(".")[0] == "envpool_py"]:
            if name not in kept:
                del sys.modules[name]
        import envpool_py
        assert envpool_py.make_spec("ALE/Pong-v5").id == "ALE/Pong-v5"
        """
    )


# Missing packages


def test_without_ale_py_tasks_are_listed_and_described_but_not_made(run_script: RunScript) -> None:
    printed = run_script(
        HIDE.format(module="ale_py")
        + """
import envpool_py

assert "ALE/Pong-v5" in envpool_py.list_all_envs()
assert envpool_py.make_spec("ALE/Pong-v5").observation_space.shape == (210, 160, 3)
assert envpool_py.make_spec("Pong-v5").observation_space.shape == (4, 84, 84)
for task_id in ("ALE/Pong-v5", "Pong-v5"):
    try:
        envpool_py.make(task_id, num_envs=2)
    except envpool_py.errors.RomError as error:
        print(error)
envpool_py.make("CartPole-v1").close()
"""
    )
    expected = (
        "pong: its ROM comes with the ale-py package, which is not installed: "
        "`pip install 'ale-py>=0.11'`"
    )
    assert printed.splitlines() == [expected] * 2


def test_a_family_that_cannot_be_loaded_is_listed_all_the_same(run_script: RunScript) -> None:
    printed = run_script(
        HIDE.format(module="envpool_py._atari")
        + """
import envpool_py

assert "ALE/Pong-v5" in envpool_py.list_all_envs()
for call in (envpool_py.make, envpool_py.make_spec):
    try:
        call("ALE/Pong-v5")
    except envpool_py.errors.MissingPackageError as error:
        assert isinstance(error, ImportError)
        print(error)
envpool_py.make("CartPole-v1").close()
"""
    )
    lines = printed.splitlines()
    assert len(lines) == 2
    for line in lines:
        assert line.startswith("the Atari tasks cannot be loaded (")
        assert "_atari" in line
        assert line.endswith("`pip install 'ale-py>=0.11'`")


def test_the_suite_without_its_models(monkeypatch: pytest.MonkeyPatch) -> None:
    models = pytest.importorskip("envpool_py.tasks.families.dm_control.models")

    def missing(name: str) -> None:
        raise MissingPackageError(f"the package {name} is not installed")

    monkeypatch.setattr(models, "package_directory", missing)
    with pytest.raises(MissingPackageError) as caught:
        envpool_py.make("WalkerWalk-v1")
    assert str(caught.value) == (
        "the DeepMind Control Suite tasks cannot be made (the package dm_control is not "
        "installed); what they need: `pip install 'dm-control==1.0.50' 'mujoco>=3.17.0,<4'`"
    )


def test_robotics_without_its_models(monkeypatch: pytest.MonkeyPatch) -> None:
    models = pytest.importorskip("envpool_py.tasks.families.robotics.models")
    found = models.package_directory

    def missing(name: str) -> Any:
        if name != "gymnasium_robotics":
            return found(name)
        raise MissingPackageError(f"the package {name} is not installed")

    monkeypatch.setattr(models, "package_directory", missing)
    with pytest.raises(MissingPackageError) as caught:
        envpool_py.make("PointMaze_UMaze-v3")
    assert str(caught.value) == (
        "the Gymnasium-Robotics tasks cannot be made (the package gymnasium_robotics is not "
        "installed); what they need: `pip install 'gymnasium-robotics==1.4.2' "
        "'mujoco>=3.3.0,<=4.0.0'`"
    )
    assert envpool_py.make_spec("PointMaze_UMaze-v3").max_episode_steps == 300
    envpool_py.make("AntMaze_UMaze-v5").close()  # its model is Gymnasium's


def test_the_command_line_lists_what_is_not_installed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    task_id = "Missing/Thing-v0"
    missing = Family("Missing", {task_id: Limits()}, module="no_such_module", extra="ray")
    monkeypatch.setattr(registry, "_family_of", {**registry._family_of, task_id: missing})
    assert cli.main(["list", "*Thing*"]) == 0
    out, err = capsys.readouterr()
    assert "Missing/Thing-v0" in out
    assert "not installed" in out
    assert "pip install 'ray>=" in err
    assert cli.main(["bench", "Missing/Thing-v0", "--against", "none"]) == 2
    assert "pip install 'ray>=" in capsys.readouterr().err


def test_the_command_line_lists_games(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["list", "pong"]) == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines() if "Pong" in line]
    assert [row[0] for row in rows] == ["ALE/Pong-v5", "Pong-v5"]
    assert rows[0][1:7] == ["210", "x", "160", "x", "3", "x"]


def test_a_rom_that_is_missing_or_altered(tmp_path: Path, run_script: RunScript) -> None:
    (tmp_path / "roms").mkdir()
    altered = b"\xff" * 2048
    (tmp_path / "roms" / "pong.bin").write_bytes(altered)
    printed = run_script(
        f"""
        import importlib.util
        from types import SimpleNamespace
        import envpool_py

        find = importlib.util.find_spec
        importlib.util.find_spec = lambda name, package=None: (
            SimpleNamespace(submodule_search_locations=[{str(tmp_path)!r}])
            if name == "ale_py" else find(name, package)
        )
        for game in ("Pong", "Breakout"):
            for _ in range(2):  # nothing of the first attempt stays
                try:
                    envpool_py.make(f"ALE/{{game}}-v5")
                except envpool_py.errors.RomError as error:
                    print(error)
        """
    )
    lines = printed.splitlines()
    assert len(lines) == 4
    assert lines[0] == lines[1]
    assert hashlib.md5(altered).hexdigest() in lines[0]
    assert "unaltered" in lines[0]
    assert "breakout.bin" in lines[2]
    assert "has no ROM of it at" in lines[2]


# Users' plug-ins


def test_a_plug_in_is_a_task_like_those_of_families(testing: Any) -> None:
    del testing  # its import has registered the tasks
    assert "Testing/Counter-v0" in envpool_py.list_all_envs()
    catalog.load("Testing/Counter-v0")
    registry.prepare("Testing/Counter-v0")
    assert registry.limits_of("Testing/Counter-v0") == (None, 42.5)
    assert registry.limits_of("CartPole-v1") == (500, 475.0)
    envpool_py.register_tasks()
    assert gymnasium.spec("EnvPool/Testing.Counter-v0").reward_threshold == 42.5


def test_what_a_family_needs_is_asked_for_when_a_pool_is_made(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[str] = []

    def prepare(task_id: str) -> None:
        asked.append(task_id)
        raise RomError("bring your own")

    monkeypatch.setitem(sys.modules, "a_family", SimpleNamespace(prepare=prepare))  # type: ignore[misc]
    family = Family("A", {"CartPole-v1": Limits(500)}, module="a_family", extra="a")
    monkeypatch.setattr(registry, "_family_of", {**registry._family_of, "CartPole-v1": family})
    assert envpool_py.make_spec("CartPole-v1").id == "CartPole-v1"
    assert asked == []
    with pytest.raises(RomError, match="bring your own"):
        envpool_py.make("CartPole-v1")
    assert asked == ["CartPole-v1"]


def test_import_loads_no_module_of_a_family() -> None:
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-c", "import envpool_py"],
        capture_output=True,
        text=True,
        check=True,
    )
    modules = [line.rsplit("|", 1)[-1].strip() for line in done.stderr.splitlines()]
    assert "envpool_py.tasks.registry" in modules
    assert not {"envpool_py._atari", "envpool_py.tasks.families.atari.roms", "ale_py"} & set(
        modules
    )


def test_missing_package_is_an_import_error() -> None:
    assert issubclass(MissingPackageError, ImportError)
    assert issubclass(MissingPackageError, envpool_py.EnvPoolError)
