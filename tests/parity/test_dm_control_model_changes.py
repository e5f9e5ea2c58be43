"""The option `model` of the tasks of dm_control, against the suite with edited models."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

import envpool_py
from envpool_py.errors import OptionError
from envpool_py.tasks.families.dm_control.tasks import TASKS

mujoco = pytest.importorskip("mujoco")
pytest.importorskip("dm_control")
pytest.importorskip("envpool_py._mujoco")

from .model_edits import edit, scaled  # noqa: E402
from .suite_pair import Pair, reference  # noqa: E402

FIELDS = [
    "body_mass",
    "body_inertia",
    "body_ipos",
    "geom_friction",
    "dof_damping",
    "dof_armature",
    "actuator_gear",
    "opt.gravity",
    "opt.viscosity",
]
REPRESENTATIVES = [
    "AcrobotSwingup-v1",
    "BallInCupCatch-v1",
    "CheetahRun-v1",
    "FingerTurnHard-v1",
    "FishSwim-v1",
    "HopperHop-v1",
    "HumanoidRun-v1",
    "LqrLqr21-v1",
    "ManipulatorBringBall-v1",
    "PointMassHard-v1",
    "QuadrupedEscape-v1",
    "ReacherHard-v1",
    "SwimmerSwimmer6-v1",
    "WalkerRun-v1",
]


@pytest.fixture(autouse=True)
def no_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Removes the suite's rendering contexts: it uploads terrains to them, but may lack them."""
    from dm_control.mujoco import engine

    monkeypatch.setattr(engine.Physics, "contexts", property(lambda self: None))


def edited(pair: Pair, changes: Mapping[str, Any], constants: bool) -> Pair:
    """Makes the changes in the models of the suite's environments."""
    for env in pair.theirs:
        model, data = env.physics.model.ptr, env.physics.data.ptr
        edit(model, changes)
        if constants:
            mujoco.mj_setConst(model, data)
    return pair


def compare(
    task_id: str, changes: Mapping[str, Any], constants: bool, steps: int, **options: Any
) -> None:
    pair = Pair(task_id, (3, 4), limit=9, model=dict(changes), model_constants=constants, **options)
    with edited(pair, changes, constants):
        pair.run(steps)


@pytest.mark.parametrize(
    ("task_id", "steps", "constants"),
    [
        *(pytest.param(task_id, 12, True, id=f"{task_id}-short") for task_id in REPRESENTATIVES),
        *(
            pytest.param(task_id, 12, False, id=f"{task_id}-short-as edited")
            for task_id in ("CheetahRun-v1", "FingerTurnHard-v1", "HumanoidRun-v1")
        ),
        *(
            pytest.param(
                task_id, 100, constants, id=f"{task_id}-{constants}", marks=pytest.mark.long
            )
            for task_id in sorted(TASKS)
            for constants in (False, True)
        ),
    ],
)
def test_edited_models(task_id: str, steps: int, constants: bool) -> None:
    model = reference(task_id).physics.model.ptr
    compare(task_id, scaled(model, FIELDS, np.random.default_rng(1)), constants, steps)


@pytest.mark.parametrize(
    ("task_id", "changes"),
    [
        ("CheetahRun-v1", {"body_mass": {"torso": 9.0}}),
        ("CheetahRun-v1", {"opt.timestep": 0.004}),
        ("CheetahRun-v1", {"actuator_ctrlrange": {"bthigh": [-0.1, 0.2]}}),
        ("CheetahRun-v1", {"qpos0": np.linspace(0.0, 0.3, 9)}),
        ("CheetahRun-v1", {"jnt_range": {"bthigh": [-0.2, 0.4]}}),
        ("CheetahRun-v1", {"opt.integrator": 1}),
        # The tasks set some of these themselves, after the program's change.
        ("FingerSpin-v1", {"dof_damping": {"hinge": 2.0}}),
        ("ReacherEasy-v1", {"geom_size": {"target": [0.2, 0.2, 0.2], "finger": [0.03, 0, 0]}}),
        ("ReacherEasy-v1", {"geom_pos": {"target": [0.1, 0.2, 0.01]}}),
        ("BallInCupCatch-v1", {"geom_size": {"ball": [0.04, 0, 0]}}),
        ("LqrLqr62-v1", {"dof_damping": np.full(6, 0.5)}),
        ("HumanoidStand-v1", {"geom_friction": {"floor": [0.2, 0.1, 0.1]}}),
    ],
    ids=lambda value: value if isinstance(value, str) else "+".join(value),
)
@pytest.mark.parametrize("constants", [False, True], ids=["as edited", "constants"])
def test_single_changes(task_id: str, changes: Mapping[str, Any], constants: bool) -> None:
    compare(task_id, changes, constants, 20)


def test_plain_steps() -> None:
    """Also without `legacy_step`."""
    changes = {"body_mass": {"torso": 9.0}}
    compare(
        "CheetahRun-v1",
        changes,
        True,
        20,
        environment_kwargs={"legacy_step": False},
        legacy_step=False,
    )


def test_the_stiffness_of_lqr_is_drawn() -> None:
    with pytest.raises(OptionError, match=r"model\[jnt_stiffness\]: .* from the seed"):
        envpool_py.make("LqrLqr21-v1", model={"jnt_stiffness": [1.0, 1.0]})


def test_saved_states_have_their_model() -> None:
    changes = [{"model": {"body_mass": {"torso": 5.0 + env}}} for env in range(2)]
    actions = np.random.default_rng(0).uniform(-1, 1, (12, 2, 6))
    with envpool_py.make("CheetahRun-v1", num_envs=2, env_options=changes, seed=1) as pool:
        pool.reset()
        for action in actions[:6]:
            pool.step(action)
        states = pool.save_states()
        expected = [pool.step(action)[0]["velocity"] for action in actions[6:]]
        pool.load_states(states)
        again = [pool.step(action)[0]["velocity"] for action in actions[6:]]
    assert np.array(again).tobytes() == np.array(expected).tobytes()
