"""The tasks `ALE/<Game>-v5`: options, errors, and settings that must not change results."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import envpool_py
from envpool_py.errors import (
    InputError,
    OptionError,
    OptionTypeError,
    UnknownOptionError,
    UnknownTaskError,
)

PONG = "ALE/Pong-v5"


def test_spec() -> None:
    spec = envpool_py.make_spec(PONG)
    assert spec.id == PONG
    assert spec.max_episode_steps is None
    assert spec.reward_threshold is None
    assert spec.frame_skip == 4
    assert {name: option.default for name, option in spec.options.items()} == {
        "obs_type": "rgb",
        "frameskip": [4],
        "repeat_action_probability": 0.25,
        "full_action_space": False,
        "continuous": False,
        "continuous_action_threshold": 0.5,
        "max_num_frames_per_episode": 108_000,
        "mode": -1,
        "difficulty": -1,
        "sound_obs": False,
    }
    infos = {info.name: (info.dtype, info.shape) for info in spec.infos}
    assert infos == {
        "lives": ("int64", ()),
        "episode_frame_number": ("int64", ()),
        "frame_number": ("int64", ()),
        "seeds": ("uint32", (2,)),
    }
    assert spec.render is not None
    assert (spec.render.height, spec.render.width, spec.render.fps) == (210, 160, 30)
    assert envpool_py.make_spec(PONG, frameskip=(2, 5)).frame_skip == 3


@pytest.mark.parametrize(
    ("task_id", "lines"),
    [(PONG, 210), ("ALE/Adventure-v5", 250), ("ALE/Pooyan-v5", 220), ("ALE/Carnival-v5", 214)],
)
def test_shapes(task_id: str, lines: int) -> None:
    for obs_type, shape in (("rgb", (lines, 160, 3)), ("grayscale", (lines, 160)), ("ram", (128,))):
        spec = envpool_py.make_spec(task_id, obs_type=obs_type)
        assert spec.observation_space.shape == shape
        with envpool_py.make(task_id, num_envs=2, obs_type=obs_type) as pool:
            observations, _ = pool.reset(seed=0)
            assert observations.shape == (2, *shape)
            assert observations.dtype == np.uint8


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"mode": 2}, OptionError, ["mode", "pong", "(0, 1)", "2"]),
        ({"mode": -2}, OptionError, ["mode", "(0, 1)", "-2"]),
        ({"mode": 1.0}, OptionTypeError, ["mode", "int", "float"]),
        ({"mode": 2**40}, OptionError, ["mode", "(0, 1)"]),
        ({"difficulty": 7}, OptionError, ["difficulty", "(0, 1, 2, 3)", "7"]),
        ({"difficulty": None}, OptionTypeError, ["difficulty", "int", "None"]),
        ({"obs_type": "gray"}, OptionError, ["obs_type", '"grayscale"', '"ram"', '"gray"']),
        ({"obs_type": 3}, OptionTypeError, ["obs_type", "str"]),
        ({"frameskip": 0}, OptionError, ["frameskip", "[1, 1000]", "0"]),
        ({"frameskip": -4}, OptionError, ["frameskip", "-4"]),
        ({"frameskip": 1001}, OptionError, ["frameskip", "1001"]),
        ({"frameskip": (5, 2)}, OptionError, ["frameskip", "[5, 2]"]),
        ({"frameskip": (3, 3)}, OptionError, ["frameskip", "[3, 3]"]),
        ({"frameskip": (0, 3)}, OptionError, ["frameskip", "0"]),
        ({"frameskip": (1, 2, 3)}, OptionError, ["frameskip", "[1, 2, 3]"]),
        ({"frameskip": []}, OptionError, ["frameskip", "[]"]),
        ({"frameskip": 2.5}, OptionTypeError, ["frameskip", "int or list of int", "float"]),
        ({"frameskip": (2, 2.5)}, OptionTypeError, ["frameskip", "int or list of int"]),
        ({"frameskip": "4"}, OptionTypeError, ["frameskip", "int or list of int", "str"]),
        ({"frameskip": True}, OptionTypeError, ["frameskip", "bool"]),
        ({"frame_skip": 4}, UnknownOptionError, ["frame_skip", "frameskip"]),
        ({"repeat_action_probability": 1.5}, OptionError, ["repeat_action_probability", "1.5"]),
        ({"repeat_action_probability": -0.1}, OptionError, ["repeat_action_probability", "-0.1"]),
        (
            {"repeat_action_probability": float("nan")},
            OptionError,
            ["repeat_action_probability", "nan"],
        ),
        ({"continuous_action_threshold": -1}, OptionError, ["continuous_action_threshold", "-1"]),
        ({"max_num_frames_per_episode": -1}, OptionError, ["max_num_frames_per_episode", "-1"]),
        ({"max_num_frames_per_episode": 2**31}, OptionError, ["max_num_frames_per_episode"]),
        ({"full_action_space": 1}, OptionTypeError, ["full_action_space", "bool", "int"]),
        ({"sound_obs": True}, OptionError, ["sound_obs", "False", "True"]),
        ({"game": "breakout"}, UnknownOptionError, ['no option "game"']),
    ],
    ids=str,
)
def test_bad_options(options: dict[str, Any], error: type[Exception], words: list[str]) -> None:
    for call in (envpool_py.make_spec, envpool_py.make):
        with pytest.raises(error) as caught:
            call(PONG, **options)
        assert type(caught.value) is error
        for word in words:
            assert word in str(caught.value)


def test_an_unknown_game() -> None:
    with pytest.raises(UnknownTaskError, match=r'"ALE/Pogn-v5"; did you mean "ALE/Pong-v5"\?'):
        envpool_py.make("ALE/Pogn-v5")


def test_the_variant_that_a_game_begins_with_needs_no_name() -> None:
    """Backgammon accepts only difficulty 3, but by default (-1) starts with 0, as in ale-py."""
    with pytest.raises(OptionError, match=r"difficulty: .*\(3\) or -1.*got 0"):
        envpool_py.make("ALE/Backgammon-v5", difficulty=0)
    for difficulty in (-1, 3):
        with envpool_py.make("ALE/Backgammon-v5", difficulty=difficulty) as pool:
            pool.reset(seed=0)


def test_bad_actions_change_nothing() -> None:
    def play(pool: Any) -> np.ndarray:
        return np.stack([pool.step([0, 3])[0] for _ in range(20)])

    with envpool_py.make(PONG, num_envs=2, seed=5, obs_type="ram") as pool:
        pool.reset()
        expected = play(pool)
        pool.reset(seed=5)
        for actions in ([0, 6], [-1, 0], [0], [[0], [0]]):
            with pytest.raises(InputError):
                pool.step(actions)
        np.testing.assert_array_equal(play(pool), expected)


@pytest.mark.parametrize(
    "action", [(-0.1, 0, 0), (1.1, 0, 0), (1, 3.2, 0), (1, 0, 1.5), (np.nan, 0, 0)], ids=str
)
def test_bad_continuous_actions(action: tuple[float, ...]) -> None:
    with envpool_py.make("ALE/Breakout-v5", continuous=True, obs_type="ram") as pool:
        pool.reset(seed=0)
        with pytest.raises(InputError, match="action"):
            pool.step(np.array([action], np.float32))
        pool.step(np.array([[1.0, -np.pi, 0.0]], np.float32))


def test_a_list_of_frame_skips_is_a_tuple() -> None:
    frames = []
    for skip in ((2, 5), [2, 5], np.array([2, 5])):
        with envpool_py.make(PONG, num_envs=2, seed=3, frameskip=skip, obs_type="ram") as pool:
            pool.reset()
            frames.append([pool.step([2, 3])[4]["frame_number"] for _ in range(40)])
    np.testing.assert_array_equal(frames[0], frames[1])
    np.testing.assert_array_equal(frames[0], frames[2])
    assert set(np.diff(frames[0], axis=0).ravel()) == {2, 3, 4}


def test_seeds_are_in_the_infos_of_a_seeded_reset() -> None:
    with envpool_py.make(PONG, num_envs=3, obs_type="ram", autoreset_mode="Disabled") as pool:
        infos = pool.reset(seed=10)[1]
        words = [np.random.SeedSequence(10 + env).generate_state(2) for env in range(3)]
        np.testing.assert_array_equal(infos["seeds"], words)
        assert infos["seeds"].dtype == np.uint32
        assert "seeds" not in pool.step([0, 0, 0])[4]
        assert "seeds" not in pool.reset()[1]
        infos = pool.reset(seed=[None, 7, None])[1]
        np.testing.assert_array_equal(infos["_seeds"], [False, True, False])
        np.testing.assert_array_equal(infos["frame_number"], [4, 0, 4])


@pytest.mark.parametrize("obs_type", ["rgb", "ram"])
def test_order_and_threads_do_not_matter(obs_type: str) -> None:
    """First-ready batches give each environment the same results as an ordered pool."""
    num_envs, steps = 6, 25
    actions = np.random.default_rng(0).integers(4, size=(steps, num_envs))
    options: dict[str, Any] = {
        "num_envs": num_envs,
        "seed": 9,
        "obs_type": obs_type,
        "frameskip": (2, 5),
        "max_num_frames_per_episode": 31,
    }
    with envpool_py.make("ALE/Breakout-v5", num_threads=1, **options) as pool:
        pool.reset()
        ordered = [pool.step(row) for row in actions]
    with envpool_py.make("ALE/Breakout-v5", num_threads=3, batch_size=2, **options) as pool:
        pool.async_reset()
        taken = np.full(num_envs, -1)
        while taken.min() < steps:
            observations, rewards, terminated, truncated, infos = pool.recv(60)
            envs = infos["env_id"]
            for row, env in enumerate(envs):
                if 0 <= taken[env] < steps:
                    expected = ordered[taken[env]]
                    np.testing.assert_array_equal(observations[row], expected[0][env])
                    assert rewards[row] == expected[1][env]
                    assert terminated[row] == expected[2][env]
                    assert truncated[row] == expected[3][env]
                    assert infos["frame_number"][row] == expected[4]["frame_number"][env]
                taken[env] += 1
            # Environments that have finished continue, unchecked, until the slowest has. If fewer
            # were in flight than a batch holds, `recv` would not return.
            pool.send(actions[taken[envs] % steps, envs], envs)


def test_copies_of_a_pool_share_the_game_and_nothing_else() -> None:
    with (
        envpool_py.make(PONG, num_envs=1, seed=0, obs_type="ram") as one,
        envpool_py.make(PONG, num_envs=1, seed=0, obs_type="ram") as other,
    ):
        one.reset()
        first = [one.step([2])[0] for _ in range(30)]
        other.reset()
        np.testing.assert_array_equal(first, [other.step([2])[0] for _ in range(30)])


def test_rendering_changes_no_result_and_the_memory_can_be_rendered() -> None:
    def play(**options: Any) -> list[np.ndarray]:
        with envpool_py.make("ALE/Breakout-v5", num_envs=2, seed=1, **options) as pool:
            results = [pool.reset()[0]]
            for _ in range(20):
                results.append(pool.step([1, 2])[0])
                if pool.render_mode is not None:
                    pool.render()
        return results

    for obs_type in ("rgb", "ram"):
        np.testing.assert_array_equal(
            play(obs_type=obs_type), play(obs_type=obs_type, render_mode="rgb_array")
        )
    with (
        envpool_py.make("ALE/Breakout-v5", num_envs=2, seed=1) as seen,
        envpool_py.make(
            "ALE/Breakout-v5", num_envs=2, seed=1, obs_type="ram", render_mode="rgb_array"
        ) as pool,
    ):
        np.testing.assert_array_equal(pool.reset()[1]["lives"], seen.reset()[1]["lives"])
        for _ in range(20):
            pool.step([1, 3])
            np.testing.assert_array_equal(pool.render(), seen.step([1, 3])[0])


def test_dm_api() -> None:
    with envpool_py.make_dm(PONG, num_envs=2, seed=0, max_num_frames_per_episode=8) as pool:
        step = pool.reset()
        assert step.observation.obs.shape == (2, 210, 160, 3)
        np.testing.assert_array_equal(step.observation.lives, [0, 0])
        assert not pool.step([0, 0]).last().any()
        step = pool.step([0, 0])
        assert step.last().all()
        np.testing.assert_array_equal(step.discount, [1.0, 1.0])  # truncated
