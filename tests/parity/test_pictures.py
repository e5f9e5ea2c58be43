"""Pictures of classic control, toy text and Box2D, compared with Gymnasium's environments.

With equal seeds and actions, pictures are bit-equal after every reset and step.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import SimpleNamespace
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.envs.toy_text.frozen_lake import FrozenLakeEnv, generate_random_map
from gymnasium.vector import SyncVectorEnv

import envpool_py
from envpool_py.tasks import registry

from .references import reference_id

pytestmark = pytest.mark.numbers

pytest.importorskip("pygame")

# Our ids with painters, and Gymnasium 1.4's id for each. test_mpe.py has the pictures of MPE2.
TASKS = {
    task_id: reference_id(task_id)
    for name, family in registry.all_families().items()
    for task_id in family.tasks
    if registry.painter_of(task_id) is not None and name != "mpe"
}
# Ids that look and behave like another id.
TWINS = {
    "CartPole-v0",
    "CliffWalking-v0",
    "CliffWalkingSlippery-v1",
    "FrozenLake8x8-v1",
    "LunarLander-v2",
    "LunarLanderContinuous-v2",
    "Taxi-v3",
}
MODES = ["NextStep", "SameStep", "Disabled"]
NUM_ENVS = 2
# So few steps that every task's episodes end, but enough for the picture to change.
LIMIT = 9

Policy = Callable[[Any, Any, Mapping[str, Any], np.random.Generator], np.ndarray]


def policy(
    space: Any, observations: Any, infos: Mapping[str, Any], rng: np.random.Generator
) -> np.ndarray:
    """Returns random actions; a taxi picks up or drops off the passenger if the mask allows it.

    Box actions exceed their bounds, and some are zero.
    """
    if isinstance(space, gymnasium.spaces.Box):
        drawn = rng.uniform(-1.5, 1.5, (NUM_ENVS, *space.shape)) * space.high
        return np.where(rng.random(drawn.shape) < 0.1, -0.0, drawn).astype(np.float32)
    actions = rng.integers(space.n, size=NUM_ENVS)
    mask = infos.get("action_mask")
    if mask is None:
        return actions
    passenger = mask[:, 4:].any(axis=1) & (rng.random(NUM_ENVS) < 0.8)
    return np.where(passenger, 4 + mask[:, 4:].argmax(axis=1), actions)


def along_the_cliff(
    space: Any, observations: Any, infos: Mapping[str, Any], rng: np.random.Generator
) -> np.ndarray:
    """Returns actions mostly towards the goal: up, along the cliff, down."""
    row, column = np.divmod(observations, 12)
    goal = np.where(column == 11, 2, np.where(row == 3, 0, 1))
    return np.where(rng.random(NUM_ENVS) < 0.9, goal, rng.integers(4, size=NUM_ENVS))


def onwards(
    space: Any, observations: Any, infos: Mapping[str, Any], rng: np.random.Generator
) -> np.ndarray:
    """Returns actions mostly to the right and down, for maps that random steps do not cross."""
    return rng.choice([0, 1, 1, 2, 2, 3], NUM_ENVS)


def assert_same_pictures(ours: Any, theirs: Any, where: str) -> None:
    assert isinstance(ours, tuple)
    assert len(ours) == len(theirs)
    for env, (mine, other) in enumerate(zip(ours, theirs, strict=True)):
        layout = (mine.dtype, mine.shape)
        assert layout == (other.dtype, other.shape), where
        assert mine.flags.writeable
        assert mine.flags.c_contiguous
        rows = np.flatnonzero((mine != other).any(axis=(1, 2)))
        assert not rows.size, f"{where}, environment {env}: rows {rows} differ"


class Pictures:
    """Compares our pool's pictures with Gymnasium's; counts them, and the different ones."""

    def __init__(self, ours: Any, theirs: Any, act: Policy = policy) -> None:
        self.ours, self.theirs, self.act = ours, theirs, act
        self.seen: set[int] = set()  # hashes, because the pictures would take too much memory
        self.ends = 0

    def __enter__(self) -> Pictures:
        return self

    def __exit__(self, *_: object) -> None:
        self.ours.close()
        self.theirs.close()

    def compare(self, where: str) -> None:
        pictures = self.theirs.render()
        assert_same_pictures(self.ours.render(), pictures, where)
        assert_same_pictures(self.ours.render([1]), pictures[1:2], f"{where}, one")
        self.see(pictures)

    def compare_after_reset(self, was_reset: np.ndarray, before: Sequence[Any], where: str) -> None:
        """Compares the environments that were reset; our pictures of the others have not changed.

        Drawing changes Gymnasium's Box2D environments: particles age, the lidar's ray moves on. So
        each of them is drawn once after a step or a reset.
        """
        ours = self.ours.render()
        for env_id in range(NUM_ENVS):
            if was_reset[env_id]:
                picture = self.theirs.envs[env_id].render()
                assert_same_pictures(ours[env_id : env_id + 1], (picture,), where)
                self.see((picture,))
            else:
                np.testing.assert_array_equal(ours[env_id], before[env_id])

    def see(self, pictures: Sequence[Any]) -> None:
        self.seen.update(hash(picture.tobytes()) for picture in pictures)

    def play(self, steps: int, seed: int, options: dict[str, Any] | None = None) -> None:
        rng = np.random.default_rng(seed)
        self.theirs.reset(seed=seed, options=options)
        observations, infos = self.ours.reset(seed=seed, options=options)
        self.compare("after the reset")
        for step in range(steps):
            actions = self.act(self.ours.single_action_space, observations, infos, rng)
            observations, _, terminated, truncated, infos = self.ours.step(actions)
            _, _, *flags, _ = self.theirs.step(actions)
            np.testing.assert_array_equal([terminated, truncated], flags)
            self.compare(f"seed {seed}, step {step}")
            ended = terminated | truncated
            self.ends += int(ended.sum())
            if ended.any() and self.ours.autoreset_mode is gymnasium.vector.AutoresetMode.DISABLED:
                before = self.ours.render()
                self.theirs.reset(options={"reset_mask": ended.copy()})
                observations, infos = self.ours.reset(options={"reset_mask": ended})
                self.compare_after_reset(ended, before, f"seed {seed}, step {step}, reset")


def pair(parity: SimpleNamespace, task_id: str, act: Policy = policy, **options: Any) -> Pictures:
    limit = LIMIT
    if task_id.startswith("CliffWalking"):
        act, limit = along_the_cliff, 20
    shared: dict[str, Any] = {"num_envs": NUM_ENVS, "max_episode_steps": limit, **options}
    theirs = parity.make_reference(TASKS[task_id], render_mode="rgb_array", **shared)
    ours = envpool_py.make(task_id, num_threads=2, render_mode="rgb_array", **shared)
    return Pictures(ours, theirs, act)


@pytest.mark.sampled("mode")
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("task_id", [task_id for task_id in TASKS if task_id not in TWINS])
def test_pictures(task_id: str, mode: str, parity: SimpleNamespace) -> None:
    with pair(parity, task_id, autoreset_mode=mode) as pictures:
        pictures.play(40, seed=MODES.index(mode))
        # The pictures must not be all the same.
        assert pictures.ends >= 2
        assert len(pictures.seen) >= 5


@pytest.mark.parametrize("task_id", sorted(TWINS))
def test_pictures_of_twins(task_id: str, parity: SimpleNamespace) -> None:
    with pair(parity, task_id) as pictures:
        pictures.play(25, seed=1)
        assert pictures.ends >= 2


@pytest.mark.long
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("task_id", TASKS)
def test_pictures_long(task_id: str, mode: str, parity: SimpleNamespace) -> None:
    with pair(parity, task_id, autoreset_mode=mode, max_episode_steps=150) as pictures:
        for seed in (10, 2**62):
            pictures.play(250, seed)


@pytest.mark.parametrize("task_id", TASKS)
def test_what_is_said_of_them(task_id: str, parity: SimpleNamespace) -> None:
    with pair(parity, task_id) as pictures:
        theirs = pictures.theirs.metadata
        assert pictures.ours.metadata["render_fps"] == theirs["render_fps"]
        assert pictures.ours.metadata["render_modes"] == ["rgb_array"]
        assert set(pictures.ours.metadata["render_modes"]) <= set(theirs["render_modes"])
        pictures.theirs.reset(seed=0)
        height, width, _ = pictures.theirs.render()[0].shape
        spec = envpool_py.make_spec(task_id)
        assert spec.render == envpool_py.RenderSpec(height, width, theirs["render_fps"])


@pytest.mark.parametrize(
    ("task_id", "reset_options"),
    [
        ("CartPole-v1", {"low": -2.4, "high": 2.4}),
        ("MountainCar-v0", {"low": -1.2, "high": 0.6}),
        ("MountainCarContinuous-v0", {"low": -1.2, "high": 0.6}),
        ("Acrobot-v1", {"low": -3.0, "high": 3.0}),
        ("Pendulum-v1", {"x_init": 50.0, "y_init": 8.0}),
    ],
)
@pytest.mark.filterwarnings("ignore:.*The obs returned by the")
def test_states_far_from_the_usual(
    task_id: str, reset_options: dict[str, Any], parity: SimpleNamespace
) -> None:
    with pair(parity, task_id) as pictures:
        for seed in range(12):
            pictures.play(1, seed, reset_options)
        assert len(pictures.seen) > 12


@pytest.mark.parametrize(
    ("task_id", "options"),
    [
        ("Pendulum-v1", {"g": 1.5}),
        ("CliffWalking-v1", {"is_slippery": True}),
        ("Taxi-v4", {"is_rainy": True, "fickle_passenger": True, "fickle_probability": 1.0}),
        ("Blackjack-v1", {"natural": True, "sab": False}),
        ("FrozenLake-v1", {"map_name": "8x8", "is_slippery": False}),
        ("FrozenLake8x8-v1", {"map_name": "4x4"}),
    ],
)
def test_options(task_id: str, options: dict[str, Any], parity: SimpleNamespace) -> None:
    with pair(parity, task_id, **options) as pictures:
        pictures.play(3 * LIMIT, seed=3)


MAPS: list[Any] = [
    ["SG"],
    [["S"]],
    ["SFH", "FFF", "FHF", "SFF", "FFG"],
    ["SFFFFFFFFFG"],
    [["S"], ["F"], ["G"]],
    np.asarray(["SFF", "HFF", "FFG"], dtype="c"),
    np.array([["S", "F"], ["H", "G"]]),
    [["S", "F"], ["F", "G"]],
    ("SFFF", "GGGG"),
    generate_random_map(17, 0.9, seed=3),
    ["S" + "F" * 98 + "G"] * 7,
]


@pytest.mark.parametrize("desc", MAPS, ids=lambda desc: f"{len(desc)}x{len(desc[0])}")
def test_maps(desc: Any, parity: SimpleNamespace) -> None:
    with pair(parity, "FrozenLake-v1", onwards, desc=desc, is_slippery=False) as pictures:
        pictures.play(LIMIT, seed=3)


def test_maps_in_bytes() -> None:
    """The two forms are compared with each other: Gymnasium cannot use maps of bytes."""
    drawn = []
    for desc in (["SFF", "FHG"], [b"SFF", b"FHG"]):
        with envpool_py.make("FrozenLake-v1", render_mode="rgb_array", desc=desc) as envs:
            envs.reset(seed=0)
            drawn.append(envs.render()[0])
    np.testing.assert_array_equal(*drawn)


@pytest.mark.parametrize("mode", MODES)
def test_maps_that_are_drawn(mode: str) -> None:
    def make_one(seed: int) -> Callable[[], Any]:
        desc = generate_random_map(seed=seed)
        limited = gymnasium.wrappers.TimeLimit
        return lambda: limited(FrozenLakeEnv(render_mode="rgb_array", desc=desc), LIMIT)

    for seed in (0, 2**40):
        theirs = SyncVectorEnv(
            [make_one(seed + env) for env in range(NUM_ENVS)], autoreset_mode=mode
        )
        ours = envpool_py.make(
            "FrozenLake-v1",
            num_envs=NUM_ENVS,
            autoreset_mode=mode,
            render_mode="rgb_array",
            max_episode_steps=LIMIT,
            desc=None,
            map_name=None,
        )
        with Pictures(ours, theirs) as pictures:
            assert ours.metadata["render_fps"] == 4
            pictures.play(15, seed)


def test_suits_and_faces_are_drawn_as_there(parity: SimpleNamespace) -> None:
    """Covers all of the dealer's cards: 13 ranks in 4 suits."""
    with pair(parity, "Blackjack-v1") as pictures:
        cards = set()
        for seed in range(300):
            pictures.theirs.reset(seed=seed)
            pictures.ours.reset(seed=seed)
            ours, theirs = pictures.ours.render(), pictures.theirs.render()
            assert_same_pictures(ours, theirs, f"seed {seed}")
            for env in pictures.theirs.envs:
                bare = env.unwrapped
                cards.add((bare.dealer_top_card_value_str, bare.dealer_top_card_suit))
        assert len(cards) == 52 - 4  # a ten is shown as a face


def test_rendering_changes_nothing_else(parity: SimpleNamespace) -> None:
    rng = np.random.default_rng(0)
    for task_id in TASKS:
        with (
            envpool_py.make(task_id, num_envs=NUM_ENVS, seed=11) as blind,
            envpool_py.make(task_id, num_envs=NUM_ENVS, seed=11, render_mode="rgb_array") as seen,
        ):
            results = [blind.reset(), seen.reset()]
            for step in range(40):
                for ours, theirs in zip(results[1], results[0], strict=True):
                    if not isinstance(ours, dict):
                        parity.assert_same(ours, theirs, f"{task_id}, step {step}", "result")
                if step % 3 == 0:
                    seen.render()
                actions = policy(seen.single_action_space, None, {}, rng)
                results = [blind.step(actions), seen.step(actions)]
