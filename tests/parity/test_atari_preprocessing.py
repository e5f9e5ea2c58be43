"""Tasks like `Pong-v5`, compared with Gymnasium's pipeline, over all games.

The pipeline is Gymnasium's AtariPreprocessing and FrameStackObservation over ale-py's emulator.
With equal seeds and actions, frames, rewards, flags, lives and frame numbers are bit-equal.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import ale_py
import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.wrappers import AtariPreprocessing, ClipReward, FrameStackObservation, TimeLimit

import envpool_py
from envpool_py import _atari
from envpool_py.errors import OptionError, OptionTypeError

from .atari_pair import AtariPair

gymnasium.register_envs(ale_py)

GAMES = _atari.games()
# All mappers, paddles and joysticks in either port, both television formats, one life and many.
SPREAD = [
    "adventure", "air_raid", "asterix", "boxing", "breakout", "darkchambers", "defender",
    "elevator_action", "freeway", "frostbite", "kaboom", "king_kong", "krull", "montezuma_revenge",
    "ms_pacman", "pacman", "pitfall2", "pong", "qbert", "road_runner", "robotank", "seaquest",
    "skiing", "solaris", "space_invaders", "surround", "tetris", "tennis", "video_pinball",
    "wizard_of_wor",
]  # fmt: skip
# AtariPreprocessing requires the action NOOP if an episode begins with idle frames.
NO_NOOP = {"backgammon", "video_checkers"}
# The frames for selecting a variant in a reset, which count towards the limit, if they are many.
SELECTING = {"lost_luggage": 40, "name_this_game": 140}
MODES = ("NextStep", "SameStep", "Disabled")


def task_of(game: str) -> str:
    return f"{game.title().replace('_', '')}-v5"


def test_the_games_are_spread_over_what_there_is() -> None:
    about = [_atari.describe_game(game) for game in GAMES]
    spread = [one for one in about if one["id"] in SPREAD]
    assert len(spread) == len(SPREAD) >= 20
    assert {one["mapper"] for one in spread} == {one["mapper"] for one in about}
    assert {one["format"] for one in spread} == {"NTSC", "PAL"}
    assert {one["paddles"] for one in spread} == {True, False}


def reference(game: str, autoreset: str, n: int, **options: Any) -> SyncVectorEnv:
    """Returns Gymnasium's pipeline for options with our names."""
    console = {
        name: options[name]
        for name in ("full_action_space", "mode", "difficulty", "max_num_frames_per_episode")
        if name in options
    }

    def make() -> gymnasium.Env[Any, Any]:
        env = gymnasium.make(
            f"ALE/{task_of(game)}",
            frameskip=1,
            repeat_action_probability=options.get("repeat_action_probability", 0.0),
            **{"max_num_frames_per_episode": None, **console},
        )
        env = AtariPreprocessing(
            env,
            noop_max=options.get("noop_max", 30),
            frame_skip=options.get("frame_skip", 4),
            screen_size=(options.get("img_width", 84), options.get("img_height", 84)),
            terminal_on_life_loss=options.get("terminal_on_life_loss", False),
            grayscale_obs=options.get("gray_scale", True),
        )
        env = FrameStackObservation(env, options.get("stack_num", 4))
        if options.get("reward_clip", False):
            env = ClipReward(env, -1.0, 1.0)
        if "max_episode_steps" in options:
            env = TimeLimit(env, options["max_episode_steps"])
        return env

    return SyncVectorEnv([make] * n, autoreset_mode=AutoresetMode(autoreset))


class Pair(AtariPair):
    """Our pool and Gymnasium's, stepped alike and compared."""

    def __init__(
        self, game: str, *, autoreset: str = "NextStep", n: int = 1, **options: Any
    ) -> None:
        if game in NO_NOOP:
            options["noop_max"] = 0
        self.autoreset = autoreset
        super().__init__(
            f"{game}, {autoreset}, {options}",
            ours=envpool_py.make(
                task_of(game),
                num_envs=n,
                autoreset_mode=autoreset,
                use_fire_reset=False,
                channel_order="last",
                **options,
            ),
            theirs=reference(game, autoreset, n, **options),
        )
        assert self.ours.single_observation_space == self.theirs.single_observation_space
        assert self.ours.single_action_space.n == self.theirs.single_action_space.n

    def equal_infos(self, ours: dict[str, Any], theirs: dict[str, Any], rows: Any = ...) -> None:
        for name in ("lives", "frame_number", "episode_frame_number"):
            self.equal(name, ours[name], theirs[name], rows)

    def reset(self, seed: Any = None, mask: np.ndarray | None = None) -> None:
        options = None if mask is None else {"reset_mask": mask}
        ours = self.ours.reset(seed=seed, options=dict(options) if options else None)
        theirs = self.theirs.reset(seed=seed, options=options)
        rows = ... if mask is None else mask
        self.equal("observation", ours[0], theirs[0], rows)
        self.equal_infos(ours[1], theirs[1], rows)

    def act(self, actions: np.ndarray) -> None:
        ours, theirs, ended = self.step_both(actions)
        self.equal_infos(ours, theirs)
        if self.autoreset == "SameStep" and ended.any():
            final = np.stack(list(theirs["final_obs"][ended]))
            self.equal("final_obs", ours["final_obs"][ended], final)
            self.equal_infos(ours["final_info"], theirs["final_info"], ended)
        if self.autoreset == "Disabled" and ended.any():
            self.reset(mask=ended)

    def run(self, seed: int, steps: int) -> Counter[str]:
        rng = np.random.default_rng(seed)
        count = self.ours.num_envs
        self.reset(seed=seed)
        for _ in range(steps):
            self.act(rng.integers(self.ours.single_action_space.n, size=count))
        self.close()
        return self.counts


@pytest.mark.parametrize(
    "game",
    [pytest.param(game, marks=[] if game in SPREAD else [pytest.mark.long]) for game in GAMES],
)
def test_a_short_play(game: str) -> None:
    number = GAMES.index(game)
    frame_skip = 1 + number % 5
    pair = Pair(
        game,
        autoreset=MODES[number % 3],
        frame_skip=frame_skip,
        noop_max=number % 7,
        repeat_action_probability=0.25 if number % 2 else 0.0,
        gray_scale=number % 4 != 0,
        terminal_on_life_loss=number % 3 == 0,
        full_action_space=number % 5 == 0,
        # So short that an episode ends, in any frame of a step.
        max_num_frames_per_episode=SELECTING.get(game, 16) + 12 * frame_skip + number % 7,
    )
    counts = pair.run(number, 35)
    assert counts["terminated"] + counts["truncated"] > 0


OPTIONS: dict[str, tuple[dict[str, Any], str]] = {
    "colour": ({"gray_scale": False}, ""),
    "one frame": ({"stack_num": 1}, ""),
    "one frame in colour": ({"stack_num": 1, "gray_scale": False}, ""),
    "seven frames": ({"stack_num": 7}, ""),
    "every frame": ({"frame_skip": 1}, ""),
    "two": ({"frame_skip": 2, "max_num_frames_per_episode": 60}, "truncated"),
    "three": ({"frame_skip": 3, "max_num_frames_per_episode": 61}, "truncated"),
    "five": ({"frame_skip": 5, "max_num_frames_per_episode": 62}, "truncated"),
    "no idle frames": ({"noop_max": 0}, ""),
    "one idle frame": ({"noop_max": 1}, ""),
    "lives": ({"terminal_on_life_loss": True}, "terminated"),
    "lives in colour": ({"terminal_on_life_loss": True, "gray_scale": False}, "terminated"),
    "clipped": ({"reward_clip": True}, "reward"),
    "all actions": ({"full_action_space": True}, ""),
    "sticky": ({"repeat_action_probability": 0.25}, "reward"),
    "sticky lives": (
        {"repeat_action_probability": 0.5, "terminal_on_life_loss": True},
        "terminated",
    ),
    "mode": ({"mode": 12, "difficulty": 1}, ""),
    "size": ({"img_height": 61, "img_width": 97}, ""),
    "larger": ({"img_height": 300, "img_width": 200, "gray_scale": False}, ""),
    "unchanged": ({"img_height": 210, "img_width": 160}, ""),
    "limit": ({"max_episode_steps": 9}, "truncated"),
    # The first step ends the episode: in its first, last but one or last frame.
    "first frame": ({"noop_max": 0, "max_num_frames_per_episode": 1}, "truncated"),
    "third frame": ({"noop_max": 0, "max_num_frames_per_episode": 3}, "truncated"),
    "fourth frame": ({"noop_max": 0, "max_num_frames_per_episode": 4}, "truncated"),
    "fourth frame in colour": (
        {"noop_max": 0, "max_num_frames_per_episode": 4, "gray_scale": False},
        "truncated",
    ),
    # The idle frames reach the limit: the game restarts, and is reloaded if the reset has a seed.
    "idle to the end": ({"max_num_frames_per_episode": 9, "noop_max": 12}, "truncated"),
}


@pytest.mark.parametrize("name", OPTIONS)
def test_options(name: str) -> None:
    options, what = OPTIONS[name]
    # The ball needs some time to reach a brick.
    counts = Pair("breakout", n=2, **options).run(11, 300 if what == "reward" else 60)
    assert not what or counts[what] > 0


@pytest.mark.parametrize("gray_scale", [True, False])
def test_ends_of_pictures_that_have_lost_their_colour(gray_scale: bool) -> None:
    options = {"noop_max": 1, "frame_skip": 2, "max_num_frames_per_episode": 14}
    pair = Pair("air_raid", autoreset="SameStep", n=2, gray_scale=gray_scale, **options)
    assert pair.run(0, 20)["truncated"] > 4


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("gray_scale", [True, False])
def test_autoreset_modes(mode: str, gray_scale: bool) -> None:
    pair = Pair("breakout", autoreset=mode, n=2, terminal_on_life_loss=True, gray_scale=gray_scale)
    assert pair.run(3, 100)["terminated"] >= 2


def test_seeds_at_any_reset() -> None:
    pair = Pair("space_invaders", n=2, repeat_action_probability=0.25)
    rng = np.random.default_rng(0)
    for seed in (5, None, 5, [9, None], None, [2**32 - 1, 2**40], 0):
        pair.reset(seed=seed)
        for _ in range(15):
            pair.act(rng.integers(6, size=2))
    pair.close()


def test_a_seeded_reset_repeats_all() -> None:
    pool = envpool_py.make("Seaquest-v5", num_envs=2, repeat_action_probability=0.25)
    plays = []
    for _ in range(2):
        play = [pool.reset(seed=1)[0]]
        play += [pool.step(np.array([step % 18, 2]))[0] for step in range(40)]
        plays.append(np.stack(play))
    assert np.array_equal(*plays)
    pool.close()


@pytest.mark.parametrize("lives", ["episodic_life", "terminal_on_life_loss"])
@pytest.mark.parametrize("mode", MODES)
def test_threads_and_batches_change_nothing(mode: str, lives: str) -> None:
    num_envs, steps = 6, 60

    def play(**arguments: Any) -> list[list[Any]]:
        pool = envpool_py.make(
            "Breakout-v5",
            num_envs=num_envs,
            seed=4,
            autoreset_mode=mode,
            **{lives: True},
            **arguments,
        )
        rows: list[list[Any]] = [[] for _ in range(num_envs)]
        pool.async_reset()
        while min(len(row) for row in rows) <= steps:
            obs, rewards, terminated, truncated, infos = pool.recv()
            ids = infos["env_id"]
            for k, env in enumerate(ids):
                rows[env].append((obs[k].copy(), rewards[k], terminated[k], infos["ram"][k].copy()))
            actions = np.array([(env * 5 + len(rows[env])) % 4 for env in ids])
            ended = terminated | truncated
            if mode == "Disabled" and ended.any():
                pool.async_reset(ids[ended])
                ids, actions = ids[~ended], actions[~ended]
            if len(ids):
                pool.send(actions, ids)
        pool.close()
        return [row[:steps] for row in rows]

    # With partial resets, no batch contains all environments.
    batch_size = 3 if mode == "Disabled" else num_envs
    expected = play(num_threads=1, batch_size=batch_size)
    for arguments in ({"num_threads": 3, "batch_size": batch_size}, {"batch_size": 1}):
        for env, row in enumerate(play(**arguments)):
            for step, (ours, theirs) in enumerate(zip(row, expected[env], strict=True)):
                for value, other in zip(ours, theirs, strict=True):
                    assert np.array_equal(value, other), (env, step)


def test_channels_first_are_the_same_values() -> None:
    first, last = (
        envpool_py.make("Pong-v5", num_envs=2, gray_scale=False, channel_order=order, stack_num=3)
        for order in ("first", "last")
    )
    assert first.single_observation_space.shape == (9, 84, 84)
    assert last.single_observation_space.shape == (3, 84, 84, 3)
    pairs = [(first.reset(seed=2)[0], last.reset(seed=2)[0])]
    for _ in range(10):
        pairs.append((first.step([2, 3])[0], last.step([2, 3])[0]))
    for planar, interleaved in pairs:
        assert np.array_equal(planar.reshape(2, 3, 3, 84, 84), interleaved.transpose(0, 1, 4, 2, 3))


def test_fire_takes_the_place_of_the_last_idle_frame() -> None:
    for noop_max in (0, 1, 30):
        idle, fires = (
            envpool_py.make("Breakout-v5", num_envs=4, noop_max=noop_max, use_fire_reset=fire)
            for fire in (False, True)
        )
        numbers = [pool.reset(seed=6)[1]["episode_frame_number"] for pool in (idle, fires)]
        before = envpool_py.make("Breakout-v5", num_envs=4, noop_max=0, use_fire_reset=False)
        first = before.reset(seed=6)[1]["episode_frame_number"]
        assert np.array_equal(numbers[1], np.maximum(numbers[0], first + 1))
        # After FIRE the ball moves although no action is pressed.
        still = [
            np.ptp([pool.step([0] * 4)[4]["ram"] for _ in range(12)], axis=0)
            for pool in (idle, fires)
        ]
        assert still[1].sum() > still[0].sum()


def test_rewards_and_ends_of_infos() -> None:
    pool = envpool_py.make(
        "SpaceInvaders-v5", num_envs=4, reward_clip=True, episodic_life=True, seed=0
    )
    pool.reset()
    rng = np.random.default_rng(1)
    seen = set()
    for _ in range(300):
        _, rewards, terminated, _, infos = pool.step(rng.integers(6, size=4))
        assert infos["reward"].dtype == np.float32
        assert infos["terminated"].dtype == np.int32
        assert np.array_equal(np.clip(infos["reward"], -1, 1), rewards)
        # Every lost life ends the episode; `terminated` in infos is set only at a game's end.
        assert np.array_equal(infos["terminated"][terminated], infos["lives"][terminated] == 0)
        seen |= {
            (float(reward), bool(end))
            for reward, end in zip(infos["reward"], terminated, strict=True)
        }
    assert max(reward for reward, _ in seen) > 1.0
    assert any(end for _, end in seen)


def test_what_a_lost_life_is_to_dm_env() -> None:
    pools = {
        zero: envpool_py.make_dm("Breakout-v5", num_envs=3, seed=2, zero_discount_on_life_loss=zero)
        for zero in (False, True)
    }
    first = {zero: pool.reset() for zero, pool in pools.items()}
    assert np.array_equal(first[False].discount, first[True].discount)
    losses = 0
    for _ in range(200):
        steps = {zero: pool.step(np.ones(3, np.int64)) for zero, pool in pools.items()}
        assert np.array_equal(steps[False].step_type, steps[True].step_type)
        assert np.array_equal(steps[False].reward, steps[True].reward)
        mid = steps[True].step_type == 1
        assert (steps[False].discount[mid] == 1.0).all()
        losses += int((steps[True].discount[mid] == 0.0).sum())
    assert losses >= 3


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"mode": 5}, OptionError, ["mode", "breakout", "0, 4, 8, 12, 16", "5"]),
        ({"difficulty": 2}, OptionError, ["difficulty", "breakout", "0, 1", "2"]),
        ({"mode": -2}, OptionError, ["mode", "-2"]),
        ({"img_height": 0}, OptionError, ["img_height", "[1, 1024]", "0"]),
        ({"img_width": 100_000}, OptionError, ["img_width", "[1, 1024]", "100000"]),
        ({"stack_num": 0}, OptionError, ["stack_num", "0"]),
        ({"frame_skip": 0}, OptionError, ["frame_skip", "0"]),
        ({"noop_max": -1}, OptionError, ["noop_max", "-1"]),
        ({"max_num_frames_per_episode": -5}, OptionError, ["max_num_frames_per_episode", "-5"]),
        ({"repeat_action_probability": 1.5}, OptionError, ["repeat_action_probability", "1.5"]),
        ({"channel_order": "frist"}, OptionError, ["channel_order", "first"]),
        ({"pipeline": "sb3"}, OptionError, ["pipeline", "gymnasium", "ale_vector", "envpool"]),
        (
            {"episodic_life": True, "terminal_on_life_loss": True},
            OptionError,
            ["episodic_life", "terminal_on_life_loss", "at most one", "both"],
        ),
        ({"gray_scale": 1}, OptionTypeError, ["gray_scale", "bool"]),
        ({"frame_skip": 4.0}, OptionTypeError, ["frame_skip", "int"]),
        ({"grayscale": True}, OptionError, ["grayscale", "gray_scale"]),
        ({"game": "pong"}, OptionError, ["game"]),
    ],
    ids=str,
)
def test_bad_options(options: dict[str, Any], error: type[Exception], words: list[str]) -> None:
    makers: list[Callable[..., Any]] = [envpool_py.make, envpool_py.make_spec]
    for maker in makers:
        with pytest.raises(error) as caught:
            maker("Breakout-v5", **options)
        assert all(word in str(caught.value) for word in words)


@pytest.mark.long
@pytest.mark.parametrize("game", GAMES)
def test_a_long_play(game: str) -> None:
    number = GAMES.index(game)
    pair = Pair(
        game,
        autoreset=MODES[number % 3],
        n=2 if game in SPREAD else 1,
        repeat_action_probability=0.25 if number % 2 else 0.0,
    )
    pair.run(number, 2_000)


@pytest.mark.long
@pytest.mark.parametrize("game", SPREAD)
def test_a_long_play_with_a_life_an_episode(game: str) -> None:
    number = GAMES.index(game)
    pair = Pair(
        game,
        autoreset=MODES[(number + 1) % 3],
        terminal_on_life_loss=True,
        gray_scale=number % 3 != 0,
        frame_skip=2 + number % 4,
        repeat_action_probability=0.0 if number % 2 else 0.25,
        max_num_frames_per_episode=1_003 if number % 4 == 0 else 0,
    )
    pair.run(number, 1_000)


@pytest.mark.long
@pytest.mark.parametrize("game", SPREAD)
def test_variants(game: str) -> None:
    about = _atari.describe_game(game)
    rng = np.random.default_rng(GAMES.index(game))
    for seed in range(3):
        variant = {
            "mode": int(rng.choice(about["modes"])),
            "difficulty": int(rng.choice(about["difficulties"])),
        }
        Pair(game, autoreset="SameStep", repeat_action_probability=0.25, **variant).run(seed, 150)
