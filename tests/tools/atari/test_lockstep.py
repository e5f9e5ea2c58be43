"""Two consoles stepped side by side, and their first difference."""

from __future__ import annotations

import numpy as np
import pytest

from tools.atari.lockstep import Lockstep, Play, Setup, random_play

from .plays import changed_pair


def test_equal_consoles_stay_equal() -> None:
    pair = Lockstep(Setup("breakout", seed=5, max_num_frames_per_episode=90))
    play = Play(full_actions=True, reset=0.02, save=0.05, restore=0.05, strengths=True)
    assert random_play(pair, 300, np.random.default_rng(1), play) is None
    assert pair.frame == 300
    assert pair.set_variant(4, 1) is None
    assert (pair.ours.mode, pair.theirs.difficulty) == (4, 1)


def test_a_byte_of_memory_that_differs_is_named() -> None:
    pair = changed_pair(0x95)
    difference = pair.compare("a change")
    assert difference is not None
    (field,) = difference.fields
    ours = pair.ours.ram()[0x15]
    assert field == f"RAM: $95 is 0x{ours:02X}, theirs 0x{ours ^ 0xFF:02X}"
    assert difference.row is None
    assert str(difference).startswith(
        "pong mode 0 difficulty 0 seed 3 sticky 0.25 frame 50, after a change: RAM: $95"
    )


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("terminal", True),
        ("truncated", True),
        ("lives", 7),
        ("frame_number", -1),
        ("episode_frame_number", -1),
        ("mode", 1),
        ("difficulty", 1),
    ],
)
def test_every_field_is_compared(name: str, value: int, monkeypatch: pytest.MonkeyPatch) -> None:
    pair = Lockstep(Setup("pong"))
    monkeypatch.setattr(type(pair.theirs), name, property(lambda self: value))
    difference = pair.act(0)
    assert difference is not None
    (field,) = difference.fields
    assert field.startswith(f"{name} ")
    assert field.endswith(f"theirs {value}")


def test_a_reward_that_differs_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    pair = Lockstep(Setup("pong"))
    act = pair.theirs.act
    monkeypatch.setattr(pair.theirs, "act", lambda *arguments: act(*arguments) + 3)
    difference = pair.act(0)
    assert difference is not None
    assert difference.fields == ("reward 0, theirs 3",)


def test_a_picture_of_another_height_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    pair = Lockstep(Setup("pong"))
    monkeypatch.setattr(pair.theirs, "screen", lambda: np.zeros((250, 160), np.uint8))
    difference = pair.compare("a look")
    assert difference is not None
    assert difference.fields == ("screen of shape (210, 160), theirs (250, 160)",)


def test_restores_with_and_without_the_generator_are_followed() -> None:
    pair = Lockstep(Setup("pong", seed=9, repeat_action_probability=0.5))
    rng = np.random.default_rng(4)
    for with_random in (False, True):
        states = pair.snapshot(with_random=with_random)
        assert random_play(pair, 40, rng) is None
        assert pair.restore(states) is None
        assert random_play(pair, 40, rng) is None


def test_variants_that_are_over_at_once_are_not_only_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    pair = Lockstep(Setup("pong", max_num_frames_per_episode=1))
    resets = []
    reset = pair.reset
    monkeypatch.setattr(pair, "reset", lambda: resets.append(pair.frame) or reset())
    assert random_play(pair, 400, np.random.default_rng(2)) is None
    assert 1 <= len(resets) <= 25
