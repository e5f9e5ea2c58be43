"""MPE2's scenarios, compared with MPE2 1.1.1.

With equal seeds and actions, observations, rewards, flags, infos and pictures are equal, bit by
bit. The reference's environments are those of PettingZoo's parallel API.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from gymnasium import spaces

import envpool_py
from envpool_py.errors import MissingPackageError, OptionError, OptionTypeError, UnknownOptionError

from .mpe_pair import FAMILY, SCENARIOS, Pair, reference

pytestmark = pytest.mark.numbers

BaseScenario = pytest.importorskip("mpe2._mpe_utils.scenario").BaseScenario

OPTIONS: list[tuple[str, dict[str, Any]]] = [
    ("MPE-SimpleSpread-v3", {"N": 5, "local_ratio": 0.0}),
    ("MPE-SimpleSpread-v3", {"N": 1, "local_ratio": 1.0}),
    ("MPE-SimpleSpread-v3", {"N": 2, "local_ratio": 1.0, "max_cycles": 7}),
    ("MPE-SimpleSpread-v3", {"N": 6, "num_agent_neighbors": 2, "num_landmark_neighbors": 3}),
    ("MPE-SimpleSpread-v3", {"num_agent_neighbors": 5, "num_landmark_neighbors": 7}),
    ("MPE-SimpleSpread-v3", {"N": 22, "num_agent_neighbors": 20}),
    ("MPE-SimpleSpread-v3", {"curriculum": True}),
    ("MPE-SimpleAdversary-v3", {"N": 1}),
    ("MPE-SimpleAdversary-v3", {"N": 5, "num_agent_neighbors": 2}),
    ("MPE-SimpleAdversary-v3", {"N": 4, "num_landmark_neighbors": 2}),
    ("MPE-SimpleTag-v3", {"num_good": 2, "num_adversaries": 5, "num_obstacles": 0}),
    ("MPE-SimpleTag-v3", {"num_good": 0, "num_adversaries": 2}),
    ("MPE-SimpleTag-v3", {"num_good": 3, "num_adversaries": 0}),
    ("MPE-SimpleTag-v3", {"num_good": 3, "num_agent_neighbors": 2, "num_landmark_neighbors": 3}),
    ("MPE-SimpleTag-v3", {"num_good": 2, "num_agent_neighbors": 9}),
    ("MPE-SimpleTag-v3", {"curriculum": True}),
    (
        "MPE-SimpleWorldComm-v3",
        {"num_good": 3, "num_adversaries": 1, "num_obstacles": 0, "num_food": 1, "num_forests": 0},
    ),
    ("MPE-SimpleWorldComm-v3", {"num_adversaries": 0}),
    (
        "MPE-SimpleWorldComm-v3",
        {"num_good": 1, "num_adversaries": 3, "num_obstacles": 3, "num_food": 4, "num_forests": 5},
    ),
    ("MPE-SimpleReference-v3", {"local_ratio": 0.3}),
    ("MPE-SimpleFormation-v1", {"N": 1}),
    ("MPE-SimpleFormation-v1", {"N": 9}),
    ("MPE-SimpleFormation-v1", {"N": 20, "max_cycles": 10}),
    ("MPE-SimpleLine-v1", {"N": 1}),
    ("MPE-SimpleLine-v1", {"N": 17, "max_cycles": 10}),
    ("MPE-CollectTreasure-v1", {"num_collectors": 1, "num_deposits": 1, "num_treasures": 1}),
    ("MPE-CollectTreasure-v1", {"num_collectors": 12, "num_deposits": 6, "num_treasures": 30}),
    ("MPE-CollectTreasure-v1", {"num_collectors": 9, "num_deposits": 3, "num_treasures": 4}),
]

ENDING: list[tuple[str, dict[str, Any]]] = [
    ("MPE-SimpleSpread-v3", {"N": 1}),
    ("MPE-SimpleSpread-v3", {"N": 2, "max_cycles": 200}),
    ("MPE-SimpleTag-v3", {"curriculum": True, "max_cycles": 60}),
    ("MPE-SimpleFormation-v1", {"N": 1, "max_cycles": 100}),
    ("MPE-SimpleLine-v1", {"N": 1, "max_cycles": 100}),
]


def test_every_scenario_is_there() -> None:
    from mpe2.all_modules import mpe_environments

    assert FAMILY.tasks.keys() == SCENARIOS.keys()
    assert {f"mpe/{name}" for name in SCENARIOS.values()} == mpe_environments.keys()
    for name in mpe_environments:
        assert envpool_py.make_spec(name) == envpool_py.make_spec(name.removeprefix("mpe/"))


@pytest.mark.parametrize("continuous", [False, True])
@pytest.mark.parametrize("task_id", SCENARIOS)
def test_names_and_spaces_of_agents(task_id: str, continuous: bool) -> None:
    spec = envpool_py.make_spec(task_id, continuous_actions=continuous)
    theirs = reference(task_id, continuous_actions=continuous)
    assert spec.players is not None
    assert [player.name for player in spec.players.each] == theirs.possible_agents
    for player in spec.players.each:
        assert player.observation_space == theirs.observation_space(player.name)
        assert player.action_space == theirs.action_space(player.name)
    largest = max(player.observation_space.shape for player in spec.players.each)  # type: ignore[type-var]
    assert spec.observation_space == spaces.Box(-np.inf, np.inf, largest, np.float32)


@pytest.mark.parametrize("continuous", [False, True])
@pytest.mark.parametrize("task_id", SCENARIOS)
def test_trajectories(task_id: str, continuous: bool) -> None:
    with Pair(task_id, continuous_actions=continuous, benchmark_data=True) as pair:
        assert pair.run(3, 60)["truncated"] == 6
        pair.reset(None)
        pair.run(2**31, 30)


@pytest.mark.parametrize(("task_id", "options"), OPTIONS, ids=str)
def test_options(task_id: str, options: dict[str, Any]) -> None:
    with Pair(task_id, 2, **options) as pair:
        assert pair.run(11, 30)["truncated"] > 0


@pytest.mark.parametrize(("task_id", "options"), ENDING, ids=str)
def test_terminate_on_success(task_id: str, options: dict[str, Any]) -> None:
    with Pair(task_id, 4, terminate_on_success=True, **options) as pair:
        assert pair.run(5, 250)["terminated"] > 0


@pytest.mark.long
@pytest.mark.parametrize("continuous", [False, True])
@pytest.mark.parametrize(
    ("task_id", "options"), [*((task_id, {}) for task_id in SCENARIOS), *OPTIONS, *ENDING], ids=str
)
def test_trajectories_long(task_id: str, options: dict[str, Any], continuous: bool) -> None:
    if "curriculum" not in options and (task_id, options) in ENDING:
        options = {**options, "terminate_on_success": True}
    with Pair(task_id, 8, continuous_actions=continuous, **options) as pair:
        for seed in range(5):
            pair.run(1000 * seed, 200)


@pytest.mark.parametrize("continuous", [False, True])
@pytest.mark.parametrize(
    ("task_id", "stage"),
    [("MPE-SimpleSpread-v3", 1), ("MPE-SimpleTag-v3", 1), ("MPE-SimpleTag-v3", 2)],
)
def test_stages_of_curricula(
    task_id: str, stage: int, continuous: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In MPE2 1.1.1 a property of the base class keeps every scenario in stage 0."""
    env = reference(task_id, curriculum=True, curriculum_stage=stage)
    assert env.unwrapped.curriculum_stage == 0
    monkeypatch.delattr(BaseScenario, "curriculum_stage")
    options = {"curriculum": True, "curriculum_stage": stage, "continuous_actions": continuous}
    with Pair(task_id, 2, **options) as pair:
        assert pair.theirs[0].unwrapped.curriculum_stage == stage
        pair.run(7, 60)


def test_a_stage_can_change_while_a_pool_runs() -> None:
    options = {"num_envs": 1, "curriculum": True, "autoreset_mode": "Disabled"}
    with (
        envpool_py.make("MPE-SimpleTag-v3", **options) as pool,
        envpool_py.make("MPE-SimpleTag-v3", curriculum_stage=2, **options) as fast,
    ):
        actions = np.full(4, 2)
        pool.reset(seed=1)
        slow = pool.step(actions)[0][3, 0]
        pool.set_env_options({"curriculum_stage": 2})
        fast.reset(seed=1)
        np.testing.assert_array_equal(pool.reset(seed=1)[0], fast.reset(seed=1)[0])
        velocity = pool.step(actions)[0][3, 0]
        np.testing.assert_array_equal(velocity, fast.step(actions)[0][3, 0])
        assert velocity == 2 * slow


def test_actions_beyond_the_own_space_are_taken_modulo() -> None:
    with (
        envpool_py.make("MPE-SimpleSpeakerListener-v4", num_envs=2) as pool,
        envpool_py.make("MPE-SimpleSpeakerListener-v4", num_envs=2) as twin,
    ):
        pool.reset(seed=0)
        twin.reset(seed=0)
        assert pool.single_action_space == spaces.Discrete(5)
        # The speaker has three words.
        for mine, other in zip(
            pool.step(np.array([4, 2, 3, 0])), twin.step(np.array([1, 2, 0, 0])), strict=True
        ):
            if isinstance(mine, np.ndarray):
                np.testing.assert_array_equal(mine, other)
        with pytest.raises(envpool_py.errors.InputError, match="environment 1, player 0"):
            pool.step(np.array([4, 2, 5, 0]))


@pytest.mark.parametrize(
    ("task_id", "options", "error", "message"),
    [
        ("MPE-SimpleSpread-v3", {"N": 0}, OptionError, 'option "N"'),
        ("MPE-SimpleSpread-v3", {"N": 101}, OptionError, 'option "N"'),
        ("MPE-SimpleSpread-v3", {"N": 2.5}, OptionTypeError, "expected int"),
        ("MPE-SimpleSpread-v3", {"local_ratio": 1.5}, OptionError, "local_ratio"),
        ("MPE-SimpleSpread-v3", {"max_cycles": 0}, OptionError, "max_cycles"),
        ("MPE-SimpleSpread-v3", {"num_agent_neighbors": 0}, OptionError, "num_agent_neighbors"),
        ("MPE-SimpleSpread-v3", {"curriculum_stage": 2}, OptionError, "curriculum_stage"),
        ("MPE-SimpleTag-v3", {"num_good": 0, "num_adversaries": 0}, OptionError, "at least one"),
        ("MPE-SimpleWorldComm-v3", {"num_food": 0}, OptionError, "num_food"),
        ("MPE-CollectTreasure-v1", {"num_deposits": 7}, OptionError, "num_deposits"),
        ("MPE-SimplePush-v3", {"u_noise": 0.1}, UnknownOptionError, "u_noise"),
    ],
    ids=str,
)
def test_bad_options(
    task_id: str, options: dict[str, Any], error: type[Exception], message: str
) -> None:
    for make in (envpool_py.make, envpool_py.make_spec):
        with pytest.raises(error, match=message):
            make(task_id, **options)


def test_environments_with_other_agents_are_refused() -> None:
    """Both have four agents and the same shapes."""
    agents = [{"num_good": 2, "num_adversaries": 2}, {"num_good": 1, "num_adversaries": 3}]
    with pytest.raises(OptionError, match="environments 0 and 1"):
        envpool_py.make("MPE-SimpleTag-v3", num_envs=2, num_agent_neighbors=2, env_options=agents)


def _assert_same_pictures(pair: Pair, where: str) -> None:
    for env, (picture, theirs) in enumerate(zip(pair.ours.render(), pair.theirs, strict=True)):
        expected = theirs.render()
        assert (picture.dtype, picture.shape) == (expected.dtype, expected.shape)
        assert (picture == expected).all(), f"{where}, environment {env}"


@pytest.mark.parametrize(
    ("task_id", "options"),
    [
        *((task_id, {}) for task_id in SCENARIOS),
        *((task_id, {"continuous_actions": True}) for task_id in SCENARIOS),
        ("MPE-SimpleSpread-v3", {"dynamic_rescaling": False, "N": 6}),
        ("MPE-SimpleTag-v3", {"dynamic_rescaling": False}),
        ("MPE-CollectTreasure-v1", {"dynamic_rescaling": False, "num_deposits": 6}),
    ],
    ids=str,
)
def test_pictures(task_id: str, options: dict[str, Any]) -> None:
    with Pair(task_id, 2, render_mode="rgb_array", **options) as pair:
        assert pair.ours.metadata["render_fps"] == pair.theirs[0].metadata["render_fps"]
        rng = np.random.default_rng(3)
        pair.reset(3)
        _assert_same_pictures(pair, "reset")
        for step in range(30):
            pair.step(rng, f"step {step}")
            if step % 3 == 0:
                _assert_same_pictures(pair, f"step {step}")


def test_pictures_after_an_environment_of_mpe2_is_closed() -> None:
    """Closing one ends pygame and the fonts of all others."""
    with envpool_py.make("MPE-SimpleCrypto-v3", num_envs=1, render_mode="rgb_array") as pool:
        pool.reset(seed=0)
        (before,) = pool.render()
        closed = reference("MPE-SimpleCrypto-v3", render_mode="rgb_array")
        closed.reset()
        closed.close()
        (after,) = pool.render()
        np.testing.assert_array_equal(before, after)


def test_pictures_need_mpe2(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "mpe2", None)
    assert envpool_py.make_spec("MPE-SimpleTag-v3").render is not None
    with envpool_py.make("MPE-SimpleTag-v3", num_envs=1, render_mode="rgb_array") as pool:
        pool.reset()
        with pytest.raises(MissingPackageError, match=r"pip install 'mpe2==1\.1\.1'"):
            pool.render()
