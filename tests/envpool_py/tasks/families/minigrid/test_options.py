"""Options that MiniGrid tasks refuse, and levels that cannot be generated."""

from __future__ import annotations

import re
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import envpool_py
from envpool_py.errors import EnvironmentFailedError, OptionError, OptionTypeError


@pytest.mark.parametrize(
    ("task_id", "options", "message"),
    [
        ("MiniGrid-Empty-8x8-v0", {"size": 2}, "size"),
        ("MiniGrid-Empty-8x8-v0", {"size": 256}, "size"),
        ("MiniGrid-Empty-8x8-v0", {"agent_start_pos": (0, 3)}, "inside of the outer walls"),
        ("MiniGrid-Empty-8x8-v0", {"agent_start_pos": (1, 2, 3)}, "two integers"),
        ("MiniGrid-Empty-8x8-v0", {"agent_start_dir": 4}, "agent_start_dir"),
        ("MiniGrid-Empty-8x8-v0", {"max_steps": 0}, "max_steps"),
        ("MiniGrid-Empty-8x8-v0", {"agent_view_size": 6}, "odd"),
        ("MiniGrid-Empty-8x8-v0", {"view_size": 4}, "odd"),
        ("MiniGrid-Empty-8x8-v0", {"tile_size": 0}, "tile_size"),
        ("MiniGrid-Empty-8x8-v0", {"flat": True, "image_only": True}, "image_only"),
        ("MiniGrid-Empty-8x8-v0", {"observation": "rgb_full", "view_size": 5}, "agent_view_size"),
        ("MiniGrid-Empty-8x8-v0", {"observation": "full", "view_size": 5}, "view_size"),
        ("MiniGrid-Empty-8x8-v0", {"observation": "rgb"}, "observation"),
        ("MiniGrid-Empty-8x8-v0", {"level": "DoorKey"}, "level"),
        ("MiniGrid-DoorKey-8x8-v0", {"size": 4}, "size"),
        ("MiniGrid-DistShift1-v0", {"strip2_row": 7}, "strip2_row"),
        ("MiniGrid-LavaCrossingS9N1-v0", {"size": 10}, "odd"),
        ("MiniGrid-LavaCrossingS9N1-v0", {"obstacle_type": "water"}, "obstacle_type"),
        ("MiniGrid-Fetch-8x8-N3-v0", {"numObjs": 36}, "numObjs"),
        ("MiniGrid-PutNear-8x8-N3-v0", {"numObjs": 19}, "at most 18"),
        ("MiniGrid-MemoryS7-v0", {"size": 8}, "odd"),
        ("MiniGrid-MultiRoom-N6-v0", {"minNumRooms": 7}, "minNumRooms"),
        ("MiniGrid-KeyCorridorS3R3-v0", {"room_size": 30}, "at most 64"),
        ("MiniGrid-ObstructedMaze-Full-v0", {"agent_room": (1,)}, "agent_room"),
        ("MiniGrid-FourRooms-v0", {"goal_pos": (18, 1)}, "goal_pos"),
        ("BabyAI-GoTo-v0", {"num_rows": 20}, "at most 64"),
        ("BabyAI-GoToImpUnlock-v0", {"num_rows": 1, "num_cols": 1}, "two rooms"),
        ("BabyAI-FindObjS5-v0", {"num_rows": 2}, "num_rows"),
        ("BabyAI-BossLevel-v0", {"action_kinds": ["fly"]}, "action_kinds"),
        ("BabyAI-BossLevel-v0", {"instr_kinds": []}, "instr_kinds"),
        ("BabyAI-BossLevel-v0", {"num_rows": 1, "num_cols": 1}, "locked_room_prob"),
        ("BabyAI-PutNextS5N1-v0", {"objs_per_room": 10}, "objs_per_room"),
        ("BabyAI-GoToRedBallNoDists-v0", {"room_size": 8}, "room_size"),
    ],
    ids=str,
)
def test_options_are_checked(task_id: str, options: dict[str, Any], message: str) -> None:
    for call in (envpool_py.make, envpool_py.make_spec):
        with pytest.raises(OptionError, match=re.escape(message)):
            call(task_id, **options)


def test_types_of_options_are_checked() -> None:
    for name, value in (("size", 8.5), ("highlight", 1), ("observation", 3)):
        with pytest.raises(OptionTypeError, match=name):
            envpool_py.make("MiniGrid-Empty-8x8-v0", **{name: value})


@pytest.mark.parametrize(
    ("task_id", "options"),
    [
        ("BabyAI-GoToLocal-v0", {"room_size": 5, "num_dists": 60}),
        ("MiniGrid-PutNear-6x6-N2-v0", {"size": 5, "numObjs": 8}),
        ("MiniGrid-MultiRoom-N6-v0", {"width": 6, "height": 6, "maxRoomSize": 4}),
        ("BabyAI-PutNextS5N2-v0", {"room_size": 4, "objs_per_room": 9}),
    ],
    ids=str,
)
def test_levels_that_cannot_be_drawn_fail_their_environment(
    task_id: str, options: dict[str, Any]
) -> None:
    """The reference's `reset` does not return with these options."""
    with (
        envpool_py.make(task_id, num_envs=1, seed=0, **options) as pool,
        pytest.raises(EnvironmentFailedError, match="the options"),
    ):
        pool.reset()


def test_a_mission_that_is_too_long_for_a_flat_observation_fails_its_environment() -> None:
    with (
        envpool_py.make(
            "MiniGrid-DoorKey-5x5-v0", num_envs=1, flat=True, flat_mission_length=5
        ) as pool,
        pytest.raises(EnvironmentFailedError, match="flat_mission_length"),
    ):
        pool.reset()


SCRIPT = """
import os, sys
import numpy as np
import envpool_py

def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

task, count = sys.argv[1], 10_000
with envpool_py.make(task, num_envs=1, seed=0) as small:
    small.reset()
before = resident()
pool = envpool_py.make(task, num_envs=count, seed=0, num_threads=2)
observations = pool.reset()
print((resident() - before) / count - sum(
    array.nbytes for array in (observations[0]["image"], observations[0]["direction"])) / count)
"""


@pytest.mark.unsanitized
def test_ten_thousand_environments_take_little_memory() -> None:
    """Less than 4 KB each, including their rows of the batch other than image and direction."""
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, "BabyAI-BossLevel-v0"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert float(done.stdout) < 4096


def test_generators_continue_after_levels_that_were_rejected() -> None:
    """An environment's second level does not depend on how often its first level was drawn."""
    task = "BabyAI-UnblockPickup-v0"
    with (
        envpool_py.make(task, num_envs=4, seed=0) as one,
        envpool_py.make(task, num_envs=4, seed=0, num_threads=3) as other,
    ):
        for _ in range(5):
            mine, theirs = one.reset()[0], other.reset()[0]
            np.testing.assert_array_equal(mine["image"], theirs["image"])
            assert mine["mission"] == theirs["mission"]
