"""`episodic_life` against a new implementation of OpenAI Baselines' wrapper, over ale-py.

The wrapper is applied to Gymnasium's AtariPreprocessing, which has Baselines' no-op frames at the
start of a game, frame skip, maximum and resizing. Frames, rewards, flags, lives, frame numbers and
the statistics of each ended game are bit-equal at every step, in every autoreset mode.
(test_atari_preprocessing.py tests Gymnasium's own `terminal_on_life_loss`.)
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import ale_py
import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.wrappers import AtariPreprocessing, FrameStackObservation

import envpool_py

from .atari_pair import AtariPair

pytestmark = pytest.mark.numbers

gymnasium.register_envs(ale_py)

MODES = ("NextStep", "SameStep", "Disabled")
ONE_MODE = ("SameStep", *(pytest.param(mode, marks=pytest.mark.long) for mode in MODES[::2]))


class Script(gymnasium.Wrapper[Any, Any, Any, Any]):
    """Wraps the emulator's frames: plays the actions of `script` first, if there are any."""

    def __init__(self, env: gymnasium.Env[Any, Any]) -> None:
        super().__init__(env)
        self.script: list[int] = []

    def step(self, action: int) -> Any:
        return self.env.step(self.script.pop(0) if self.script else action)


class EpisodicLife(gymnasium.Wrapper[Any, Any, Any, Any]):
    """Ends an episode when a life is lost, and resets the game only when it is over.

    Args:
        env: AtariPreprocessing around `frames`.
        frames: the wrapper that presses FIRE, in the last frame of a reset.
        fire: the number of the action FIRE; None: FIRE is not pressed.
        limit: steps after which a game is truncated; None: no limit.

    Attributes:
        games: the return and the steps of each ended game, and whether it ended in a reset.
    """

    def __init__(
        self, env: AtariPreprocessing, frames: Script, fire: int | None, limit: int | None
    ) -> None:
        super().__init__(env)
        self.frames, self.fire, self.limit = frames, fire, limit
        self.games: list[tuple[float, int, bool]] = []
        self.over = self.ended = True
        self.lives = self.steps = 0
        self.total = 0.0

    def step(self, action: int) -> Any:
        observation, reward, terminated, truncated, info = self.env.step(action)
        self.steps += 1
        self.total += float(reward)
        truncated = truncated or self.steps == self.limit
        self.over = terminated or truncated
        if self.over:
            self.games.append((self.total, self.steps, False))
        if 0 < info["lives"] < self.lives:
            terminated = True
        self.lives = info["lives"]
        self.ended = terminated or truncated
        return observation, reward, terminated, truncated, info

    def reset(self, *, seed: Any = None, options: Any = None) -> Any:
        if self.over or seed is not None:
            return self.begin(seed, options)
        skip = self.env.frame_skip
        self.frames.script = [] if self.fire is None else [0] * (skip - 1) + [self.fire]
        observation, _, terminated, truncated, info = self.env.step(0)
        if terminated or truncated:
            self.games.append((self.total, self.steps, True))
            return self.begin(None, options)
        self.lives = info["lives"]
        self.ended = False
        return observation, info

    def begin(self, seed: Any, options: Any) -> Any:
        # With noop_max=1, FIRE replaces the only no-op frame.
        self.frames.script = [] if self.fire is None else [self.fire]
        observation, info = self.env.reset(seed=seed, options=options)
        assert not self.frames.script
        self.over = self.ended = False
        self.steps, self.total, self.lives = 0, 0.0, info["lives"]
        return observation, info


class Pair(AtariPair):
    """Our pool and Baselines' wrappers, stepped alike and compared."""

    def __init__(self, game: str, *, autoreset: str, n: int, **options: Any) -> None:
        self.autoreset = autoreset
        fires = options.setdefault("use_fire_reset", False)
        assert not fires or options["noop_max"] == 1
        self.games = [0] * n
        super().__init__(
            f"{game}, {autoreset}, {options}",
            ours=envpool_py.make(
                f"{game}-v5",
                num_envs=n,
                autoreset_mode=autoreset,
                episodic_life=True,
                channel_order="last",
                record_episode_statistics=True,
                **options,
            ),
            theirs=SyncVectorEnv(
                [lambda: self.reference(game, **options)] * n,
                autoreset_mode=AutoresetMode(autoreset),
            ),
        )

    @staticmethod
    def reference(game: str, **options: Any) -> gymnasium.Env[Any, Any]:
        frames = Script(
            gymnasium.make(
                f"ALE/{game}-v5",
                frameskip=1,
                repeat_action_probability=options.get("repeat_action_probability", 0.0),
                max_num_frames_per_episode=options.get("max_num_frames_per_episode"),
            )
        )
        meanings = frames.unwrapped.get_action_meanings()  # type: ignore[attr-defined]
        env = AtariPreprocessing(
            frames,
            noop_max=options.get("noop_max", 30),
            frame_skip=options.get("frame_skip", 4),
            grayscale_obs=options.get("gray_scale", True),
        )
        life = EpisodicLife(
            env,
            frames,
            meanings.index("FIRE") if options["use_fire_reset"] else None,
            options.get("max_episode_steps"),
        )
        return FrameStackObservation(life, 4)

    def lives_of(self, env: int) -> EpisodicLife:
        life = self.theirs.envs[env].env
        assert isinstance(life, EpisodicLife)
        return life

    def equal_infos(self, ours: dict[str, Any], theirs: dict[str, Any], rows: Any = ...) -> None:
        for name in ("lives", "frame_number", "episode_frame_number"):
            self.equal(name, ours[name], theirs[name], rows)

    def equal_games(self, infos: dict[str, Any]) -> None:
        """Compares the games that ended in this call."""
        ended = infos.get("_episode", np.zeros(len(self.games), bool))
        for env, seen in enumerate(self.games):
            games = self.lives_of(env).games[seen:]
            assert len(games) == int(ended[env]), (self.where, self.step, env)
            for total, steps, in_reset in games:
                assert infos["episode"]["r"][env] == total
                assert infos["episode"]["l"][env] == steps
                assert infos["episode"]["t"][env] > 0
                self.counts["games"] += 1
                self.counts["games ended by a reset"] += in_reset
            self.games[env] += len(games)

    def reset(self, seed: Any = None, mask: np.ndarray | None = None) -> None:
        options = None if mask is None else {"reset_mask": mask}
        ours = self.ours.reset(seed=seed, options=dict(options) if options else None)
        for env in range(len(self.games)):
            life = self.lives_of(env)
            if (mask is None or mask[env]) and not (self.autoreset == "Disabled" and life.ended):
                life.over = True  # no episode ended: begin a new game
        theirs = self.theirs.reset(seed=seed, options=options)
        rows = ... if mask is None else mask
        self.equal("observation", ours[0], theirs[0], rows)
        self.equal("elapsed_step", ours[1]["elapsed_step"], 0 * ours[1]["lives"], rows)
        self.equal_infos(ours[1], theirs[1], rows)
        self.equal_games(ours[1])

    def act(self, actions: np.ndarray) -> None:
        ours, theirs, ended = self.step_both(actions)
        self.equal_infos(ours, theirs)
        self.equal_games(ours)
        if self.autoreset == "SameStep" and ended.any():
            final = np.stack(list(theirs["final_obs"][ended]))
            self.equal("final_obs", ours["final_obs"][ended], final)
            self.equal_infos(ours["final_info"], theirs["final_info"], ended)
        if self.autoreset == "Disabled" and ended.any():
            self.reset(mask=ended)

    def run(self, seed: int, steps: int) -> Counter[str]:
        rng = np.random.default_rng(seed)
        self.reset(seed=seed)
        for _ in range(steps):
            self.act(rng.integers(self.ours.single_action_space.n, size=len(self.games)))
        assert self.ours.stats()["episodes"] == sum(self.counts[k] for k in ("ended",))
        self.close()
        return self.counts

    def step_both(self, actions: np.ndarray) -> tuple[dict[str, Any], dict[str, Any], np.ndarray]:
        result = super().step_both(actions)
        self.counts["ended"] += int(result[2].sum())
        return result


FIRE = {"use_fire_reset": True, "noop_max": 1}
CASES: dict[str, tuple[str, dict[str, Any]]] = {
    "Breakout": ("Breakout", {}),
    "pressing FIRE": ("Breakout", FIRE),
    "without idle frames": ("Breakout", {"noop_max": 0}),
    "every frame": ("Breakout", {"frame_skip": 1, "noop_max": 5}),
    "every frame, pressing FIRE": ("Breakout", {"frame_skip": 1, **FIRE}),
    "sticky": ("Breakout", {"repeat_action_probability": 0.25}),
    "in colour": ("Breakout", {"gray_scale": False, "frame_skip": 3}),
    "no lives before the end": ("Qbert", {"frame_skip": 8}),
    "many lives": ("Seaquest", {"frame_skip": 10, **FIRE}),
    "one life": ("Pong", {"frame_skip": 20}),
}


@pytest.mark.sampled("mode")
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", CASES)
def test_lives_and_games(name: str, mode: str) -> None:
    game, options = CASES[name]
    steps = {"Breakout": 350, "Qbert": 300, "Seaquest": 350, "Pong": 250}[game]
    steps *= 3 if options.get("frame_skip") == 1 else 1
    counts = Pair(game, autoreset=mode, n=2, **options).run(4, steps)
    assert counts["games"] >= 1
    assert counts["ended"] > counts["games"] or game == "Pong"


@pytest.mark.long
def test_the_games_of_1200_steps() -> None:
    """As many games end as with Baselines' wrapper, so lost lives do not begin new games."""
    counts = Pair("Breakout", autoreset="NextStep", n=8, **FIRE).run(0, 1_200)
    assert counts["games"] >= 40
    assert counts["ended"] >= 4 * counts["games"]


@pytest.mark.parametrize("mode", MODES)
def test_the_limit_of_steps_is_that_of_a_game(mode: str) -> None:
    counts = Pair("Breakout", autoreset=mode, n=2, max_episode_steps=60).run(1, 300)
    assert counts["truncated"] >= 6
    assert counts["terminated"] > 0


@pytest.mark.parametrize("mode", ONE_MODE)
def test_the_limit_of_frames_is_that_of_a_game(mode: str) -> None:
    """Some games are truncated in the frames of a reset that continues them."""
    limit = {"max_num_frames_per_episode": 330, "frame_skip": 30, "noop_max": 29}
    counts = Pair("Breakout", autoreset=mode, n=4, **limit).run(1, 200)
    assert counts["truncated"] > 10
    assert counts["games ended by a reset"] > 0


@pytest.mark.parametrize("mode", ONE_MODE)
def test_resets_at_any_time(mode: str) -> None:
    """A reset begins a new game, unless it follows the end of an episode and has no seed."""
    pair = Pair("Breakout", autoreset=mode, n=3, **FIRE)
    rng = np.random.default_rng(2)
    pair.reset(seed=7)
    for round_ in range(24):
        for _ in range(int(rng.integers(25))):
            pair.act(rng.integers(4, size=3))
        mask = rng.integers(2, size=3).astype(bool)
        seed = [None, None, 5, [9, None, 3]][round_ % 4]
        if round_ % 2 and mask.any() and not isinstance(seed, int):
            pair.reset(mask=mask, seed=seed)
        else:
            pair.reset(seed=seed)
    assert pair.counts["ended"] > 3
    pair.close()


def test_a_reset_in_the_middle_of_a_life() -> None:
    with envpool_py.make("Breakout-v5", num_envs=2, seed=0, episodic_life=True, noop_max=1) as pool:
        first = pool.reset()[1]["frame_number"]
        pool.step([1, 1])
        infos = pool.reset(options={"reset_mask": np.array([True, False])})[1]
        assert infos["episode_frame_number"].tolist() == [first[0], first[1] + 4]
        assert infos["elapsed_step"].tolist() == [0, 1]


def test_a_reset_after_a_lost_life() -> None:
    arguments: dict[str, Any] = {"seed": 0, "noop_max": 1, "autoreset_mode": "Disabled"}
    with envpool_py.make("Breakout-v5", num_envs=1, episodic_life=True, **arguments) as pool:
        first = pool.reset()[1]["frame_number"][0]
        while True:
            *_, ended, _, before = pool.step([0])
            if ended[0]:
                break
        infos = pool.reset()[1]
        # One step of four frames: no-op, and FIRE in the last one.
        assert infos["frame_number"][0] == before["frame_number"][0] + 4
        assert infos["lives"][0] == 4
        pool.step([0])
        assert pool.reset(seed=0)[1]["episode_frame_number"][0] == first


def test_a_lost_life_that_is_reported_too() -> None:
    """`life_loss_info` changes nothing, because the lost life has already ended the episode."""
    pools = [
        envpool_py.make("Breakout-v5", num_envs=2, seed=1, episodic_life=True, life_loss_info=info)
        for info in (False, True)
    ]
    results = [[pool.reset()[0]] for pool in pools]
    for step in range(150):
        for pool, seen in zip(pools, results, strict=True):
            seen.extend(pool.step([step % 4, 3 - step % 4])[:4])
    for ours, theirs in zip(*results, strict=True):
        assert np.array_equal(ours, theirs)
    for pool in pools:
        pool.close()


def test_lives_are_episodes_of_dm_env() -> None:
    pool = envpool_py.make_dm("Breakout-v5", num_envs=3, seed=2, episodic_life=True)
    plain = envpool_py.make_dm("Breakout-v5", num_envs=3, seed=2)
    pool.reset()
    plain.reset()
    lives, games, before = 0, 0, None
    for _ in range(600):
        now = pool.step(np.zeros(3, np.int64))
        observation = now.observation
        if before is not None:
            last = before.step_type == 2
            assert np.array_equal(last, now.step_type == 0)
            # The game continues unless it was over.
            kept = last & (before.observation.lives > 0)
            assert np.array_equal(observation.lives[kept], before.observation.lives[kept])
            assert (observation.lives[last & ~kept] == 5).all()
            lives, games = lives + int(kept.sum()), games + int((last & ~kept).sum())
            assert (observation.elapsed_step[now.step_type == 0] == 0).all()
        assert (now.discount[now.step_type == 2] == 0.0).all()
        before = now
    assert lives > 10
    assert games > 2
    pool.close()
    plain.close()


def test_pictures_of_a_continued_game() -> None:
    """The picture follows the reset's frames, whichever of these the observation uses."""
    options: dict[str, Any] = {
        "num_envs": 2,
        "seed": 3,
        "episodic_life": True,
        "render_mode": "rgb_array",
    }
    with envpool_py.make("Breakout-v5", frame_skip=7, **options) as pool:
        pool.reset()
        seen = 0
        for step in range(150):
            *_, infos = pool.step([step % 4, (step + 1) % 4])
            again = pool.render()
            assert np.array_equal(again, pool.render())
            seen += int((infos["elapsed_step"] == 0).sum())
        assert seen > 3
