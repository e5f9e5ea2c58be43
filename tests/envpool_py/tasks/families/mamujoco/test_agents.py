"""MaMuJoCo: wrong options, what agents share, and the missing package."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import envpool_py
from envpool_py.errors import (
    InputError,
    MissingPackageError,
    OptionError,
    OptionTypeError,
    UnknownOptionError,
    UnknownTaskError,
)
from envpool_py.tasks.families.mamujoco import models

pytest.importorskip("mujoco")
# Not imported: that would change Gymnasium's registry, which parity/robotics_pair.py restores.
if importlib.util.find_spec("gymnasium_robotics") is None:
    pytest.skip("gymnasium_robotics is not installed", allow_module_level=True)
pytest.importorskip("envpool_py._mujoco")
pytestmark = pytest.mark.usefixtures("mujoco_log_elsewhere")


@pytest.mark.parametrize(
    ("scenario", "options", "message"),
    [
        ("Ant", {"agent_conf": "2x4x"}, r'"agent_conf": expected one of "2x4", "2x4d", "4x2"'),
        ("Humanoid", {"agent_conf": "9x8"}, r'expected one of "9\|8", got "9x8"'),
        ("ManySegmentAnt", {"agent_conf": "2by3"}, r'agent_conf: expected agents x .* got "2by3"'),
        ("ManySegmentAnt", {"agent_conf": "0x3"}, "with 1 to 100 segments"),
        ("ManySegmentSwimmer", {"agent_conf": "1x1"}, "with 2 to 100 segments"),
        ("ManySegmentSwimmer", {"agent_conf": "101x1"}, "with 2 to 100 segments"),
        ("ManySegmentSwimmer", {"agent_conf": "5x2x1"}, "agent_conf"),
        ("ManySegmentSwimmer", {"agent_conf": "11x10"}, "agent_conf"),
        ("Ant", {"agent_obsk": -1}, "agent_obsk"),
        ("Ant", {"agent_obsk": 2, "local_categories": ["qpos"]}, "up to agent_obsk = 2, got 1"),
        (
            "Ant",
            {"local_categories": ["qpos", "qpos fingertip_dist"]},
            r'local_categories\[1\]: expected one of "qpos", .* "cfrc_ext", got "fingertip_dist"',
        ),
        ("Hopper", {"local_categories": ["cvel", "qpos"]}, 'local_categories.* got "cvel"'),
        ("Humanoid", {"global_categories": ["qfrc_actuator"]}, 'one of "qpos", "qvel", got'),
        ("Ant", {"global_categories": ["cfrc_ext"]}, 'global_categories: .* got "cfrc_ext"'),
        ("Ant", {"agent_factorization": ["hip1 knee1"]}, r'agent_factorization\[0\]: .* "knee1"'),
        ("Ant", {"agent_factorization": ["hip1", "hip1"]}, r'\[1\]: .* once, got "hip1" again'),
        ("Ant", {"agent_factorization": ["hip1", " "]}, r"\[1\]: expected a joint or more"),
        ("Ant", {"agent_factorization": ["hip1 ankle1"]}, "expected all 8 joints, got 2"),
        ("Ant", {"xml_file": "half_cheetah.xml"}, "numbers of an array that agents observe"),
        ("HalfCheetah", {"xml_file": "hopper.xml"}, "3 actuators, the agents have 6"),
        ("Swimmer", {"xml_file": "half_cheetah.xml"}, "6 actuators, the agents have 2"),
    ],
)
def test_wrong_options(scenario: str, options: dict[str, Any], message: str) -> None:
    for make in (envpool_py.make, envpool_py.make_spec):
        with pytest.raises(OptionError, match=message):
            make(f"MaMuJoCo/{scenario}-v1", **options)


def test_options_that_do_not_exist() -> None:
    for scenario, name in (
        ("InvertedPendulum", "agent_conf"),
        ("ManySegmentAnt", "xml_file"),
        ("Ant", "gym_env"),
        ("Ant", "frame_stack"),
    ):
        with pytest.raises(UnknownOptionError, match=name):
            envpool_py.make_spec(f"MaMuJoCo/{scenario}-v1", **{name: "x"})
    with pytest.raises(OptionTypeError, match="agent_conf"):
        envpool_py.make_spec("MaMuJoCo/ManySegmentAnt-v1", agent_conf=None)
    with pytest.raises(UnknownTaskError, match=r"MaMuJoCo/Ant-v1"):
        envpool_py.make_spec("MaMuJoCo/Ants-v1")
    with pytest.raises(UnknownTaskError, match="Jacobian of a tendon"):
        envpool_py.make_spec("MaMuJoCo/CoupledHalfCheetah-v1")


def test_divisions_of_the_environments_of_a_pool() -> None:
    """Divisions into agents of equal spaces may differ."""
    same = [{"agent_conf": "2x4"}, {"agent_conf": "2x4d"}]
    with envpool_py.make("MaMuJoCo/Ant-v1", num_envs=2, env_options=same) as pool:
        assert pool.num_players == 2
    others = [{"agent_conf": "2x4"}, {"agent_conf": "4x2"}]
    with pytest.raises(OptionError, match="environments 0 and 1"):
        envpool_py.make("MaMuJoCo/Ant-v1", num_envs=2, env_options=others)


def test_what_agents_do_not_use() -> None:
    """The rest of a larger action has no effect."""
    options = {"num_envs": 1, "agent_factorization": ["bthigh", "bshin bfoot fthigh fshin ffoot"]}
    with (
        envpool_py.make("MaMuJoCo/HalfCheetah-v1", **options) as pool,
        envpool_py.make("MaMuJoCo/HalfCheetah-v1", **options) as twin,
    ):
        for each in (pool, twin):
            each.reset(seed=3)
        actions = np.full((2, 5), 0.5, np.float32)
        others = actions.copy()
        others[0, 1:] = -1.0
        for mine, other in zip(pool.step(actions)[:2], twin.step(others)[:2], strict=True):
            np.testing.assert_array_equal(mine, other)
        with pytest.raises(InputError, match="player 1"):
            pool.step(np.where(np.arange(2)[:, None] == 1, np.nan, actions))


def test_options_of_a_running_pool() -> None:
    with envpool_py.make("MaMuJoCo/Swimmer-v1", num_envs=2) as pool:
        pool.reset(seed=0)
        actions = np.ones((4, 1), np.float32)
        pool.set_attr("_ctrl_cost_weight", [0.0, 1.0])
        *_, infos = pool.step(actions)
        assert infos["reward_ctrl"].dtype == np.float64
        assert infos["reward_ctrl"].tolist() == [0.0, -2.0]


def test_models_need_their_templates(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(models, "package_directory", lambda name: tmp_path)
    with pytest.raises(MissingPackageError, match="no templates of models"):
        models.text_of("ant 9")
    directory = tmp_path / "envs" / "multiagent_mujoco" / "assets"
    directory.mkdir(parents=True)
    (directory / "many_segment_ant.xml.template").write_text("<mujoco>{{ body }}</mujoco>")
    with pytest.raises(ValueError, match="actuators"):
        models.text_of("ant 9")
