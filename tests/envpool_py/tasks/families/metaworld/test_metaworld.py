"""MetaWorld: wrong options, the missing package, and what environments share."""

from __future__ import annotations

import gc
import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import envpool_py
from envpool_py.errors import (
    InputError,
    MissingPackageError,
    NoAttributeError,
    OptionError,
    UnknownOptionError,
    UnknownTaskError,
)

pytest.importorskip("mujoco")
# Not imported: that would change Gymnasium's registry, which parity/metaworld_pair.py restores.
if importlib.util.find_spec("metaworld") is None:
    pytest.skip("metaworld is not installed", allow_module_level=True)
_mujoco = pytest.importorskip("envpool_py._mujoco")
pytestmark = pytest.mark.usefixtures("mujoco_log_elsewhere")

REACH = "MetaWorld/Reach-v3"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"goals_after": ["Push", "Rech"]}, r'goals_after: .* got "Rech"; did you mean "Reach"'),
        ({"num_goals": 0}, "num_goals"),
        ({"num_goals": 4, "first_goal": 4}, "first_goal: expected less than the 4 goals, got 4"),
        ({"total_goals": 2, "first_goal": 3}, "first_goal: expected less than the 2 goals, got 3"),
        ({"num_tasks": 3, "task_index": 3}, "task_index: expected less than num_tasks, .* 3"),
        ({"reward_function_version": "v3"}, "reward_function_version"),
        ({"task_select": "ordered"}, "task_select"),
    ],
)
def test_wrong_options(options: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        envpool_py.make(REACH, num_envs=1, **options)


def test_unknown_names() -> None:
    with pytest.raises(UnknownOptionError, match="did you mean"):
        envpool_py.make(REACH, num_envs=1, num_goal=3)
    with pytest.raises(UnknownTaskError, match="MetaWorld/Reach-v3"):
        envpool_py.make("MetaWorld/Rech-v3", num_envs=1)
    with envpool_py.make("reach-v3", num_envs=1) as pool:
        assert pool.spec is not None
        assert pool.spec.id == "EnvPool/MetaWorld.Reach-v3"
        with pytest.raises(NoAttributeError, match="each goal of a seed is a task"):
            pool.get_attr("set_task")


def test_seeds_are_those_of_random_state() -> None:
    with envpool_py.make(REACH, num_envs=1) as pool:
        pool.reset(seed=2**32 - 1)
        with pytest.raises(InputError, match="seed"):
            pool.reset(seed=2**32)


def test_without_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    find = importlib.util.find_spec

    def without(name: str, package: str | None = None) -> Any:
        return None if name == "metaworld" else find(name, package)

    monkeypatch.setattr("importlib.util.find_spec", without)
    assert envpool_py.make_spec(REACH).frame_skip == 5  # a description needs no models
    with pytest.raises(MissingPackageError, match=r"pip install 'metaworld==3.1.1'"):
        envpool_py.make(REACH, num_envs=1)


def test_a_package_without_models(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from envpool_py.tasks.families.metaworld import family

    monkeypatch.setattr(family, "package_directory", lambda _: tmp_path)
    with pytest.raises(MissingPackageError, match="metaworld has no models in"):
        envpool_py.make(REACH, num_envs=1)


def test_another_model_than_the_reference(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from envpool_py.tasks.families.metaworld import family

    path = tmp_path / "assets" / "sawyer_xyz" / "sawyer_reach_v3.xml"
    path.parent.mkdir(parents=True)
    path.write_text("<mujoco><worldbody><body name='hand'/></worldbody></mujoco>")
    monkeypatch.setattr(family, "package_directory", lambda _: tmp_path)
    with pytest.raises(OptionError, match="it has no"):
        envpool_py.make(REACH, num_envs=1)


def test_models_and_starts_are_shared() -> None:
    """A second pool does not compile the model again, and has the same starts."""
    gc.collect()
    compiled, _ = _mujoco.model_memory()
    with envpool_py.make(REACH, num_envs=3, num_goals=1, seed=[1, 1, 2]) as first:
        expected, _ = first.reset()
        np.testing.assert_array_equal(expected[0], expected[1])
        assert (expected[0] != expected[2]).any()
        with envpool_py.make(REACH, num_envs=2, num_goals=1, seed=[2, 1]) as second:
            assert _mujoco.model_memory()[0] == compiled + 1
            np.testing.assert_array_equal(second.reset()[0], expected[[2, 0]])
    del first, second
    gc.collect()
    assert _mujoco.model_memory()[0] == compiled
