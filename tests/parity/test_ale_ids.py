"""The tasks `ALE/<Game>-v5`, compared with ale-py's environments in Gymnasium's pool.

With equal seeds and actions, observations, rewards, flags and infos are equal bit for bit.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import ale_py
import gymnasium
import numpy as np
import pytest

import envpool_py
from envpool_py import _atari
from envpool_py.tasks.families.atari import roms

pytestmark = pytest.mark.numbers

gymnasium.register_envs(ale_py)

TASK_IDS = [task_id for task_id in envpool_py.list_all_envs() if task_id.startswith("ALE/")]
MODES = ["NextStep", "SameStep", "Disabled"]

# Together they have every mapper, paddles and joysticks, both television formats, unusual pictures,
# variants that take long to select, one life and many.
SPREAD = [
    "Adventure", "AirRaid", "Asteroids", "BasicMath", "BattleZone", "Breakout", "Carnival",
    "Casino", "DoubleDunk", "Earthworld", "Hangman", "Hero", "JourneyEscape", "Kaboom", "Klax",
    "MontezumaRevenge", "MsPacman", "Pitfall2", "Pong", "Pooyan", "Robotank", "Seaquest", "Skiing",
    "SpaceInvaders", "SpaceWar", "Tetris", "VideoChess", "VideoPinball",
]  # fmt: skip
LONG_STEPS = 2_000
SHORT_STEPS = 30  # keeps this file's tests within the time of `make test`

Options = dict[str, Any]


def short_first(*values: Any) -> list[Any]:
    """Returns parameters; `make test` uses the first one, and the others are long."""
    return [values[0], *(pytest.param(value, marks=pytest.mark.long) for value in values[1:])]


def held_actions(space: gymnasium.Space[Any], hold: float = 0.7) -> Any:
    """Returns a random policy that holds most actions for some steps, so that games progress."""
    last: np.ndarray | None = None

    def draw(count: int, rng: np.random.Generator) -> np.ndarray:
        if isinstance(space, gymnasium.spaces.Discrete):
            return rng.integers(space.n, size=count)
        assert isinstance(space, gymnasium.spaces.Box)
        drawn = rng.uniform(space.low, space.high, (count, *space.shape)).astype(np.float32)
        # Some values at the edges of thresholds and quadrants.
        edges = np.array([0.0, 0.5, 1.0], np.float32)
        radii = np.where(rng.random(count) < 0.3, rng.choice(edges, count), drawn[:, 0])
        quarters = (rng.integers(-4, 5, count) * (np.pi / 4)).astype(np.float32)
        angles = np.where(rng.random(count) < 0.3, quarters, drawn[:, 1])
        return np.stack([radii, angles, drawn[:, 2]], axis=1)

    def policy(observations: Any, rng: np.random.Generator) -> np.ndarray:
        nonlocal last
        new = draw(len(observations), rng)
        if last is not None:
            holds = rng.random(len(new)) < hold
            new[holds] = last[holds]
        last = new
        return new

    return policy


def compare(
    parity: SimpleNamespace,
    task_id: str,
    steps: int,
    *,
    seed: int = 0,
    num_envs: int = 2,
    autoreset_mode: str = "NextStep",
    max_episode_steps: int | None = None,
    **options: Any,
) -> Any:
    """Steps both pools and compares them; returns how many episodes ended in each way."""
    with parity.Lockstep(
        task_id,
        num_envs=num_envs,
        autoreset_mode=autoreset_mode,
        max_episode_steps=max_episode_steps,
        **options,
    ) as pair:
        return pair.run(held_actions(pair.ours.single_action_space), seed, steps)


def test_the_ids_are_those_of_ale_py() -> None:
    theirs = {task_id for task_id in gymnasium.registry if task_id.startswith("ALE/")}
    assert set(TASK_IDS) == theirs
    assert len(theirs) == 104


def settings_of(number: int) -> Options:
    """Returns options for the short play of a game; over all games, every two settings meet."""
    options: Options = {}
    if number % 3:
        options["obs_type"] = ("grayscale", "ram")[number % 3 - 1]
    if number % 4 == 1:
        options["frameskip"] = (2, 5)
    elif number % 4 == 2:
        options["frameskip"] = 3
    if number % 5 == 2:
        options["repeat_action_probability"] = 0.0
    if number % 5 > 2:
        options["full_action_space"] = True
    if number % 7 == 3:
        options |= {"continuous": True, "full_action_space": False}
    if number % 6 == 4:
        options["max_num_frames_per_episode"] = 50
    return options


# `make test` plays half of the games here, and the other half in test_atari.py frame by frame.
@pytest.mark.parametrize(
    "task_id",
    [pytest.param(each, marks=[pytest.mark.long] * (i % 2)) for i, each in enumerate(TASK_IDS)],
)
def test_a_short_play(task_id: str, parity: SimpleNamespace) -> None:
    number = TASK_IDS.index(task_id)
    about = _atari.describe_game(roms.game_of(task_id))
    options = settings_of(number // 2)
    if number // 2 % 2:
        options["mode"] = about["modes"][-1]
        options["difficulty"] = about["difficulties"][-1]
    compare(
        parity,
        task_id,
        SHORT_STEPS,
        seed=number,
        num_envs=1,
        autoreset_mode=MODES[number // 2 % 3],
        **options,
    )


@pytest.mark.parametrize(
    "task_id", short_first("ALE/Adventure-v5", "ALE/Pong-v5", "ALE/Carnival-v5")
)
def test_spaces_and_what_is_said_of_them(task_id: str, parity: SimpleNamespace) -> None:
    for options in (
        {},
        {"obs_type": "grayscale", "full_action_space": True},
        {"obs_type": "ram", "continuous": True},
    ):
        with parity.Lockstep(task_id, num_envs=2, **options) as pair:
            pair.check_spaces()
            assert pair.ours.metadata["render_fps"] == pair.theirs.metadata["render_fps"]
    assert envpool_py.make_spec(task_id).max_episode_steps is None


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("obs_type", short_first("rgb", "grayscale", "ram"))
@pytest.mark.parametrize("task_id", short_first("ALE/AirRaid-v5", "ALE/Breakout-v5"))
def test_observations(task_id: str, obs_type: str, mode: str, parity: SimpleNamespace) -> None:
    compare(
        parity, task_id, 25, autoreset_mode=mode, obs_type=obs_type, max_num_frames_per_episode=40
    )


@pytest.mark.long
@pytest.mark.parametrize("probability", [0.0, 0.25, 0.9, 1.0])
@pytest.mark.parametrize("frameskip", [1, 7, (2, 5), (1, 2), (3, 12)])
def test_frame_skip_and_sticky_actions(
    frameskip: Any, probability: float, parity: SimpleNamespace
) -> None:
    compare(
        parity,
        "ALE/SpaceInvaders-v5",
        40,
        frameskip=frameskip,
        repeat_action_probability=probability,
        obs_type="grayscale",
    )


@pytest.mark.parametrize("threshold", short_first(0.5, 0.0, 0.9, 1.0))
@pytest.mark.parametrize("task_id", short_first("ALE/Breakout-v5", "ALE/Hero-v5", "ALE/Kaboom-v5"))
def test_continuous_actions(task_id: str, threshold: float, parity: SimpleNamespace) -> None:
    compare(
        parity,
        task_id,
        400,
        continuous=True,
        continuous_action_threshold=threshold,
        obs_type="ram",
        repeat_action_probability=0.25 if threshold > 0.5 else 0.0,
    )


@pytest.mark.long
@pytest.mark.parametrize("task_id", ["ALE/Pong-v5", "ALE/Backgammon-v5", "ALE/Surround-v5"])
def test_all_actions(task_id: str, parity: SimpleNamespace) -> None:
    compare(parity, task_id, 300, full_action_space=True, obs_type="grayscale")


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    "options",
    short_first(
        {"max_num_frames_per_episode": 30, "frameskip": (1, 6)},
        {"max_num_frames_per_episode": 40},
        {"max_num_frames_per_episode": 41, "frameskip": 7},
        {"max_num_frames_per_episode": 1, "frameskip": 3},
        {"max_episode_steps": 10},
        {"max_episode_steps": 10, "max_num_frames_per_episode": 40},
        {"max_episode_steps": 10, "max_num_frames_per_episode": 39},
    ),
    ids=str,
)
def test_truncation(options: Options, mode: str, parity: SimpleNamespace) -> None:
    counts = compare(parity, "ALE/Freeway-v5", 33, autoreset_mode=mode, obs_type="ram", **options)
    assert counts["truncated"] > 3


@pytest.mark.parametrize("obs_type", short_first("rgb", "grayscale"))
@pytest.mark.parametrize("mode", short_first("SameStep", "NextStep", "Disabled"))
@pytest.mark.parametrize(
    ("task_id", "options"),
    [
        ("ALE/Freeway-v5", {"frameskip": 1000, "repeat_action_probability": 0.0}),
        # It flickers and draws some rows in some frames only, so pictures combine several frames.
        ("ALE/Asteroids-v5", {"frameskip": 11, "max_num_frames_per_episode": 40}),
        ("ALE/Earthworld-v5", {"frameskip": 9, "max_num_frames_per_episode": 29}),
    ],
)
def test_ends_within_a_skip(
    task_id: str, options: Options, mode: str, obs_type: str, parity: SimpleNamespace
) -> None:
    """The last picture is that of the frame that ended the game, not of the skip's last frame."""
    steps = 12
    counts = compare(
        parity, task_id, steps, num_envs=1, autoreset_mode=mode, obs_type=obs_type, **options
    )
    assert counts["terminated"] + counts["truncated"] > 0


@pytest.mark.parametrize(
    "task_id", short_first("ALE/BasicMath-v5", "ALE/Breakout-v5", "ALE/Klax-v5")
)
def test_seeds_and_resets(task_id: str, parity: SimpleNamespace) -> None:
    with parity.Lockstep(task_id, num_envs=3, obs_type="ram", autoreset_mode="Disabled") as pair:
        policy = held_actions(pair.ours.single_action_space)
        rng = np.random.default_rng(1)
        for seed in (0, 12345, None, 2**63, None, None):
            pair.reset(seed)
            for _ in range(15):
                pair.step(policy(pair.observations, rng))
        for mask in ([True, False, True], [False, False, True]):
            pair.reset(None, mask=np.array(mask))
            for _ in range(10):
                pair.step(policy(pair.observations, rng))


@pytest.mark.long
@pytest.mark.parametrize(
    ("task_id", "mode", "difficulty"),
    [
        ("ALE/Pong-v5", 1, 3),
        ("ALE/BattleZone-v5", 3, 0),
        ("ALE/MsPacman-v5", 2, 0),
        ("ALE/SpaceInvaders-v5", 15, 1),
        ("ALE/Backgammon-v5", 0, 3),
        ("ALE/Centipede-v5", 86, 0),
        ("ALE/Adventure-v5", 2, 3),
        ("ALE/Klax-v5", 2, 0),
        ("ALE/Casino-v5", 3, 2),
    ],
)
def test_variants(task_id: str, mode: int, difficulty: int, parity: SimpleNamespace) -> None:
    compare(parity, task_id, 300, difficulty=difficulty)
    with parity.Lockstep(task_id, num_envs=2, obs_type="ram", mode=mode) as pair:
        pair.run(held_actions(pair.ours.single_action_space), 4, 300)


@pytest.mark.long
@pytest.mark.parametrize("name", SPREAD)
def test_a_long_play(name: str, parity: SimpleNamespace) -> None:
    """Gymnasium's default options, over several lives and episodes."""
    compare(parity, f"ALE/{name}-v5", LONG_STEPS, seed=7)


@pytest.mark.long
@pytest.mark.parametrize("name", SPREAD)
def test_a_long_play_of_other_settings(name: str, parity: SimpleNamespace) -> None:
    number = SPREAD.index(name)
    about = _atari.describe_game(roms.game_of(f"ALE/{name}-v5"))
    compare(
        parity,
        f"ALE/{name}-v5",
        LONG_STEPS,
        seed=2**40 + number,
        autoreset_mode=MODES[number % 3],
        obs_type=("grayscale", "ram", "rgb")[number % 3],
        frameskip=((2, 5), 1, 6)[number // 3 % 3],
        repeat_action_probability=(0.0, 0.5)[number % 2],
        full_action_space=number % 4 == 0,
        continuous=number % 4 == 1,
        difficulty=about["difficulties"][-1],
        max_num_frames_per_episode=3_000,
    )
