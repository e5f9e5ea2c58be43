"""MaMuJoCo: with equal seeds and actions, results are bit-equal to the reference's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import envpool_py
from envpool_py.players.pettingzoo import parallel_env
from envpool_py.pool.core import engine_core_of
from envpool_py.tasks.families.mamujoco import models

from .mamujoco_pair import DIVISIONS, Pair, assert_same_infos, mamujoco, shim, words
from .players_pair import assert_equal
from .robotics_pair import assert_same_models
from .robotics_pair import mujoco as mujoco_package

_mujoco = pytest.importorskip("envpool_py._mujoco")
pytestmark = [
    pytest.mark.usefixtures("reference"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
]

SEEDS = (0, 4711, 2**31)
# What the short tests run: each robot, all kinds of what is observed, one agent and many.
STAND_INS = [
    ("Ant", "2x4d", 1),
    ("Ant", "4x2", None),
    ("HalfCheetah", "6x1", 2),
    ("Hopper", "3x1", 1),
    ("Humanoid", "9|8", 1),
    ("HumanoidStandup", "9|8", 0),
    ("InvertedDoublePendulum", None, 1),
    ("InvertedPendulum", None, 1),
    ("ManySegmentAnt", "2x3", 1),
    ("ManySegmentSwimmer", "6x1", 2),
    ("Pusher", "3p", 2),
    ("Reacher", "2x1", 1),
    ("Swimmer", "2x1", 0),
    ("Walker2d", "2x3", 1),
]
ALL = [
    pytest.param(*case, marks=[] if case in STAND_INS else pytest.mark.long)
    for case in (
        (scenario, division, distance)
        for scenario, divisions in DIVISIONS.items()
        for division in divisions
        for distance in (0, 1, 2, None)
    )
]
ALL_DIVISIONS = [
    pytest.param(
        *case, marks=[] if any(case == stand_in[:2] for stand_in in STAND_INS) else pytest.mark.long
    )
    for case in (
        (scenario, division) for scenario, divisions in DIVISIONS.items() for division in divisions
    )
]


@pytest.fixture
def reference(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mujoco_log_elsewhere: None) -> None:
    shim(monkeypatch, tmp_path)


@pytest.mark.parametrize(("scenario", "division", "distance"), ALL)
def test_trajectories(scenario: str, division: str | None, distance: int | None) -> None:
    with Pair(scenario, division, agent_obsk=distance, max_episode_steps=18) as pair:
        pair.check_spaces()
        for seed in SEEDS:
            ends = pair.run(seed, 5 * 19)
    assert sum(ends.values()) >= 2 * 5 * len(SEEDS)


@pytest.mark.long
@pytest.mark.parametrize(("scenario", "division"), ALL_DIVISIONS)
def test_whole_episodes(scenario: str, division: str | None) -> None:
    with Pair(scenario, division, num_envs=1) as pair:
        steps = envpool_py.make_spec(pair.ours.task_id).max_episode_steps
        assert steps is not None
        ends = pair.run(31, steps + 30)
    assert sum(ends.values()) >= 1


@pytest.mark.parametrize("distance", [1, None])
@pytest.mark.parametrize(
    ("scenario", "division"), [("Ant", "2x4"), ("Reacher", "2x1"), ("Pusher", "3p")]
)
def test_float64_actions(scenario: str, division: str, distance: int | None) -> None:
    with Pair(scenario, division, agent_obsk=distance, dtype=np.float64) as pair:
        pair.run(5, 30)


def changed(value: Any) -> Any:
    """Returns another value of an attribute."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, tuple):
        return tuple(2.0 * number for number in value)
    return value + 1 if isinstance(value, int) else 2.0 * value + 0.25


@pytest.mark.parametrize(
    ("scenario", "division"), {scenario: division for scenario, division, _ in STAND_INS}.items()
)
def test_attributes_that_are_set_in_an_episode(scenario: str, division: str | None) -> None:
    with Pair(scenario, division, max_episode_steps=18) as pair:
        rng = np.random.default_rng(1)
        pair.reset(3)
        references = [theirs.single_agent_env.unwrapped for theirs in pair.theirs]
        names = [each["name"] for each in engine_core_of(pair.ours).attributes]
        assert "frame_skip" in names
        for name in names:
            first = getattr(references[0], name)
            assert pair.ours.get_attr(name) == (first, first)
            pair.ours.set_attr(name, [changed(first)] * 2)
            for reference in references:
                setattr(reference, name, changed(first))
            for step in range(7):
                pair.step(rng, f"{pair.name}, {name} = {changed(first)}, step {step}")


BODIES = [["cvel", "cfrc_ext", "qpos"], ["cinert", "qfrc_actuator"], [], ["qvel", "cvel", "cvel"]]


@pytest.mark.parametrize(
    ("scenario", "division", "local"),
    [
        ("Ant", "4x2", BODIES),
        ("Humanoid", "9|8", BODIES),
        ("ManySegmentAnt", "3x2", BODIES),
        ("Reacher", "2x1", [["cfrc_ext", "cinert"], ["fingertip_dist", "cvel"], [], ["qpos"]]),
        ("HalfCheetah", "6x1", [["qfrc_actuator"], ["qvel", "qpos"], ["qpos"], ["qvel"], []]),
    ],
)
def test_categories(
    scenario: str, division: str, local: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The reference numbers what is observed in the state, and fails for what the state lacks."""
    monkeypatch.setattr(mamujoco.parallel_env, "create_observation_mapping", lambda env: None)
    names = ["qvel", "qpos"] if scenario == "Humanoid" else ["qfrc_actuator", "qvel"]
    with Pair(
        scenario,
        division,
        agent_obsk=3,
        global_categories=names,
        own={"local_categories": words(local)},
        reference={"local_categories": local},
    ) as pair:
        pair.check_spaces()
        pair.run(8, 40)


@pytest.mark.parametrize("names", [None, [], ["qpos"]])
def test_global_categories(names: list[str] | None) -> None:
    with Pair("Walker2d", "2x3", global_categories=names) as pair:
        pair.check_spaces()
        pair.run(8, 12)


@pytest.mark.parametrize(
    ("scenario", "agents"),
    [
        ("Ant", ["ankle1 hip4", "hip1", "hip2 ankle4, ankle3", "ankle2 hip3"]),
        ("Humanoid", ["left_knee abdomen_x right_elbow", None]),
        ("ManySegmentAnt", ["hip1_1 hip2_0", None]),
        ("HalfCheetah", ["ffoot fshin fthigh bfoot bshin bthigh"]),
    ],
)
def test_divisions_of_ones_own(scenario: str, agents: list[str | None]) -> None:
    """Names of joints here are the labels of nodes in the reference; None: all the others."""
    division = "2x1" if scenario == "ManySegmentAnt" else None
    (whole, *more), edges, roots = mamujoco.get_parts_and_edges(scenario, division)
    nodes = {node.label: node for node in (*whole, *(node for part in more for node in part))}
    named = [label for text in agents if text for label in text.replace(",", "").split()]
    rest = [label for label in nodes if label not in named]
    texts = [" ".join(rest) if text is None else text for text in agents]
    parts = [tuple(nodes[label] for label in text.replace(",", "").split()) for text in texts]
    factors = {"partition": parts, "edges": edges, "globals": roots}
    (first, *_) = DIVISIONS[scenario] if division is None else [division]
    with Pair(
        scenario,
        first,
        agent_obsk=2,
        own={"agent_factorization": texts},
        reference={"agent_factorization": factors},
    ) as pair:
        pair.check_spaces()
        pair.run(3, 25)


@pytest.mark.parametrize(
    ("scenario", "division", "options"),
    [
        ("Ant", "2x4", {"ctrl_cost_weight": 0.3, "healthy_z_range": (0.4, 0.9), "frame_skip": 3}),
        ("Ant", "2x4", {"agent_obsk": None, "include_cfrc_ext_in_observation": False}),
        ("HalfCheetah", "2x3", {"exclude_current_positions_from_observation": False}),
        ("Humanoid", "9|8", {"terminate_when_unhealthy": False, "reset_noise_scale": 0.1}),
        ("InvertedPendulum", None, {"reset_noise_scale": 0.05}),
        ("ManySegmentAnt", "2x2", {"contact_force_range": (-0.5, 2.0), "healthy_reward": 2.0}),
        ("ManySegmentSwimmer", "3x1", {"forward_reward_weight": 2.0}),
    ],
)
def test_options_of_the_task(scenario: str, division: str | None, options: dict[str, Any]) -> None:
    with Pair(scenario, division, **options) as pair:
        pair.check_spaces()
        pair.run(2, 25)


def test_a_robot_of_ones_own(variant_of: Any) -> None:
    path = variant_of("ant.xml", {'damping="1"': 'damping="0.5"'}, "loose.xml")
    with Pair("Ant", "4x2", xml_file=path) as pair:
        pair.run(17, 20)


@pytest.mark.parametrize("key", ["ant 1", "ant 2", "ant 5", "swimmer 2", "swimmer 3", "swimmer 8"])
def test_models_of_segments(key: str) -> None:
    robot, segments = key.split()
    env = mamujoco.parallel_env(f"ManySegment{robot.capitalize()}", f"{segments}x1")
    ours = mujoco_package.MjModel.from_xml_string(models.text_of(key))
    assert_same_models(ours, env.single_agent_env.unwrapped.model)


@pytest.mark.parametrize(("scenario", "division"), ALL_DIVISIONS)
def test_saved_states(scenario: str, division: str | None) -> None:
    options: dict[str, Any] = {"max_episode_steps": 12, "seed": 3}
    if division is not None:
        options["agent_conf"] = division
    if scenario == "Reacher":
        options["local_categories"] = ["qpos cfrc_ext", "cfrc_ext"]
    task_id = f"MaMuJoCo/{scenario}-v1"
    with (
        envpool_py.make(task_id, num_envs=2, **options) as pool,
        envpool_py.make(task_id, num_envs=2, **options) as other,
    ):
        pool.reset()
        actions = [pool.action_space.sample() for _ in range(25)]
        for action in actions[:7]:
            pool.step(action)
        states = pool.save_states()
        expected = [pool.step(action) for action in actions[7:]]
        for loaded in (pool, other):
            loaded.load_states(states)
            for action, result in zip(actions[7:], expected, strict=True):
                for mine, wanted in zip(loaded.step(action)[:4], result[:4], strict=True):
                    assert_equal(mine, wanted, "a step after loading")


@pytest.mark.usefixtures("egl")
@pytest.mark.parametrize(
    ("scenario", "division"),
    [("Ant", "2x4"), ("Pusher", "3p"), ("InvertedPendulum", None), ("ManySegmentSwimmer", "2x2")],
)
def test_pictures(scenario: str, division: str | None) -> None:
    options = {"render_mode": "rgb_array", "width": 120, "height": 90}
    with Pair(scenario, division, **options) as pair:
        pair.reset(3)
        rng = np.random.default_rng(1)
        for step in range(4):
            for picture, theirs in zip(pair.ours.render(), pair.theirs, strict=True):
                expected = theirs.render()
                assert (picture.dtype, picture.shape) == (expected.dtype, (90, 120, 3))
                assert (picture == expected).all()
            pair.step(rng, f"step {step}")
        for theirs in pair.theirs:
            theirs.close()


@pytest.mark.parametrize(("scenario", "division"), ALL_DIVISIONS)
def test_the_parallel_api(scenario: str, division: str | None) -> None:
    """Agents, spaces, results, infos and states by PettingZoo's names."""
    options: dict[str, Any] = {} if division is None else {"agent_conf": division}
    ours = parallel_env(f"MaMuJoCo/{scenario}-v1", max_episode_steps=20, **options)
    theirs = mamujoco.parallel_env(scenario, division, max_episode_steps=20)
    assert ours.possible_agents == theirs.possible_agents
    for agent in ours.possible_agents:
        assert ours.observation_space(agent) == theirs.observation_space(agent)
        assert ours.action_space(agent) == theirs.action_space(agent)
    assert ours.state_space == theirs.single_agent_env.observation_space
    rng = np.random.default_rng(4)
    for seed in (4, None):
        mine, my_infos = ours.reset(seed)
        others, their_infos = theirs.reset(seed)
        step = 0
        while True:
            assert ours.agents == theirs.agents
            assert [*mine] == [*others]
            for agent, observation in others.items():
                assert_equal(mine[agent], observation, agent)
                assert my_infos[agent].pop("elapsed_step") == step
                assert_same_infos(my_infos[agent], their_infos[agent], agent)
            assert_equal(ours.state(), theirs.state(), "state")
            if not ours.agents:
                break
            step += 1
            # Agents may give different dtypes.
            actions = {
                agent: rng.uniform(-0.5, 0.5, ours.action_space(agent).shape).astype(dtype)
                for agent, dtype in zip(ours.agents, [np.float32, np.float64] * 10, strict=False)
            }
            mine, *my_rest, my_infos = ours.step(actions)
            others, *their_rest, their_infos = theirs.step(actions)
            assert my_rest == their_rest
        assert step > 1
    ours.close()


def test_the_reference_has_no_other_scenarios() -> None:
    """CoupledHalfCheetah fails there, too: MuJoCo stores the Jacobians of tendons without zeros."""
    supported = _mujoco.SUPPORTED_VERSIONS
    if supported.index(mujoco_package.__version__) >= supported.index("3.6.0"):
        with pytest.raises(IndexError):
            mamujoco.parallel_env("CoupledHalfCheetah", "1p1")
    with pytest.raises(envpool_py.errors.UnknownTaskError, match="Jacobian of a tendon"):
        envpool_py.make("MaMuJoCo/CoupledHalfCheetah-v1")
    with pytest.raises(NotImplementedError):
        mamujoco.parallel_env("Cheetah", "2x3")
