"""Records the steps of a pool of MuJoCo environments on a tape, which `limits/mujoco.cc` replays.

A tape is a file of these arrays, in the machine's own byte order:

    int64    header[7]                            num_envs, num_steps, nq, nv, nu, frame_skip,
                                                  num_starts
    float32  controls[num_steps, num_envs, nu]
    int32    starts_of[num_steps, num_envs]       index of the state that the environment begins an
                                                  episode with in this step; -1: it does not
    float64  starts[num_starts, nq + nv]          positions, then velocities
    float64  ends[num_envs, nq]                   positions after the last step
"""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

import envpool_py
from envpool_py.cli.bench.case import Case
from envpool_py.cli.bench.peers import OURS

# With these options observations begin with all positions and velocities.
_WITH_POSITIONS = {"exclude_current_positions_from_observation": False}


def record(
    case: Case, actions: Sequence[Any], num_steps: int, model_size: tuple[int, int], path: Path
) -> None:
    """Records the steps of the environments of `case`, stepped in order.

    Args:
        case: a task whose observations can include all positions and velocities.
        actions: arrays with one action per environment; used cyclically.
        num_steps: steps of each environment on the tape. The first is a reset.
        model_size: numbers of positions and of velocities.
        path: the file to write.
    """
    nq, nv = model_size
    options = {**case.options_for(OURS), **_WITH_POSITIONS}
    env: Any = envpool_py.make(
        case.task,
        num_envs=case.num_envs,
        num_threads=case.num_threads,
        seed=case.seed,
        **options,
    )
    with contextlib.closing(env):
        observations, _ = env.reset(seed=case.seed)
        begins = np.ones(case.num_envs, bool)
        controls = [np.zeros_like(actions[0])]
        starts_of: list[Any] = []
        starts: list[Any] = []
        ended = np.zeros(case.num_envs, bool)
        cycle = itertools.cycle(actions)
        while True:
            starts_of.append(np.where(begins, len(starts) + np.cumsum(begins) - 1, -1))
            starts += list(observations[begins, : nq + nv])
            if len(starts_of) == num_steps:
                break
            controls.append(next(cycle))
            begins = ended  # the step after an episode's last step is the reset
            observations, _, terminated, truncated, _ = env.step(controls[-1])
            ended = terminated | truncated
    tape = np.array(controls, np.float32)
    header = [case.num_envs, num_steps, nq, nv, tape.shape[2], case.frame_skip, len(starts)]
    with path.open("wb") as out:
        np.array(header, np.int64).tofile(out)
        tape.tofile(out)
        np.array(starts_of, np.int32).tofile(out)
        np.array(starts, np.float64).tofile(out)
        np.ascontiguousarray(observations[:, :nq]).tofile(out)
