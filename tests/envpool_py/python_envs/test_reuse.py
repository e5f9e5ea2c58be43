"""Environments that write every result into the same objects: what a pool returned does not change.

Gymnasium's SyncVectorEnv loses the last observation of such environments in SameStep, so the values
are stated here.
"""

from __future__ import annotations

import os
import sys
from typing import Any

import cloudpickle
import gymnasium
import numpy as np
import pytest
from gymnasium import spaces

import envpool_py

# Worker processes cannot import this module.
cloudpickle.register_pickle_by_value(sys.modules[__name__])

SETTINGS: dict[str, dict[str, Any]] = {
    "caller": {"num_workers": 0},
    "processes": {"num_workers": 2},
    "threads": {"num_workers": 2, "workers": "threads"},
}
if os.environ.get("ENVPOOL_SANITIZER") != "thread":  # it refuses threads in forked processes
    SETTINGS["fork"] = {"num_workers": 2, "start_method": "fork"}
# The counts that each environment shows, reset first. In the step that would show 3 an episode
# ends, so that its row shows 0 and its final frame shows 3.
SHOWN = [0, 1, 2, (0, 3), 1, 2, (0, 3)]


class Thing:
    """An object that an environment changes."""

    count = 0


class Reusing(gymnasium.Env[Any, Any]):
    """Counts its steps in arrays, lists and objects that it returns again and again."""

    observation_space = spaces.Dict(
        {
            "array": spaces.Box(0, 9, (2,), np.float32),
            "parts": spaces.Tuple([spaces.Box(0, 9, (), np.int64)]),
            "sequence": spaces.Sequence(spaces.Discrete(9)),
        }
    )
    action_space = spaces.Discrete(2)
    render_mode = "rgb_array"

    def __init__(self) -> None:
        self.array = np.zeros(2, np.float32)
        self.scalar = np.zeros((), np.int64)
        self.list = [0]
        self.thing = Thing()
        self.nested: dict[str, Any] = {"list": [0], "array": self.array, "thing": self.thing}

    def show(self, count: int) -> tuple[Any, dict[str, Any]]:
        """Changes everything that was returned before; returns an observation and infos."""
        self.array[:] = self.scalar[()] = self.list[0] = self.nested["list"][0] = count
        self.thing.count = count
        observation = {"array": self.array, "parts": (self.scalar,), "sequence": self.list}
        whole = {"list": self.list, "thing": self.thing, "array": self.array}
        return observation, {**whole, "nested": self.nested}

    def reset(self, *, seed: Any = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        return self.show(0)

    def step(self, action: Any) -> tuple[Any, ...]:
        count = self.list[0] + 1
        observation, info = self.show(count)
        return observation, 1.0, count == 3, False, info

    def render(self) -> Any:
        return self.array


def counts(observation: Any, infos: dict[str, Any], row: int) -> set[int]:
    """Returns the counts that all parts of a row show."""
    nested = infos["nested"]
    return {
        int(number)
        for number in (
            *observation["array"][row],
            observation["parts"][0][row],
            *observation["sequence"][row],
            *infos["list"][row],
            infos["thing"][row].count,
            *infos["array"][row],
            *nested["list"][row],
            *nested["array"][row],
            nested["thing"][row].count,
        )
    }


def shown(batch: tuple[Any, ...], row: int) -> Any:
    """Returns the count that a row shows; with a final frame, both counts."""
    (count,) = counts(batch[0], batch[-1], row)
    infos = batch[-1]
    if "final_obs" not in infos or not infos["_final_obs"][row]:
        return count
    (final,) = counts(infos["final_obs"], infos["final_info"], row)
    return count, final


@pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS)
def test_results_of_steps(settings: dict[str, Any]) -> None:
    with envpool_py.make_python(Reusing, 2, autoreset_mode="SameStep", **settings) as pool:
        kept: list[Any] = [pool.reset()]
        kept += [pool.step(np.zeros(2, int)) for _ in SHOWN[1:]]
        for row in range(2):
            assert [shown(batch, row) for batch in kept] == SHOWN


@pytest.mark.parametrize("batch_size", [1, 2])
@pytest.mark.parametrize("settings", list(SETTINGS.values())[:3], ids=list(SETTINGS)[:3])
def test_results_that_are_received(settings: dict[str, Any], batch_size: int) -> None:
    with envpool_py.make_python(
        Reusing, 2, batch_size=batch_size, autoreset_mode="SameStep", **settings
    ) as pool:
        pool.async_reset()
        kept: list[list[Any]] = [[], []]
        while min(map(len, kept)) < len(SHOWN):
            batch = pool.recv()
            for row, env in enumerate(batch[-1]["env_id"]):
                kept[env].append((batch, row))
            pool.send(np.zeros(batch_size, int), batch[-1]["env_id"])
        for of_env in kept:
            assert [shown(*each) for each in of_env[: len(SHOWN)]] == SHOWN


@pytest.mark.parametrize("num_workers", [0, 2])
def test_a_method_that_changes_the_latest_observation(num_workers: int) -> None:
    """A masked reset returns the latest observations of the other environments unchanged."""
    with envpool_py.make_python(Reusing, 2, num_workers=num_workers) as pool:
        pool.reset()
        pool.step(np.zeros(2, int))
        pool.call("show", 7)
        observations, _ = pool.reset(options={"reset_mask": np.array([True, False])})
        assert observations["array"].tolist() == [[0, 0], [1, 1]]
        assert observations["parts"][0].tolist() == [0, 1]
        assert observations["sequence"] == ([0], [1])


def test_pictures() -> None:
    with envpool_py.make_python(Reusing, 1, num_workers=0) as pool:
        pool.reset()
        (picture,) = pool.render()
        pool.step(np.zeros(1, int))
        assert picture.tolist() == [0, 0]


def test_what_cannot_be_copied_stays_the_object_of_the_environment() -> None:
    class Generating(Reusing):
        generator = (number for number in range(3))

        def show(self, count: int) -> tuple[Any, dict[str, Any]]:
            return super().show(count)[0], {"generator": self.generator}

    with envpool_py.make_python(Generating, 1, num_workers=0, autoreset_mode="SameStep") as pool:
        assert pool.reset()[1]["generator"][0] is Generating.generator
        for _ in range(3):
            infos = pool.step(np.zeros(1, int))[4]
        assert infos["final_info"]["generator"][0] is Generating.generator
