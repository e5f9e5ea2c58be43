"""MiniGrid and BabyAI against minigrid 3.2.0: equal seeds and actions give bit-equal results."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from typing import Any

import gymnasium
import numpy as np
import pytest

import envpool_py
from envpool_py.errors import EnvironmentFailedError
from envpool_py.tasks.families.minigrid.manifest import FAMILY

wrappers = pytest.importorskip("minigrid.wrappers")  # minigrid needs Python 3.11

from .minigrid_pair import (  # noqa: E402
    MODES,
    Bot,
    EndlessLevelError,
    Episode,
    full_grid,
    make_reference,
    quiet,
    random_actor,
    record,
    replay,
)

pytestmark = [
    pytest.mark.numbers,
    # Gymnasium gives this warning for ids with a later version, such as MultiRoom-N4-S5-v0.
    pytest.mark.filterwarnings("ignore:.*is out of date:DeprecationWarning"),
]

IDS = sorted(FAMILY.tasks)
SOME = sorted(FAMILY.representatives)
# The ids most used for training.
MOST_USED = [
    "MiniGrid-Empty-8x8-v0",
    "MiniGrid-DoorKey-8x8-v0",
    "MiniGrid-FourRooms-v0",
    "MiniGrid-LavaCrossingS9N1-v0",
    "MiniGrid-MultiRoom-N6-v0",
    "MiniGrid-KeyCorridorS3R3-v0",
    "BabyAI-GoToLocal-v0",
    "BabyAI-BossLevel-v0",
]


def id_cases(ids: list[str], some: list[str]) -> list[Any]:
    """Returns a short case for each id in `some`, and a long case for each id in `ids`."""
    return [
        *(pytest.param(task_id, False, id=task_id) for task_id in some),
        *(
            pytest.param(task_id, True, id=f"{task_id}-long", marks=pytest.mark.long)
            for task_id in ids
        ),
    ]


def test_all_ids_of_the_reference_are_here() -> None:
    theirs = {
        task_id
        for task_id in gymnasium.registry
        if task_id.startswith(("MiniGrid-", "BabyAI-")) and "-WFC-" not in task_id
    }
    assert theirs == set(IDS)
    assert len(IDS) == 172


@pytest.mark.parametrize("task_id", IDS)
def test_the_defaults_of_options_are_those_of_the_id(task_id: str) -> None:
    spec = envpool_py.make_spec(task_id)
    for name, value in gymnasium.spec(task_id).kwargs.items():
        default = spec.options[name].default
        assert default == (list(value) if isinstance(value, tuple) else value), name
    assert spec.max_episode_steps is None


@pytest.mark.parametrize(("task_id", "is_long"), id_cases(IDS, SOME))
def test_first_observations(task_id: str, is_long: bool) -> None:
    """For many seeds: the image, the direction, the mission and, for some seeds, the whole grid."""
    count = 1000 if is_long else 20
    env = make_reference(task_id)
    with (
        envpool_py.make(task_id, num_envs=count) as pool,
        envpool_py.make(task_id, num_envs=count, observation="full") as full_pool,
    ):
        ours, _ = pool.reset(seed=0)
        ours_full, _ = full_pool.reset(seed=0)
        for seed in range(count):
            with quiet():
                theirs, _ = env.reset(seed=seed)
            assert ours["mission"][seed] == theirs["mission"], seed
            assert ours["direction"][seed] == theirs["direction"], seed
            np.testing.assert_array_equal(ours["image"][seed], theirs["image"], f"seed {seed}")
            if seed % 10 == 0:
                np.testing.assert_array_equal(
                    ours_full["image"][seed], full_grid(env), f"seed {seed}"
                )


def recordings(
    task_id: str, seeds: Iterable[int], steps: int, **options: Any
) -> dict[int, list[Episode]]:
    """Returns the reference's episodes for each seed; leaves out seeds with an endless reset."""
    env = make_reference(task_id, **options)
    number = int(env.action_space.n)
    played = {}
    for seed in seeds:
        with contextlib.suppress(EndlessLevelError):
            played[seed] = record(env, seed, steps, random_actor(seed, number))
    return played


@pytest.mark.parametrize(("task_id", "is_long"), id_cases(IDS, SOME))
def test_episodes(task_id: str, is_long: bool) -> None:
    """Many short episodes, and steps with the environment's own limit, in all autoreset modes."""
    seeds = range(16) if is_long else range(4)
    limit = 11
    # In 200 episodes of SynthS5R2, most seeds meet a level that the reference never finishes.
    episodes = 13 if not is_long or task_id == "BabyAI-SynthS5R2-v0" else 200
    ended = 0
    for options, steps in (({"max_steps": limit}, episodes * limit), ({}, 80 if is_long else 40)):
        played = recordings(task_id, seeds, steps if is_long else steps // 3, **options)
        assert len(played) >= len(seeds) - 2
        for mode in MODES:
            ended = replay(task_id, list(played), list(played.values()), mode, **options)
            if options and is_long:
                assert ended >= episodes * len(played)
            if options:
                assert ended > 0


@pytest.mark.long
def test_a_level_for_which_there_is_no_place() -> None:
    """The reference never finishes; ours raises an error, and the environment can be reset."""
    task_id, seed, options = "BabyAI-SynthS5R2-v0", 3, {"max_steps": 11}
    with pytest.raises(EndlessLevelError):
        record(make_reference(task_id, **options), seed, 143, random_actor(seed, 7))
    act = random_actor(seed, 7)
    with envpool_py.make(task_id, autoreset_mode="SameStep", **options) as pool:
        pool.reset(seed=seed)

        def play() -> None:
            for _ in range(143):
                pool.step(np.array([act(None)]))

        with pytest.raises(EnvironmentFailedError, match="no level was found"):
            play()
        pool.reset(seed=seed + 1)


BABYAI = [task_id for task_id in IDS if task_id.startswith("BabyAI")]
# Ids whose first missions the reference's bot completes. It gives up others, for example those that
# begin with a carried object.
SOLVED = {"BabyAI-GoToLocal-v0", "BabyAI-BossLevel-v0", "BabyAI-UnblockPickup-v0"}


@pytest.mark.parametrize(
    ("task_id", "is_long"), id_cases(BABYAI, [task_id for task_id in SOME if task_id in BABYAI])
)
def test_solved_missions(task_id: str, is_long: bool) -> None:
    """Missions that the reference's bot completes, with rewards, up to the missions' own limits."""
    seeds = range(4) if is_long else range(1)
    env = make_reference(task_id)
    played = []
    for seed in seeds:
        try:
            played.append(record(env, seed, 300, Bot(), episodes=2))
        except Exception:  # the bot gives up some missions
            played.append(record(env, seed, 20, random_actor(seed, 7)))
    replay(task_id, seeds, played, "NextStep")
    if task_id in SOLVED:
        assert any(step[2] > 0 for plays in played for play in plays for step in play.steps)


def same_as_wrapped(
    task_id: str,
    wrap: Any,
    ours: dict[str, Any],
    *,
    theirs: dict[str, Any] | None = None,
    steps: int = 15,
) -> None:
    env = wrap(make_reference(task_id, **(theirs or {})))
    number = int(env.action_space.n)

    class Bare:
        """Has the wrapped environment's bound methods, which are quick to call."""

        reset, step = env.reset, env.step

    seeds = range(3)
    played = [record(Bare, seed, steps, random_actor(seed, number)) for seed in seeds]
    replay(task_id, seeds, played, "NextStep", **ours)


WRAPPERS: dict[str, tuple[Any, dict[str, Any]]] = {
    "image_only": (wrappers.ImgObsWrapper, {"image_only": True}),
    "full": (wrappers.FullyObsWrapper, {"observation": "full"}),
    "full_image": (
        lambda env: wrappers.ImgObsWrapper(wrappers.FullyObsWrapper(env)),
        {"observation": "full", "image_only": True},
    ),
    "one_hot": (wrappers.OneHotPartialObsWrapper, {"observation": "one_hot"}),
    "rgb_partial": (wrappers.RGBImgPartialObsWrapper, {"observation": "rgb_partial"}),
    "rgb_full": (wrappers.RGBImgObsWrapper, {"observation": "rgb_full"}),
    "rgb_full_image": (
        lambda env: wrappers.ImgObsWrapper(wrappers.RGBImgObsWrapper(env, tile_size=5)),
        {"observation": "rgb_full", "image_only": True, "observation_tile_size": 5},
    ),
    "view_size_3": (lambda env: wrappers.ViewSizeWrapper(env, 3), {"view_size": 3}),
    "view_size_11": (
        lambda env: wrappers.OneHotPartialObsWrapper(wrappers.ViewSizeWrapper(env, 11)),
        {"view_size": 11, "observation": "one_hot"},
    ),
    "flat": (
        lambda env: wrappers.FlatObsWrapper(env, 340),
        {"flat": True, "flat_mission_length": 340},
    ),
    "flat_full": (
        lambda env: wrappers.FlatObsWrapper(wrappers.FullyObsWrapper(env), 340),
        {"observation": "full", "flat": True, "flat_mission_length": 340},
    ),
}


@pytest.mark.parametrize("name", WRAPPERS)
@pytest.mark.parametrize(
    "task_id",
    [
        pytest.param(task_id, marks=() if task_id == MOST_USED[1] else pytest.mark.long)
        for task_id in [*MOST_USED, "BabyAI-PutNextS5N2Carrying-v0"]
    ],
)
def test_observations_are_those_of_the_wrappers(task_id: str, name: str) -> None:
    wrap, ours = WRAPPERS[name]
    same_as_wrapped(task_id, wrap, ours)
    space = envpool_py.make_spec(task_id, **ours).observation_space
    theirs = wrap(make_reference(task_id)).observation_space
    if isinstance(theirs, gymnasium.spaces.Dict):
        assert list(space) == list(theirs)
        assert space["image"] == theirs["image"]
        assert space["direction"] == theirs["direction"]
    else:
        assert space == theirs


# Pictures


def render_pair(task_id: str, steps: int, seed: int, **options: Any) -> None:
    """Asserts that `render` of both libraries gives the same pictures."""
    env = make_reference(task_id, render_mode="rgb_array", **options)
    act = random_actor(seed, int(env.action_space.n))
    with envpool_py.make(
        task_id, render_mode="rgb_array", autoreset_mode="Disabled", **options
    ) as pool:
        pool.reset(seed=seed)
        with quiet():
            env.reset(seed=seed)
        for step in range(steps):
            np.testing.assert_array_equal(pool.render()[0], env.render(), f"{task_id}, {step}")
            action = act(env)
            _, _, terminated, truncated, _ = pool.step(np.array([action]))
            env.step(action)
            if terminated[0] or truncated[0]:
                break
        np.testing.assert_array_equal(pool.render()[0], env.render())


@pytest.mark.parametrize(
    "options", [{}, {"agent_pov": True}, {"highlight": False}, {"agent_view_size": 5}], ids=str
)
def test_pictures(options: dict[str, Any]) -> None:
    for task_id in ("MiniGrid-DoorKey-5x5-v0", "BabyAI-PutNextS5N2Carrying-v0"):
        render_pair(task_id, 10, 2, tile_size=9, **options)


@pytest.mark.parametrize("tile_size", [1, 2, 7, pytest.param(32, marks=pytest.mark.long)])
def test_tiles_of_all_sizes(tile_size: int) -> None:
    for task_id in ("MiniGrid-LavaGapS5-v0", "BabyAI-KeyInBox-v0"):
        render_pair(task_id, 6, 1, tile_size=tile_size)


@pytest.mark.long
@pytest.mark.parametrize("tile_size", [*range(3, 21), 24, 32, 48])
def test_every_tile(tile_size: int) -> None:
    """All contents of a grid, in all colours and states, with and without the agent on them."""
    for task_id in (
        "MiniGrid-Playground-v0",
        "MiniGrid-LavaGapS7-v0",
        "BabyAI-UnlockToUnlock-v0",
        "BabyAI-OpenDoorsOrderN4-v0",
    ):
        for seed in range(6 if tile_size < 24 else 2):
            render_pair(task_id, 12, seed, tile_size=tile_size)


@pytest.mark.long
@pytest.mark.parametrize("task_id", MOST_USED)
def test_pictures_of_many_steps(task_id: str) -> None:
    for seed in range(3):
        render_pair(task_id, 60, seed, tile_size=8)


# Options


@pytest.mark.parametrize(
    ("task_id", "options"),
    [
        ("MiniGrid-Empty-8x8-v0", {"size": 11, "agent_start_pos": (3, 4), "agent_start_dir": 2}),
        ("MiniGrid-Empty-8x8-v0", {"agent_start_pos": None, "max_steps": 9}),
        ("MiniGrid-FourRooms-v0", {"agent_pos": (5, 5), "goal_pos": (7, 5)}),
        ("MiniGrid-FourRooms-v0", {"see_through_walls": True, "agent_view_size": 9}),
        ("MiniGrid-DistShift1-v0", {"width": 12, "height": 9, "strip2_row": 6}),
        ("MiniGrid-DistShift1-v0", {"agent_start_pos": None}),
        ("MiniGrid-LavaCrossingS9N1-v0", {"size": 13, "num_crossings": 9}),
        ("MiniGrid-SimpleCrossingS9N1-v0", {"obstacle_type": "lava", "num_crossings": 4}),
        ("MiniGrid-Dynamic-Obstacles-8x8-v0", {"n_obstacles": 30, "agent_start_pos": None}),
        ("MiniGrid-Fetch-8x8-N3-v0", {"size": 6, "numObjs": 7}),
        ("MiniGrid-GoToObject-6x6-N2-v0", {"size": 9, "numObjs": 8}),
        ("MiniGrid-PutNear-8x8-N3-v0", {"size": 11, "numObjs": 5}),
        ("MiniGrid-GoToDoor-5x5-v0", {"size": 11}),
        ("MiniGrid-MemoryS7-v0", {"size": 9, "random_length": True}),
        ("MiniGrid-LockedRoom-v0", {"size": 16, "see_through_walls": True}),
        ("MiniGrid-MultiRoom-N6-v0", {"minNumRooms": 2, "maxNumRooms": 5, "maxRoomSize": 7}),
        ("MiniGrid-RedBlueDoors-6x6-v0", {"size": 5, "see_through_walls": True}),
        ("MiniGrid-KeyCorridorS3R2-v0", {"obj_type": "box", "num_cols": 4, "room_size": 4}),
        ("MiniGrid-ObstructedMaze-Full-v1", {"num_quarters": 3, "blocked": False}),
        ("MiniGrid-ObstructedMaze-1Dl-v0", {"key_in_box": True}),
        ("BabyAI-GoToLocal-v0", {"room_size": 6, "num_dists": 3, "agent_view_size": 3}),
        ("BabyAI-GoTo-v0", {"num_rows": 1, "num_cols": 4, "num_dists": 4}),
        ("BabyAI-Unlock-v0", {"num_rows": 2, "num_cols": 2, "room_size": 6}),
        ("BabyAI-OpenDoor-v0", {"select_by": "loc", "debug": True}),
        ("BabyAI-OpenTwoDoors-v0", {"first_color": "grey", "strict": True}),
        ("BabyAI-OpenDoorsOrderN2-v0", {"num_doors": 3, "debug": True}),
        ("BabyAI-PutNextS5N1-v0", {"objs_per_room": 2, "start_carrying": True}),
        ("BabyAI-GoToSeq-v0", {"room_size": 5, "instr_kinds": ["and"], "num_dists": 9}),
        ("BabyAI-MiniBossLevel-v0", {"unblocking": False, "implicit_unlock": False}),
        ("BabyAI-BossLevel-v0", {"action_kinds": ["putnext"], "num_dists": 8, "room_size": 6}),
        ("BabyAI-SynthLoc-v0", {"locked_room_prob": 1.0, "num_rows": 2, "max_steps": 30}),
        ("BabyAI-UnlockLocal-v0", {"distractors": True, "room_size": 5}),
    ],
    ids=str,
)
def test_options_of_the_constructors(task_id: str, options: dict[str, Any]) -> None:
    seeds = range(3)
    played = recordings(task_id, seeds, 20, **options)
    assert list(played) == list(seeds)
    replay(task_id, seeds, list(played.values()), "SameStep", **options)
