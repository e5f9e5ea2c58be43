"""Unstable or failing MuJoCo simulations: behave as in Gymnasium and never end the process."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import gymnasium
import numpy as np
import pytest

import envpool_py
from envpool_py import errors

mujoco = pytest.importorskip("mujoco")
pytest.importorskip("envpool_py._mujoco")
pytestmark = pytest.mark.usefixtures("mujoco_log_elsewhere")

VariantOf = Callable[[str, Mapping[str, str], str], str]
WILD = {'timestep="0.01"': 'timestep="0.2"'}  # too large a time step for half_cheetah.xml


def test_a_simulation_that_explodes(
    variant_of: VariantOf, parity: SimpleNamespace, capfd: pytest.CaptureFixture[str]
) -> None:
    """MuJoCo warns and resets the state within the step; the episode continues, as in Gymnasium."""
    variant_of("half_cheetah.xml", WILD, "wild.xml")
    with parity.Lockstep("HalfCheetah-v5", xml_file="./wild.xml") as pair:
        bad = mujoco.mjtWarning.mjWARN_BADQACC
        pair.run(parity.box_policy("HalfCheetah-v5"), 0, 300)
        warned = sum(int(env.unwrapped.data.warning[bad].number) for env in pair.theirs.envs)
    assert warned > 0, "nothing exploded"


def test_our_warnings_are_not_printed(
    tmp_path: Path,
    variant_of: VariantOf,
    parity: SimpleNamespace,
    capfd: pytest.CaptureFixture[str],
) -> None:
    variant_of("half_cheetah.xml", WILD, "wild.xml")
    policy, rng = parity.box_policy("HalfCheetah-v5"), np.random.default_rng(0)
    capfd.readouterr()
    with envpool_py.make("HalfCheetah-v5", num_envs=8, xml_file="./wild.xml") as pool:
        observations, _ = pool.reset(seed=0)
        for _ in range(300):
            observations, *_ = pool.step(policy(observations, rng))
    assert capfd.readouterr() == ("", "")
    assert not (tmp_path / "MUJOCO_LOG.TXT").exists()


# Tasks that cover each way to compute rewards and health.
FRAGILE = ["Ant-v5", "HalfCheetah-v5", "Hopper-v4", "HumanoidStandup-v5", "InvertedPendulum-v5"]


@pytest.mark.parametrize("value", [1e30, np.finfo(np.float32).max, np.inf])
@pytest.mark.parametrize("task_id", FRAGILE)
def test_actions_beyond_all_bounds(task_id: str, value: float, parity: SimpleNamespace) -> None:
    def policy(observations: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        signs = rng.choice([-1.0, 1.0], pair.ours.action_space.shape)
        return (signs * np.float64(value)).astype(np.float32)

    quiet = contextlib.redirect_stderr(io.StringIO())
    with parity.Lockstep(task_id, num_envs=3) as pair, quiet:
        pair.run(policy, 1, 20)


@pytest.mark.parametrize("scale", [10.0, 1e6, 1e200, np.finfo(np.float64).max / 2.0])
@pytest.mark.parametrize("task_id", FRAGILE)
def test_episodes_that_begin_beyond_all_bounds(
    task_id: str, scale: float, parity: SimpleNamespace
) -> None:
    with parity.Lockstep(task_id, num_envs=3, reset_noise_scale=scale) as pair:
        pair.run(parity.box_policy(task_id), 1, 20)


def test_an_action_that_is_no_number_changes_nothing() -> None:
    with (
        envpool_py.make("Ant-v5", num_envs=3) as pool,
        envpool_py.make("Ant-v5", num_envs=3) as same,
    ):
        pool.reset(seed=0)
        same.reset(seed=0)
        actions = np.zeros((3, 8), np.float32)
        actions[1, 4] = np.nan
        with pytest.raises(errors.InputError, match=r"element \[4\] \(environment 1\).*got nan"):
            pool.step(actions)
        actions[1, 4] = 0.5
        assert pool.step(actions)[0].tobytes() == same.step(actions)[0].tobytes()


# Files that are no models, or do not fit the task.
BROKEN = {
    "empty": ("", "empty file"),
    "not XML": ("\x00\x01\x02" * 1000, "XML parse error"),
    "cut off": ("<mujoco><worldbody>", "XML Error|XML parse error"),
    "another format": ("<robot/>", r"main_body: .* in \[0, 0\], got 1"),
    "nothing in it": ("<mujoco/>", r"main_body: .* in \[0, 0\], got 1"),
    "itself in it": ('<mujoco><include file="broken.xml"/></mujoco>', "already included"),
    "a mesh that is missing": (
        '<mujoco><asset><mesh name="m" file="m.stl"/></asset></mujoco>',
        "Error opening file 'm.stl'",
    ),
    "a plug-in that is missing": (
        '<mujoco><extension><plugin plugin="mujoco.nowhere"/></extension></mujoco>',
        "plugin mujoco.nowhere not found",
    ),
    "more memory than there is": (
        '<mujoco><size memory="1000P"/></mujoco>',
        "Could not allocate memory",
    ),
    "a timestep of zero": ('<mujoco><option timestep="0"/></mujoco>', "its timestep is 0.0+ s"),
    "a timestep that is none": ('<mujoco><option timestep="nan"/></mujoco>', "its timestep is nan"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_broken_models(name: str, tmp_path: Path) -> None:
    text, named = BROKEN[name]
    (tmp_path / "broken.xml").write_text(text)
    with pytest.raises(errors.OptionError, match=named) as caught:
        envpool_py.make("Ant-v5", xml_file="./broken.xml")
    assert str(caught.value).startswith(("xml_file: ", "main_body: "))


def test_a_model_with_too_little_memory_for_one_state(variant_of: VariantOf) -> None:
    path = variant_of("ant.xml", {"<option": '<size memory="1"/><option'}, "poorest.xml")
    with pytest.raises(errors.OptionError, match=r"got \".*poorest.xml\": .*stack overflow"):
        envpool_py.make("Ant-v5", xml_file=path)


@pytest.mark.parametrize(
    ("task_id", "joint"),
    [
        ("Ant-v5", '<joint type="ball"/>'),
        ("HalfCheetah-v5", '<joint type="ball"/>'),
        ("Hopper-v5", '<joint type="ball"/>'),
        ("Humanoid-v5", "<freejoint/>"),
        ("HumanoidStandup-v5", "<freejoint/>"),
    ],
)
def test_models_with_no_more_than_the_task_reads(
    task_id: str, joint: str, tmp_path: Path, parity: SimpleNamespace
) -> None:
    """The model has one joint, of another type than in Gymnasium's models, and no actuators."""
    body = f'<body>{joint}<geom size="0.1"/></body>'
    model = f"<mujoco><worldbody>{body}</worldbody></mujoco>"
    (tmp_path / "bare.xml").write_text(model)
    with parity.Lockstep(task_id, num_envs=3, xml_file="./bare.xml") as pair:
        assert pair.ours.single_action_space.shape == (0,)
        pair.run(lambda observations, _: np.zeros((len(observations), 0), np.float32), 1, 20)


def test_an_error_of_mujoco_ends_one_environment_and_not_the_process(
    variant_of: VariantOf, parity: SimpleNamespace
) -> None:
    """The model has too little memory for the contacts in some of its states."""
    policy, rng = parity.box_policy("Ant-v5"), np.random.default_rng(0)

    def run(envs: Any) -> None:
        observations, _ = envs.reset(seed=0)
        for _ in range(500):
            observations, *_ = envs.step(policy(observations, rng))

    # MuJoCo 3.17 needs more than 19 KiB for some states, MuJoCo 3.3 more than 7 KiB.
    message = ""
    for kibibytes in range(19, 6, -1):
        memory = {"<option": f'<size memory="{kibibytes}K"/><option'}
        path = variant_of("ant.xml", memory, "poor.xml")
        options: dict[str, Any] = {"xml_file": path, "terminate_when_unhealthy": False}
        theirs = gymnasium.make_vec("Ant-v5", num_envs=4, vectorization_mode="sync", **options)
        try:
            run(theirs)
        except mujoco.FatalError as error:
            message = str(error)
            break
        finally:
            theirs.close()
    assert "stack overflow" in message
    with envpool_py.make("Ant-v5", num_envs=4, num_threads=2, **options) as ours:
        with pytest.raises(errors.EnvironmentFailedError, match=r"MuJoCo: .*stack over") as caught:
            run(ours)
        failed = np.isin(np.arange(4), caught.value.env_ids)
        assert 0 < failed.sum() < 4
        observations, infos = ours.reset(options={"reset_mask": failed})
        assert (infos["elapsed_step"] > 0).tolist() == (~failed).tolist()
        assert np.isfinite(observations).all()
        assert np.isfinite(ours.step(policy(observations, rng))[0]).all()
