"""Atari games: our console against ale-py's, in screen, RAM, reward, lives and ends, per frame.

`make test` plays half of the games briefly. The long tests cover the uses of agents, searches and
experiments: both action sets, sticky actions or none, episodes that end, are reset or truncated,
restored states, paddles with any strength, and every variant.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from envpool_py import _atari
from tools.atari import reference
from tools.atari.lockstep import Difference, Lockstep, Play, Setup, random_play
from tools.atari.report import report

pytestmark = pytest.mark.numbers

GAMES = _atari.games()
# Games whose state ale-py itself cannot restore, with the reason.
NO_RESTORE = {
    "miniature_golf": "ale-py saves the hole, its par and the strokes as truth values",
}
LONG_FRAMES = 20_000
VARIANT_FRAMES = 1_000


def check(difference: Difference | None) -> None:
    if difference is not None:
        pytest.fail(report(difference), pytrace=False)


def test_the_reference_is_the_one_that_we_follow() -> None:
    assert reference.VERSION == "0.12.1"
    assert len(GAMES) == 104


# `make test` plays half of the games here, and the other half in test_ale_ids.py as tasks.
@pytest.mark.parametrize(
    "game",
    [pytest.param(each, marks=[pytest.mark.long] * (i % 2 == 0)) for i, each in enumerate(GAMES)],
)
def test_a_short_play(game: str) -> None:
    number = GAMES.index(game)
    sticky = number // 2 % 2 == 0
    pair = Lockstep(Setup(game, seed=number, repeat_action_probability=0.25 if sticky else 0.0))
    about = _atari.describe_game(game)
    assert about["minimal_actions"] == pair.theirs.minimal_actions
    assert about["legal_actions"] == pair.theirs.legal_actions
    assert about["modes"] == pair.theirs.modes
    assert about["difficulties"] == pair.theirs.difficulties

    rng = np.random.default_rng(number)
    play = Play(full_actions=number // 4 % 2 == 1)
    check(random_play(pair, 150, rng, play))
    states = pair.snapshot(with_random=sticky)
    check(random_play(pair, 150, rng, play))
    if game not in NO_RESTORE:
        check(pair.restore(states))
    check(random_play(pair, 100, rng, play))
    check(pair.reset())
    check(random_play(pair, 20, rng, play))


@pytest.mark.parametrize("limit", [0, 301])
@pytest.mark.parametrize("frame_skip", [2, 5])
@pytest.mark.parametrize("game", ["breakout", "seaquest", "skiing", "tetris"])
def test_frames_are_skipped_alike(game: str, frame_skip: int, limit: int) -> None:
    setup = Setup(game, seed=7, frame_skip=frame_skip, max_num_frames_per_episode=limit)
    play = Play(new_action=0.7, save=0.05, restore=0.02)
    check(random_play(Lockstep(setup), 150, np.random.default_rng(frame_skip), play))


def long_play(
    game: str, seed: int, *, restores: bool, frames: int = LONG_FRAMES
) -> Difference | None:
    """Plays in one of three ways, chosen by the seed; over all games every setting occurs."""
    number = GAMES.index(game)
    setup = Setup(
        game,
        seed=seed,
        repeat_action_probability=0.25 if (seed + number) % 2 == 0 else 0.0,
        max_num_frames_per_episode=2_500 if seed == 2 else 0,
        truncate_on_loss_of_life=seed == 2 and number % 2 == 1,
    )
    play = Play(
        full_actions=seed == 1 or (seed == 2 and number // 2 % 2 == 0),
        new_action=(0.3, 0.6, 0.1)[seed],
        reset=1 / 3_000,
        save=1 / 200,
        restore=1 / 300 if restores else 0.0,
        strengths=seed > 0 and _atari.describe_game(game)["paddles"],
    )
    return random_play(Lockstep(setup), frames, np.random.default_rng([seed, number]), play)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("game", GAMES)
def test_a_long_play(game: str, seed: int) -> None:
    check(long_play(game, seed, restores=game not in NO_RESTORE))


@pytest.mark.long
@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("game", [game for game in GAMES if game not in NO_RESTORE])
def test_states_are_returned_to(game: str, seed: int) -> None:
    pair = Lockstep(Setup(game, seed=seed))
    play = Play(full_actions=seed == 1, reset=1 / 250, save=1 / 25, restore=1 / 25)
    rng = np.random.default_rng([seed, GAMES.index(game)])
    check(random_play(pair, 3_000, rng, play))


def play_variants(game: str, frames: int = VARIANT_FRAMES) -> Iterator[Difference]:
    """Plays every mode at every difficulty in turn; yields the differences."""
    about = _atari.describe_game(game)
    number = GAMES.index(game)
    rng = np.random.default_rng(number)
    pair: Lockstep | None = None
    for mode in about["modes"]:
        for difficulty in about["difficulties"]:
            if pair is None:
                pair = Lockstep(Setup(game, seed=number))
            play = Play(full_actions=(mode + difficulty) % 2 == 1, reset=1 / 700)
            difference = pair.set_variant(mode, difficulty)
            if difference is None:
                difference = random_play(pair, frames, rng, play)
            if difference is not None:
                yield difference
                pair = None  # the two consoles can no longer be compared


@pytest.mark.long
@pytest.mark.parametrize("game", GAMES)
def test_every_variant(game: str) -> None:
    assert [str(difference) for difference in play_variants(game)] == []
