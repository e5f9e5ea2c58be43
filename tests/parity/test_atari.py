"""Atari games on our console against ale-py's: screen, RAM, reward, lives, ends, frame by frame."""

from __future__ import annotations

import numpy as np
import pytest

from envpool_py import _atari
from envpool_py.atari.tools import reference
from envpool_py.atari.tools.lockstep import Lockstep, Play, Setup, random_play

GAMES = _atari.games()
# Games whose state ale-py itself cannot restore, with the reason.
NO_RESTORE = {
    "miniature_golf": "ale-py saves the hole, its par and the strokes as truth values",
}


def test_the_reference_is_the_one_that_we_follow() -> None:
    assert reference.VERSION == "0.12.1"
    assert len(GAMES) == 104


@pytest.mark.parametrize("game", GAMES)
def test_a_short_play(game: str) -> None:
    number = GAMES.index(game)
    sticky = number // 2 % 2 == 0
    pair = Lockstep(Setup(game, seed=number, repeat_action_probability=0.25 if sticky else 0.0))
    rng = np.random.default_rng(number)
    play = Play(full_actions=number % 2 == 1)
    assert random_play(pair, 150, rng, play) is None
    states = pair.snapshot(with_random=sticky)
    assert random_play(pair, 150, rng, play) is None
    if game not in NO_RESTORE:
        assert pair.restore(states) is None
    assert random_play(pair, 100, rng, play) is None
    assert pair.reset() is None
    assert random_play(pair, 20, rng, play) is None
