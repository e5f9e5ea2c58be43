"""Toy text against Gymnasium: with equal seeds and actions, results are bit-equal."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.envs.toy_text.frozen_lake import generate_random_map
from gymnasium.vector import AutoresetMode, SyncVectorEnv

import envpool_py
from envpool_py.errors import OptionError, OptionTypeError, UnknownOptionError
from envpool_py.tasks.families.toy_text.manifest import FAMILY

from .references import reference_id

pytestmark = pytest.mark.numbers

# Our ids and Gymnasium 1.4's id for each. test_toy_text_rules.py compares the tasks that Gymnasium
# lacks with EnvPool's.
OF_ENVPOOL = {"Catch-v0", "NChain-v0", "NChain-v1"}
TASKS = {task_id: reference_id(task_id) for task_id in FAMILY.tasks if task_id not in OF_ENVPOOL}
MODES = ["NextStep", "SameStep", "Disabled"]
# Two starts, one goal, more rows than columns. In float64, eleven times 1/11 is less than 1.
TWO_STARTS = ["SFH", "FFF", "FHF", "SFF", "FFG"]
ELEVEN_STARTS = ["SSSSSS", "FHFFHF", "SSSSSG"]


class FloatProbability(gymnasium.Wrapper[Any, Any, Any, Any]):
    """Returns the probability 1 of a reset as a float, as steps do.

    A reset of FrozenLake or CliffWalking returns it as an int. If only the first environment of a
    batch is reset, Gymnasium makes an integer array, in which the probabilities of the other
    environments' steps become 0. Our probabilities are always float64.
    """

    def reset(self, **arguments: Any) -> tuple[Any, dict[str, Any]]:
        observation, info = self.env.reset(**arguments)
        if "prob" in info:
            info["prob"] = float(info["prob"])
        return observation, info


def lockstep(parity: SimpleNamespace, task_id: str, **arguments: Any) -> Any:
    return parity.Lockstep(
        task_id, reference_id=TASKS[task_id], wrappers=[FloatProbability], **arguments
    )


def policy_of(task_id: str) -> Callable[[Any, np.random.Generator], np.ndarray]:
    """Returns a policy whose episodes end in all ways and have all lengths."""
    actions = envpool_py.make_spec(task_id).action_space
    assert isinstance(actions, gymnasium.spaces.Discrete)

    def policy(observations: Any, rng: np.random.Generator) -> np.ndarray:
        count = len(observations[0] if isinstance(observations, tuple) else observations)
        drawn = rng.integers(actions.n, size=count)
        goals = goal_actions(task_id, observations)
        if goals is None:
            return drawn
        return np.where(rng.random(count) < 0.7, goals, drawn)

    return policy


def goal_actions(task_id: str, observations: Any) -> np.ndarray | None:
    """Returns actions towards the goal for tasks in which random actions rarely reach it."""
    if task_id.startswith("CliffWalking"):  # 0: up, 1: right, 2: down
        row, column = np.divmod(observations, 12)
        return np.where(column == 11, 2, np.where(row == 3, 0, 1))
    if task_id.startswith("Taxi"):
        rest, destination = np.divmod(observations, 4)
        place, passenger = np.divmod(rest, 5)
        row, column = np.divmod(place, 5)
        aim = np.where(passenger == 4, destination, passenger)
        to_row, to_column = np.array([0, 0, 4, 4])[aim], np.array([0, 4, 0, 3])[aim]
        # Change columns in the third row, which has no walls.
        across = np.where(row > 2, 1, np.where(row < 2, 0, np.where(column < to_column, 2, 3)))
        along = np.where(row < to_row, 0, 1)
        there = np.where(passenger == 4, 5, 4)
        return np.where(column != to_column, across, np.where(row != to_row, along, there))
    return None


def test_specs(parity: SimpleNamespace) -> None:
    assert FAMILY.tasks.keys() >= OF_ENVPOOL
    assert OF_ENVPOOL.isdisjoint(gymnasium.registry)
    for task_id, known_as in TASKS.items():
        parity.assert_same_limits(task_id, known_as)


@pytest.mark.parametrize("task_id", TASKS)
def test_spaces(task_id: str, parity: SimpleNamespace) -> None:
    with lockstep(parity, task_id) as pair:
        pair.check_spaces()


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("task_id", TASKS)
def test_trajectories(task_id: str, mode: str, parity: SimpleNamespace) -> None:
    with lockstep(parity, task_id, autoreset_mode=mode) as pair:
        for seed in (0, 1, 2**63):
            counts = pair.run(policy_of(task_id), seed, 150)
    # Episodes have ended, so ends were compared.
    assert counts["terminated"] > 0


@pytest.mark.long
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("task_id", TASKS)
def test_trajectories_long(task_id: str, mode: str, parity: SimpleNamespace) -> None:
    with lockstep(parity, task_id, autoreset_mode=mode) as pair:
        for seed in range(20):
            counts = pair.run(policy_of(task_id), 1000 * seed, 1000)
    assert counts["terminated"] > 0


OPTIONS: list[tuple[str, dict[str, Any]]] = [
    ("FrozenLake-v1", {"map_name": "8x8"}),
    ("FrozenLake8x8-v1", {"map_name": "4x4"}),
    ("FrozenLake-v1", {"is_slippery": False}),
    ("FrozenLake-v1", {"is_slippery": False, "success_rate": 0.5}),
    ("FrozenLake-v1", {"success_rate": 0.9}),
    ("FrozenLake-v1", {"success_rate": 0.0}),
    ("FrozenLake-v1", {"success_rate": 1.0}),
    ("FrozenLake-v1", {"reward_schedule": (10, -10, -0.1)}),
    ("FrozenLake-v1", {"desc": TWO_STARTS}),
    ("FrozenLake-v1", {"desc": tuple(TWO_STARTS), "is_slippery": False}),
    ("FrozenLake-v1", {"desc": ELEVEN_STARTS, "success_rate": 0.7}),
    ("FrozenLake-v1", {"desc": [list(row) for row in TWO_STARTS]}),
    ("FrozenLake-v1", {"desc": np.asarray(TWO_STARTS, dtype="c")}),
    ("FrozenLake-v1", {"desc": [["S"]], "map_name": None}),
    ("FrozenLake-v1", {"desc": ["SFFFFFFFFFG"]}),
    ("FrozenLake-v1", {"desc": generate_random_map(17, 0.9, seed=3)}),
    ("CliffWalking-v1", {"is_slippery": True}),
    ("CliffWalkingSlippery-v1", {"is_slippery": False}),
    ("Taxi-v4", {"is_rainy": True}),
    ("Taxi-v4", {"is_rainy": True, "rainy_probability": 0.35}),
    ("Taxi-v4", {"fickle_passenger": True, "fickle_probability": 1.0}),
    ("Taxi-v3", {"is_rainy": True, "fickle_passenger": True, "fickle_probability": 0.6}),
    ("Blackjack-v1", {"sab": False, "natural": False}),
    ("Blackjack-v1", {"sab": False, "natural": True}),
    ("Blackjack-v1", {"sab": True, "natural": True}),
]


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
@pytest.mark.parametrize(("task_id", "options"), OPTIONS, ids=str)
def test_options(task_id: str, options: dict[str, Any], mode: str, parity: SimpleNamespace) -> None:
    with lockstep(parity, task_id, autoreset_mode=mode, **options) as pair:
        counts = pair.run(policy_of(task_id), 5, 200)
    assert counts["terminated"] + counts["truncated"] > 0


@pytest.mark.long
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("task_id", "options"), OPTIONS, ids=str)
def test_options_long(
    task_id: str, options: dict[str, Any], mode: str, parity: SimpleNamespace
) -> None:
    with lockstep(parity, task_id, autoreset_mode=mode, num_envs=4, **options) as pair:
        for seed in range(20):
            counts = pair.run(policy_of(task_id), 77 * seed, 1000)
    assert counts["terminated"] + counts["truncated"] > 0


@pytest.mark.parametrize(
    "desc", [[row.encode() for row in TWO_STARTS], np.array(TWO_STARTS)], ids=["bytes", "array"]
)
def test_more_forms_of_a_map(desc: Any) -> None:
    """Gymnasium misreads bytes, and refuses an array of str, so a second pool is the reference."""
    with (
        envpool_py.make("FrozenLake-v1", num_envs=4, seed=0, desc=desc) as pool,
        envpool_py.make("FrozenLake-v1", num_envs=4, seed=0, desc=TWO_STARTS) as twin,
    ):
        assert pool.single_observation_space == twin.single_observation_space
        pool.reset()
        twin.reset()
        for actions in np.random.default_rng(1).integers(4, size=(100, 4)):
            for mine, other in zip(pool.step(actions)[:4], twin.step(actions)[:4], strict=True):
                np.testing.assert_array_equal(mine, other)


@pytest.mark.parametrize("seed", [0, 123456789, 2**62])
@pytest.mark.parametrize("mode", MODES)
def test_maps_that_seeds_draw(seed: int, mode: str, parity: SimpleNamespace) -> None:
    with lockstep(parity, "FrozenLake-v1", desc=None, map_name=None, autoreset_mode=mode) as pair:
        pair.theirs.close()
        pair.theirs = SyncVectorEnv(
            [
                lambda env=env: FloatProbability(
                    gymnasium.make("FrozenLake-v1", desc=generate_random_map(seed=seed + env))
                )
                for env in range(pair.num_envs)
            ],
            autoreset_mode=AutoresetMode(mode),
        )
        counts = pair.run(policy_of("FrozenLake-v1"), seed, 300)
        # Without a new seed, the maps do not change.
        pair.reset(None)
        rng = np.random.default_rng(seed)
        for _ in range(100):
            ended = pair.step(rng.integers(4, size=pair.num_envs))
            if mode == "Disabled" and ended.any():
                pair.reset(None, mask=ended)
    assert counts["terminated"] > 0


def test_maps_are_drawn_without_a_seed_too() -> None:
    """The tiles that end an episode distinguish the maps."""

    def ends(pool: envpool_py.GymnasiumPool) -> list[frozenset[int]]:
        rng = np.random.default_rng(0)
        found: list[set[int]] = [set() for _ in range(pool.num_envs)]
        pool.reset()
        for _ in range(4000):
            observations, _, terminated, _, _ = pool.step(rng.integers(4, size=pool.num_envs))
            for env in np.flatnonzero(terminated):
                found[env].add(int(observations[env]))
        return [frozenset(tiles) for tiles in found]

    arguments: Mapping[str, Any] = {"num_envs": 6, "map_name": None, "is_slippery": False}
    with (
        envpool_py.make("FrozenLake-v1", **arguments) as pool,
        envpool_py.make("FrozenLake-v1", **arguments) as other,
    ):
        assert len({*ends(pool), *ends(other)}) == 12


@pytest.mark.parametrize("task_id", ["FrozenLake-v1", "CliffWalkingSlippery-v1"])
def test_gymnasium_truncates_probabilities(task_id: str, parity: SimpleNamespace) -> None:
    """Shows why FloatProbability is needed: without it, only these probabilities differ."""
    theirs = parity.make_reference(task_id, max_episode_steps=3)
    ours = envpool_py.make(task_id, num_envs=parity.NUM_ENVS, max_episode_steps=3)
    with ours:
        mask = np.arange(parity.NUM_ENVS) < 1
        theirs.reset(seed=4)
        ours.reset(seed=4)
        actions = np.zeros(parity.NUM_ENVS, np.int64)
        for pool in (theirs, ours):
            pool.step(actions)
            pool.step(actions)
            pool.reset(seed=None, options={"reset_mask": mask})  # it ends earlier than the others
        for _ in range(4):
            expected = theirs.step(actions)[4]["prob"]
            probabilities = ours.step(actions)[4]["prob"]
            assert probabilities.dtype == np.float64
            if expected.dtype == np.int64:
                break
        np.testing.assert_array_equal(expected, np.floor(probabilities))
        assert 0.0 < probabilities.min() < 1.0
    theirs.close()


@pytest.mark.parametrize("task_id", TASKS)
def test_dm_api(task_id: str, parity: SimpleNamespace) -> None:
    """The dm_env interface returns the values of Gymnasium's pool."""
    theirs = parity.make_reference(TASKS[task_id], wrappers=[FloatProbability])
    with envpool_py.make(task_id, env_type="dm", num_envs=parity.NUM_ENVS, seed=9) as ours:
        observations, _ = theirs.reset(seed=9)
        parity.assert_same(ours.reset().observation.obs, observations, task_id, "observations")
        policy, rng = policy_of(task_id), np.random.default_rng(3)
        for _ in range(100):
            actions = policy(observations, rng)
            observations, rewards, terminated, truncated, infos = theirs.step(actions)
            step = ours.step(actions)
            ours.observation_spec().obs  # noqa: B018
            parity.assert_same(step.observation.obs, observations, task_id, "observations")
            parity.assert_same(step.reward, rewards, task_id, "rewards")
            np.testing.assert_array_equal(step.discount, np.where(terminated, 0.0, 1.0))
            np.testing.assert_array_equal(step.last(), terminated | truncated)
            if "prob" in infos:
                parity.assert_same(step.observation.prob, infos["prob"], task_id, "prob")
            if "action_mask" in infos:
                masks = infos["action_mask"]
                parity.assert_same(step.observation.action_mask, masks, task_id, "action_mask")
    theirs.close()


HUGE = ["S" + "F" * 1023] + ["F" * 1024] * 1024


@pytest.mark.parametrize(
    ("task_id", "options", "error", "message"),
    [
        ("FrozenLake-v1", {"desc": []}, OptionError, 'option "desc": expected at least one row'),
        ("FrozenLake-v1", {"desc": [""]}, OptionError, "at least one tile in row 0, got none"),
        ("FrozenLake-v1", {"desc": ["FF", "HG"]}, OptionError, "a tile S"),
        ("FrozenLake-v1", {"desc": ["SFF", "FG"]}, OptionError, "as row 0), got 2 in row 1"),
        ("FrozenLake-v1", {"desc": ["SF", "xG"]}, OptionError, "got 'x' in row 1, column 0"),
        ("FrozenLake-v1", {"desc": ["SF", "F\n"]}, OptionError, "got byte 10 in row 1, column 1"),
        ("FrozenLake-v1", {"desc": [b"S\xff"]}, OptionError, 'option "desc": expected text with'),
        ("FrozenLake-v1", {"desc": ["S\ud800"]}, OptionError, 'option "desc": expected text with'),
        ("FrozenLake-v1", {"desc": HUGE}, OptionError, "1048576 tiles, got 1025 rows of 1024"),
        ("FrozenLake-v1", {"desc": "SFFG"}, OptionTypeError, "list of str or None, got str"),
        ("FrozenLake-v1", {"desc": [1, 2]}, OptionTypeError, "a list of str, got an element int 1"),
        ("FrozenLake-v1", {"desc": [["S", 1]]}, OptionTypeError, "a list of str, got an element"),
        ("FrozenLake-v1", {"map_name": "8X8"}, OptionError, 'did you mean "8x8"'),
        ("FrozenLake-v1", {"map_name": 8}, OptionTypeError, "expected str or None, got int 8"),
        ("FrozenLake-v1", {"success_rate": 1.1}, OptionError, "success_rate"),
        ("FrozenLake-v1", {"success_rate": None}, OptionTypeError, "expected float, got NoneType"),
        ("FrozenLake-v1", {"reward_schedule": (1, 0)}, OptionError, "expected three numbers"),
        ("FrozenLake-v1", {"reward_schedule": 1}, OptionTypeError, "list of float"),
        ("Taxi-v4", {"rainy_probability": -0.1}, OptionError, "rainy_probability"),
        ("Taxi-v4", {"fickle": True}, UnknownOptionError, 'has no option "fickle"'),
        ("Blackjack-v1", {"sab": 1}, OptionTypeError, "sab"),
        ("CliffWalking-v1", {"is_slipery": True}, UnknownOptionError, 'did you mean "is_slippery"'),
    ],
    ids=lambda value: str(value)[:40],
)
def test_bad_options(
    task_id: str, options: dict[str, Any], error: type[Exception], message: str
) -> None:
    for make in (envpool_py.make, envpool_py.make_spec):
        with pytest.raises(error) as caught:
            make(task_id, **options)
        assert type(caught.value) is error
        assert message in str(caught.value)


def test_the_largest_map() -> None:
    rows = ["S" + "F" * 1023, *["F" * 1024] * 1022, "F" * 1023 + "G"]
    with envpool_py.make("FrozenLake-v1", num_envs=2, desc=rows, is_slippery=False) as pool:
        assert pool.single_observation_space == gymnasium.spaces.Discrete(2**20)
        pool.reset()
        for step in range(1, 100):
            observations, *_ = pool.step(np.array([1, 2]))
            assert observations.tolist() == [1024 * step, step]
