"""The actions for the keys of `envpool-py play`, without a window."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest

from envpool_py.cli.controls import Axes, Controls, controls_of
from envpool_py.cli.output import UsageError
from envpool_py.tasks import registry
from envpool_py.tasks.catalog import list_all_envs
from envpool_py.tasks.families.atari.controls import Joystick
from envpool_py.tasks.manifest import Family, Keys
from envpool_py.tasks.spec import make_spec

ALE_KEYS = {"w": "up", "a": "left", "s": "down", "d": "right", " ": "space"}


def controls(task_id: str, **options: Any) -> Controls:
    return controls_of(make_spec(task_id, **options), options)


@pytest.mark.parametrize(
    ("task_id", "actions"),
    [
        ("CartPole-v1", {"left": 0, "right": 1}),
        ("MountainCar-v0", {"left": 0, "right": 2, "": 1}),
        ("Acrobot-v1", {"left": 0, "right": 2, "": 1}),
        ("FrozenLake-v1", {"left": 0, "down": 1, "right": 2, "up": 3, "": None}),
        ("FrozenLake8x8-v1", {"left": 0, "down": 1, "right": 2, "up": 3, "": None}),
        ("CliffWalking-v0", {"up": 0, "right": 1, "down": 2, "left": 3, "": None}),
        ("CliffWalkingSlippery-v1", {"up": 0, "right": 1, "down": 2, "left": 3, "": None}),
        ("Taxi-v3", {"down": 0, "up": 1, "right": 2, "left": 3, "p": 4, "d": 5, "": None}),
        ("Blackjack-v1", {"s": 0, "h": 1, "": None}),
        ("Catch-v0", {"left": 0, "down": 1, "right": 2, "": None}),
        ("NChain-v1", {"right": 0, "left": 1, "": None}),
        ("Pendulum-v1", {"left": [-2.0], "right": [2.0], "": [0.0]}),
        ("MountainCarContinuous-v0", {"left": [-1.0], "right": [1.0], "": [0.0]}),
    ],
)
def test_keys(task_id: str, actions: dict[str, Any]) -> None:
    keys = controls(task_id)
    for key, action in actions.items():
        given = keys.action([key] if key else [])
        assert np.array_equal(given, action) if action is not None else given is None, key
        if key:
            assert key in keys.text
    assert keys.takes_turns == (actions.get("", 0) is None)
    # Unknown keys are ignored; if several keys are held, one counts.
    assert np.array_equal(controls(task_id).action(["x"]), controls(task_id).action([]))
    space = make_spec(task_id).action_space
    both = keys.action(["left", "right", "h", "s"])
    assert space.contains(np.asarray(both, space.dtype)[()])


def test_a_family_may_give_keys_for_nested_actions(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("envpool_py._testing")
    with pytest.raises(UsageError, match="cannot be played with keys: its action space is Dict"):
        controls("Testing/TreeAction-v0")
    actions = {"left": ({"gait": -1}, "back"), "right": ({"gait": 1}, "on")}
    family = Family(name="Tree", tasks={}, page=None, keys={"Testing/TreeAction": Keys(actions)})
    monkeypatch.setattr(registry, "family_of", lambda task_id: family)
    keys = controls("Testing/TreeAction-v0")
    assert keys.action(["right"]) == {"gait": 1}
    assert keys.takes_turns


def test_a_cart_that_is_let_go_is_pushed_to_both_sides() -> None:
    keys = controls("CartPole-v1")
    assert [keys.action([]) for _ in range(4)] == [0, 1, 0, 1]


def test_the_lake_and_the_cliff_go_where_the_arrows_point() -> None:
    """Compares with Gymnasium's transitions: each arrow must change row and column as it points."""
    arrows = {"left": (0, -1), "right": (0, 1), "up": (-1, 0), "down": (1, 0)}
    for task_id, columns, middle in (("FrozenLake-v1", 4, 9), ("CliffWalking-v1", 12, 17)):
        env = gymnasium.make(task_id, is_slippery=False).unwrapped
        keys = controls(task_id)
        for arrow, (down, right) in arrows.items():
            ((_, state, _, _),) = env.P[middle][keys.action([arrow])]  # type: ignore[attr-defined]
            assert state == middle + down * columns + right, (task_id, arrow)


def test_boxes_of_many_actions() -> None:
    low = np.array([-1, -2, -3, -np.inf, 2], np.float32)
    high = np.array([1, 2, 3, np.inf, 5], np.float32)
    axes = Axes(gymnasium.spaces.Box(low, high))
    assert axes.action([]).tolist() == [0, 0, 0, 0, 2]
    assert axes.action(["left", "up", "q", "w", "e"]).tolist() == [-1, 2, 3, 1, 5]
    assert axes.action(["right", "left", "down", "a", "s"]).tolist() == [0, -2, -3, -1, 2]
    assert axes.action([]).dtype == np.float32
    assert not axes.takes_turns
    many = Axes(gymnasium.spaces.Box(-1.0, 1.0, (17,)))
    assert many.action(["o"]).tolist() == [0.0] * 9 + [1.0] + [0.0] * 7
    assert "action[9] l/o" in many.text
    assert "action[10] to action[16] have no keys" in many.text
    single = Axes(gymnasium.spaces.Box(-1.0, 1.0, ()))
    assert single.action(["right"]) == 1.0


@pytest.mark.parametrize(
    "game", ["Pong", "Breakout", "MontezumaRevenge", "SpaceInvaders", "Othello"]
)
@pytest.mark.parametrize("full", [False, True])
def test_joysticks_are_as_ale_py_has_them(game: str, full: bool) -> None:
    ale_py = pytest.importorskip("ale_py")
    gymnasium.register_envs(ale_py)
    ale_py.ALEInterface.setLoggerMode(ale_py.LoggerMode.Error)
    task_id = f"ALE/{game}-v5"
    env: Any = gymnasium.make(task_id, full_action_space=full).unwrapped
    keys = controls(task_id, full_action_space=full)
    known = env.get_keys_to_action()
    assert len(known) == make_spec(task_id, full_action_space=full).action_space.n  # type: ignore[attr-defined]
    for combination, action in known.items():
        held = [ALE_KEYS[key] for key in combination if key != "e"]  # "e" has no effect here
        assert keys.action(held) == action, combination
    assert controls(f"{game}-v5", full_action_space=full).action(["space"]) == keys.action(
        ["space"]
    )


def test_what_a_joystick_does_not_know_is_left_away() -> None:
    noop, fire, up, right, up_right, right_fire = 0, 1, 2, 3, 6, 11
    stick = Joystick([noop, right, up])
    assert stick.action(["right", "space"]) == 1
    assert stick.action(["up", "right"]) == 1
    assert stick.action(["up", "left"]) == 2
    assert stick.action(["left"]) == stick.action([]) == stick.action(["space"]) == 0
    assert stick.action(["left", "right"]) == 0
    stick = Joystick([noop, fire, up_right, right_fire])
    assert stick.action(["up", "right", "space"]) == 2
    assert stick.action(["down", "right", "space"]) == 3
    assert stick.action(["down", "space"]) == 1


def test_a_stick_of_three_numbers() -> None:
    pytest.importorskip("ale_py")
    keys = controls("Pong-v5", continuous=True)
    space = make_spec("Pong-v5", continuous=True).action_space
    for held, angle in (("right", 0.0), ("up", np.pi / 2), ("left", np.pi), ("down", -np.pi / 2)):
        action = keys.action([held])
        np.testing.assert_allclose(action, [1.0, angle, 0.0], rtol=1e-6)
        assert space.contains(action)
    assert keys.action([]).tolist() == [0.0, 0.0, 0.0]
    assert keys.action(["space"]).tolist() == [0.0, 0.0, 1.0]
    np.testing.assert_allclose(keys.action(["up", "left", "space"]), [1.0, 0.75 * np.pi, 1.0])


@pytest.mark.usefixtures("testing")
def test_unknown_tasks() -> None:
    keys = controls("Testing/DiscreteStart-v0")
    space: Any = make_spec("Testing/DiscreteStart-v0").action_space
    assert [keys.action([str(i)]) for i in range(min(10, space.n))] == [
        space.start + i for i in range(min(10, space.n))
    ]
    assert space.contains(np.int64(keys.action([])))
    assert not keys.takes_turns
    with pytest.raises(UsageError, match="cannot be played with keys: its action space is Multi"):
        controls("Testing/MultiDiscreteAction-v0")


def test_every_task_can_be_played() -> None:
    for task_id in list_all_envs():
        if registry.family_of(task_id) is None:  # test modules belong to no family
            continue
        keys, space = controls(task_id), make_spec(task_id).action_space
        action = keys.action([])
        assert (
            keys.takes_turns
            if action is None
            else space.contains(np.asarray(action, space.dtype)[()])
        )
