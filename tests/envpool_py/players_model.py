"""Testing/Players-v0 and Testing/FixedPlayers-v0 in plain Python, one environment at a time.

The oracle for the tests of players. It keeps the players in a dict and has no rows.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

STEP_LIMIT = 12


@dataclass
class Seen:
    """The part of a result that belongs to one player."""

    env: int
    player: int
    age: int
    sight: float
    reward: float = 0.0
    terminated: bool = False
    truncated: bool = False

    @property
    def mask(self) -> list[int]:
        """Marks the player's legal actions."""
        return [int((self.age + action) % 3 != 2) for action in range(3)]

    @property
    def bonus(self) -> list[float] | None:
        """Returns an info that the player has only at odd ages."""
        return [float(self.age), float(self.player)] if self.age % 2 else None


@dataclass
class Frame:
    """The part of a result that belongs to one environment."""

    env: int
    elapsed: int
    left: int  # number of players that take part in the next step
    players: dict[int, Seen]
    terminated: bool = False
    truncated: bool = False

    @property
    def over(self) -> bool:
        """Tells whether the episode has ended."""
        return self.terminated or self.truncated


@dataclass
class Model:
    """Simulates one environment; `step` and `reset` return its frame."""

    env: int
    seed: int
    vary: bool
    most: int = 4
    leave: float = 0.2
    join: float = 0.3
    end: float = 0.1
    # Age and sight of each player that takes part in the next step.
    playing: dict[int, tuple[int, float]] = field(default_factory=dict)
    elapsed: int = 0
    returns: dict[int, float] = field(default_factory=dict)
    lengths: dict[int, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.rng = np.random.default_rng(self.seed)

    def reset(self) -> Frame:
        """Begins an episode."""
        self.playing = {}
        self.elapsed = 0
        self.returns = dict.fromkeys(range(self.most), 0.0)
        self.lengths = dict.fromkeys(range(self.most), 0)
        for player in range(self.most):
            if not self.vary or self.rng.random() < 0.6:
                self.playing[player] = (0, self.rng.random())
        return self._frame({})

    def step(self, actions: dict[int, int]) -> Frame:
        """Steps; `actions` has one action for each player that takes part."""
        assert actions.keys() == self.playing.keys()
        self.elapsed += 1
        seen: dict[int, Seen] = {}
        for player in range(self.most):
            if player not in actions:
                if self.vary and self.rng.random() < self.join:
                    self.playing[player] = (0, self.rng.random())
                continue
            age = self.playing[player][0] + 1
            reward = float(actions[player]) + self.rng.random()
            self.playing[player] = (age, self.rng.random())
            seen[player] = Seen(self.env, player, *self.playing[player], reward)
            self.returns[player] += reward
            self.lengths[player] += 1
            if self.vary and self.rng.random() < self.leave:
                del self.playing[player]
                if self.rng.random() < 0.5:
                    seen[player].terminated = True
                else:
                    seen[player].truncated = True
        terminated = truncated = False
        if self.rng.random() < self.end:
            terminated = self.rng.random() < 0.5
            truncated = not terminated
        truncated = truncated or self.elapsed >= STEP_LIMIT
        frame = self._frame(seen)
        frame.terminated, frame.truncated = terminated, truncated
        if frame.over:
            for each in frame.players.values():
                if not (each.terminated or each.truncated):
                    each.terminated, each.truncated = terminated, truncated
        return frame

    def _frame(self, seen: dict[int, Seen]) -> Frame:
        joined = {
            player: Seen(self.env, player, *state)
            for player, state in self.playing.items()
            if player not in seen
        }
        players = dict(sorted({**seen, **joined}.items()))
        return Frame(self.env, self.elapsed, len(self.playing), players)


@dataclass
class Result:
    """The part of a batch that belongs to one environment."""

    frame: Frame
    rewards: dict[int, float]
    flags: dict[int, tuple[bool, bool]]
    terminated: bool = False
    truncated: bool = False
    final: Frame | None = None
    episode: tuple[dict[int, float], dict[int, int]] | None = None


class Autoreset:
    """A model under an autoreset mode; in Disabled mode the caller resets."""

    def __init__(self, model: Model, mode: str) -> None:
        self.model, self.mode = model, mode
        self.frame: Frame
        self.results = 0

    def reset(self) -> Result:
        """Resets on the caller's request."""
        self.frame = self.model.reset()
        return Result(self.frame, {}, {})

    def actions(self) -> list[int]:
        """Returns one action for each player of the latest result."""
        self.results += 1
        return [
            (7 * self.frame.env + 3 * player + self.results) % 3 for player in self.frame.players
        ]

    def step(self, actions: list[int]) -> Result:
        """Steps with one action for each player of the latest result."""
        if self.mode == "NextStep" and self.frame.over:
            return self.reset()
        chosen = dict(zip(self.frame.players, actions, strict=True))
        playing = {player: chosen[player] for player in self.model.playing}
        self.frame = frame = self.model.step(playing)
        result = Result(
            frame,
            {player: each.reward for player, each in frame.players.items()},
            {player: (each.terminated, each.truncated) for player, each in frame.players.items()},
            frame.terminated,
            frame.truncated,
        )
        if frame.over:
            result.episode = (self.model.returns, self.model.lengths)
            if self.mode == "SameStep":
                result.final = frame
                result.frame = self.frame = self.model.reset()
        return result


def assert_players(
    observations: Any, players: dict[str, Any], frames: list[Frame], what: str
) -> None:
    """Asserts that rows belong to the players of some frames, in their order."""
    rows = [each for frame in frames for each in frame.players.values()]
    same = np.testing.assert_array_equal
    same(players["env_id"], [each.env for each in rows], what)
    same(players["id"], [each.player for each in rows], what)
    age = np.array([[each.player, each.age] for each in rows], np.int32).reshape(-1, 2)
    same(observations["age"], age, what)
    same(observations["sight"], np.array([each.sight for each in rows]), what)
    assert observations["age"].dtype == np.int32
    if rows:
        same(players["action_mask"], [each.mask for each in rows], what)
        assert players["_action_mask"].all()
    bonus = [each.bonus for each in rows]
    if any(each is not None for each in bonus):
        same(players["_bonus"], [each is not None for each in bonus], what)
        same(players["bonus"], np.array([each or [0, 0] for each in bonus], np.float32), what)
    else:
        assert "bonus" not in players


def assert_result(result: tuple[Any, ...], expected: list[Result], vary: bool) -> None:
    """Asserts that a step's result equals those expected of its environments, in this order."""
    observations, rewards, terminated, truncated, infos = result
    frames = [each.frame for each in expected]
    same = np.testing.assert_array_equal
    same(infos["env_id"], [frame.env for frame in frames])
    same(infos["elapsed_step"], [frame.elapsed for frame in frames])
    same(infos["players_left"], [frame.left for frame in frames])
    same(terminated, [each.terminated for each in expected])
    same(truncated, [each.truncated for each in expected])
    assert_players(observations, infos["players"], frames, "result")
    pairs = [(each, player) for each in expected for player in each.frame.players]
    same(rewards, np.array([each.rewards.get(player, 0.0) for each, player in pairs]))
    assert rewards.dtype == np.float64
    flags = [each.flags.get(player, (False, False)) for each, player in pairs]
    same(_pairs_of(infos["players"]), np.array(flags, bool).reshape(-1, 2))
    _assert_final(infos, expected, vary)


def _pairs_of(players: dict[str, Any]) -> NDArray[np.bool_]:
    return np.stack([players["terminated"], players["truncated"]], axis=1)


def _assert_final(infos: dict[str, Any], expected: list[Result], vary: bool) -> None:
    finals = [each.final for each in expected]
    if all(final is None for final in finals):
        assert "final_obs" not in infos
        return
    same = np.testing.assert_array_equal
    ended = [final is not None for final in finals]
    same(infos["_final_obs"], ended)
    final_info = infos["final_info"]
    players, observations = final_info["players"], infos["final_obs"]
    if not vary:  # aligned with the observations; zeros where no episode has ended
        same(players["env_id"], infos["players"]["env_id"])
        same(players["id"], infos["players"]["id"])
        kept = np.repeat(ended, len(players["id"]) // len(ended))
        for value in (players["reward"], players["terminated"], *observations.values()):
            assert not value[~kept].any()
        players = {name: value[kept] for name, value in players.items()}
        observations = {name: value[kept] for name, value in observations.items()}
    frames = [final for final in finals if final is not None]
    assert_players(observations, players, frames, "final")
    rows = [each for frame in frames for each in frame.players.values()]
    same(players["reward"], np.array([each.reward for each in rows]))
    flags = [(each.terminated, each.truncated) for each in rows]
    same(_pairs_of(players), np.array(flags, bool).reshape(-1, 2))
    same(final_info["elapsed_step"][ended], [frame.elapsed for frame in frames])


def assert_episodes(infos: dict[str, Any], expected: list[Result]) -> None:
    """Asserts the statistics of the episodes that ended."""
    if all(each.episode is None for each in expected):
        assert "episode" not in infos
        return
    ended = np.array([each.episode is not None for each in expected])
    np.testing.assert_array_equal(infos["_episode"], ended)
    episode = infos["episode"]
    for row, each in enumerate(expected):
        returns, lengths = each.episode or ({}, {})
        count = episode["players"]["r"].shape[1]
        mine = [returns.get(player, 0.0) for player in range(count)]
        np.testing.assert_array_equal(episode["players"]["r"][row], mine)
        own = [lengths.get(player, 0) for player in range(count)]
        np.testing.assert_array_equal(episode["players"]["l"][row], own)
        np.testing.assert_allclose(episode["r"][row], sum(mine), rtol=1e-12)
