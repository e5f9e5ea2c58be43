"""MuJoCo simulations that fail: as in Gymnasium where it goes on, and never the process."""

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
WILD = {'timestep="0.01"': 'timestep="0.2"'}  # too long a step for half_cheetah.xml


def test_a_simulation_that_explodes(
    variant_of: VariantOf, parity: SimpleNamespace, capfd: pytest.CaptureFixture[str]
) -> None:
    """MuJoCo warns and begins anew within the step; the episode goes on, in Gymnasium as here."""
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


@pytest.mark.parametrize("value", [1e30, np.inf])
def test_actions_beyond_all_bounds(value: float, parity: SimpleNamespace) -> None:
    def policy(observations: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        signs = rng.choice([-1.0, 1.0], (len(observations), 1))
        return (signs * np.float64(value)).astype(np.float32)

    with parity.Lockstep("InvertedPendulum-v5") as pair, contextlib.redirect_stderr(io.StringIO()):
        pair.run(policy, 1, 30)


def test_an_error_of_mujoco_ends_one_environment_and_not_the_process(
    variant_of: VariantOf, parity: SimpleNamespace
) -> None:
    """A model with too little memory for the contacts of some of its states."""
    path = variant_of("ant.xml", {"<option": '<size memory="19K"/><option'}, "poor.xml")
    options: dict[str, Any] = {"xml_file": path, "terminate_when_unhealthy": False}
    policy, rng = parity.box_policy("Ant-v5"), np.random.default_rng(0)

    def run(envs: Any) -> None:
        observations, _ = envs.reset(seed=0)
        for _ in range(500):
            observations, *_ = envs.step(policy(observations, rng))

    theirs = gymnasium.make_vec("Ant-v5", num_envs=4, vectorization_mode="sync", **options)
    with pytest.raises(mujoco.FatalError, match="stack overflow"):
        run(theirs)
    theirs.close()
    with envpool_py.make("Ant-v5", num_envs=4, num_threads=2, **options) as ours:
        with pytest.raises(errors.EnvironmentFailedError, match=r"MuJoCo: .*stack over") as caught:
            run(ours)
        failed = np.isin(np.arange(4), caught.value.env_ids)
        assert 0 < failed.sum() < 4
        observations, infos = ours.reset(options={"reset_mask": failed})
        assert (infos["elapsed_step"] > 0).tolist() == (~failed).tolist()
        assert np.isfinite(observations).all()
        assert np.isfinite(ours.step(policy(observations, rng))[0]).all()
