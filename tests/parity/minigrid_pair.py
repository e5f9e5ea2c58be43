"""Records MiniGrid's own environments once; replays them in our pools in every autoreset mode."""

from __future__ import annotations

import contextlib
import io
import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import gymnasium
import minigrid  # noqa: F401  # registers the reference's ids
import numpy as np
from minigrid.utils.baby_ai_bot import BabyAIBot
from minigrid.wrappers import FullyObsWrapper

import envpool_py

MODES = ("NextStep", "SameStep", "Disabled")
Actor = Callable[[Any], int]


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Suppresses the reference's output, a line for each rejected level."""
    with contextlib.redirect_stdout(io.StringIO()):
        yield


def make_reference(task_id: str, **options: Any) -> Any:
    """Returns the unwrapped environment, because Gymnasium's wrappers only take time."""
    return gymnasium.make(task_id, disable_env_checker=True, **options).unwrapped


def full_grid(env: Any) -> np.ndarray[Any, Any]:
    """Returns the whole grid; an observation shows only a part."""
    full: np.ndarray[Any, Any] = FullyObsWrapper(env).observation({"image": None})["image"]
    return full


@dataclass
class Episode:
    """An episode of one environment.

    Attributes:
        first: the observation of the reset.
        steps: for each step: action, observation, reward, terminated, truncated.
    """

    first: Any
    steps: list[tuple[int, Any, float, bool, bool]] = field(default_factory=list)

    @property
    def is_over(self) -> bool:
        return bool(self.steps) and (self.steps[-1][3] or self.steps[-1][4])


def random_actor(seed: int, number: int) -> Actor:
    """Returns a policy of random actions, mostly forward, so that more of the grid is seen."""
    rng = np.random.default_rng([seed, 11])
    weights = np.array([3, 3, 8, 3, 2, 3, 0.3])[:number]
    weights /= weights.sum()
    return lambda env: int(rng.choice(number, p=weights))


class Bot:
    """Solves BabyAI's missions with the reference's solver.

    The solver raises an exception for missions that it gives up. This class raises RuntimeError if
    the solver does not finish.
    """

    MOST_SEARCHES = 1_000  # per action; normally there are a few

    def __init__(self) -> None:
        self._mission: Any = None
        self._bot: Any = None
        self._last: int | None = None
        self._searches = 0

    def __call__(self, env: Any) -> int:
        if self._mission is not env.instrs:
            self._mission, self._bot, self._last = env.instrs, BabyAIBot(env), None
            self._bot._shortest_path = self._bounded(self._bot._shortest_path)
        self._searches = 0
        self._last = int(self._bot.replan(self._last))
        return self._last

    def _bounded(self, search: Any) -> Any:
        def shortest_path(*arguments: Any, **options: Any) -> Any:
            self._searches += 1
            if self._searches > self.MOST_SEARCHES:
                raise RuntimeError("the bot ponders without end")
            return search(*arguments, **options)

        return shortest_path


class EndlessLevelError(Exception):
    """The reference never finishes drawing: an object or the agent has no possible position."""


# A level that needs many attempts takes some 10,000 draws.
MOST_DRAWS = 500_000


def _reset(env: Any, **arguments: Any) -> Any:
    """Resets the reference and returns its observation.

    Raises:
        EndlessLevelError: it has drawn more than `MOST_DRAWS` integers.
    """
    if not hasattr(env, "_rand_int"):  # wrapped
        return env.reset(**arguments)[0]
    draw = env._rand_int
    drawn = itertools.count()

    def bounded(low: int, high: int) -> Any:
        if next(drawn) == MOST_DRAWS:
            raise EndlessLevelError
        return draw(low, high)

    env._rand_int = bounded
    try:
        return env.reset(**arguments)[0]
    finally:
        del env._rand_int


def record(
    env: Any, seed: int, steps: int, act: Actor, episodes: int | None = None
) -> list[Episode]:
    """Plays `steps` steps, or until `episodes` episodes have ended.

    Raises:
        EndlessLevelError: a reset of the reference does not end.
    """
    with quiet():
        played = [Episode(_reset(env, seed=seed))]
        ended = 0
        for _ in range(steps):
            if played[-1].is_over:
                played.append(Episode(_reset(env)))
            action = act(env)
            observation, reward, terminated, truncated, _ = env.step(action)
            played[-1].steps.append((action, observation, float(reward), terminated, truncated))
            ended += played[-1].is_over
            if ended == episodes:
                break
        if played[-1].is_over:  # a pool would reset too
            played.append(Episode(_reset(env)))
    return played


def difference(ours: Any, row: int, theirs: Any) -> str | None:
    """Returns a description of how a batch's row differs from an observation of the reference."""
    if not isinstance(theirs, dict):
        return None if np.array_equal(ours[row], theirs) else "the observation"
    assert ours.keys() == theirs.keys()
    for name, value in theirs.items():
        mine = ours[name][row]
        if isinstance(value, str):
            if mine != value:
                return f"{name}: {mine!r}, expected {value!r}"
        elif not np.array_equal(mine, value):
            return f"{name}: {np.argwhere(np.asarray(mine != value))[:3].tolist()} differ"
    return None


def _assert_row(ours: Any, row: int, theirs: Any, where: str) -> None:
    what = difference(ours, row, theirs)
    assert what is None, f"{where}, environment {row}: {what}"


class _Cursor:
    """A position in an environment's recorded episodes."""

    def __init__(self, episodes: list[Episode]) -> None:
        self._episodes = episodes
        self._episode = 0
        self._step = 0

    @property
    def at_end(self) -> bool:
        return self._episode == len(self._episodes)

    def is_over(self) -> bool:
        return self._step == len(self._current.steps)

    @property
    def _current(self) -> Episode:
        return self._episodes[self._episode]

    @property
    def action(self) -> int:
        return 0 if self.at_end or self.is_over() else self._current.steps[self._step][0]

    def step(self) -> tuple[int, Any, float, bool, bool]:
        self._step += 1
        return self._current.steps[self._step - 1]

    def begin_next(self) -> Any:
        """Goes to the next episode; returns its first observation, or None after the last one."""
        self._episode, self._step = self._episode + 1, 0
        return None if self.at_end else self._current.first

    def stop_at_end(self) -> None:
        """Moves to the end after the last recorded step of an unfinished episode."""
        if not self.at_end and self.is_over() and not self._current.is_over:
            self._episode = len(self._episodes)


def replay(
    task_id: str,
    seeds: Sequence[int],
    recorded: Sequence[list[Episode]],
    mode: str,
    **options: Any,
) -> int:
    """Plays recorded actions in our pool and asserts equality; returns how many episodes ended."""
    ended = 0
    with envpool_py.make(
        task_id, num_envs=len(seeds), num_threads=2, autoreset_mode=mode, **options
    ) as pool:
        observations, _ = pool.reset(seed=list(seeds))
        cursors = [_Cursor(episodes) for episodes in recorded]
        for row, episodes in enumerate(recorded):
            _assert_row(observations, row, episodes[0].first, f"{task_id}, {mode}, first")
        for step in range(10 * sum(len(e.steps) + 1 for e in max(recorded, key=len)) + 1000):
            # Environments at the end of their recording are not stepped.
            playing = [row for row, cursor in enumerate(cursors) if not cursor.at_end]
            if not playing:
                return ended
            where = f"{task_id}, {mode}, step {step}"
            actions = np.array([cursors[row].action for row in playing])
            observations, rewards, terminated, truncated, infos = pool.step(
                actions, env_id=np.array(playing)
            )
            restart = np.zeros(len(seeds), bool)
            for at, row in enumerate(playing):
                cursor = cursors[row]
                flags = bool(terminated[at]), bool(truncated[at])
                if cursor.is_over():  # NextStep mode: this step resets
                    first = cursor.begin_next()
                    if first is not None:
                        _assert_row(observations, at, first, where)
                        assert (rewards[at], *flags) == (0.0, False, False), where
                    continue
                _, last, reward, *expected = cursor.step()
                assert (rewards[at], *flags) == (reward, *expected), f"{where}, row {row}"
                ended += any(flags)
                if mode == "SameStep" and any(flags):
                    assert infos["_final_obs"][at], where
                    _assert_row(infos["final_obs"], at, last, f"{where}, final")
                    first = cursor.begin_next()
                    if first is not None:
                        _assert_row(observations, at, first, where)
                else:
                    _assert_row(observations, at, last, where)
                    restart[row] = any(flags)
                cursor.stop_at_end()
            if mode == "Disabled" and restart.any():
                observations, _ = pool.reset(options={"reset_mask": restart})
                for row in np.flatnonzero(restart):
                    first = None if cursors[row].at_end else cursors[row].begin_next()
                    if first is not None:
                        _assert_row(observations, row, first, f"{where}, reset")
    raise AssertionError(f"{task_id}, {mode}: the replay does not come to an end")
