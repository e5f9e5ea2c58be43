"""Tasks like `Pong-v5`, in addition to the parity tests: missing ROMs, memory, failures."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import envpool_py
from envpool_py import _atari
from envpool_py.errors import InputError, UnknownTaskError
from envpool_py.tasks.families.atari import roms


def test_a_rom_is_checked_when_it_is_added() -> None:
    image = roms.rom_bytes("freeway")
    _atari.add_rom("freeway", image)
    assert _atari.has_rom("freeway")
    _atari.add_rom("freeway", image)  # adding it again has no effect
    with pytest.raises(UnknownTaskError, match="freeway"):
        _atari.add_rom("freewy", image)
    with pytest.raises(UnknownTaskError, match="freeway"):
        _atari.has_rom("freewy")
    with pytest.raises(TypeError):
        _atari.add_rom("freeway", "text")  # type: ignore[arg-type]


def test_an_altered_rom_is_not_kept(run_script: Callable[..., str]) -> None:
    printed = run_script(
        """
        from envpool_py import _atari, errors
        from envpool_py.tasks.families.atari import roms
        image = roms.rom_bytes("freeway")
        for bad in (image[:-1], bytes(len(image)), b""):
            try:
                _atari.add_rom("freeway", bad)
            except errors.InputError as error:
                print("MD5" in str(error), _atari.has_rom("freeway"))
        _atari.add_rom("freeway", image)
        print(_atari.has_rom("freeway"))
        """
    )
    assert printed.split() == ["True", "False"] * 3 + ["True"]


def test_without_its_rom_a_pool_says_what_to_install(run_script: Callable[..., str]) -> None:
    printed = run_script(
        """
        from envpool_py import _core, errors
        from envpool_py.tasks.families.atari import family  # registers the tasks
        for task in ("Pong-v5", "ALE/Pong-v5"):
            print(_core.describe_task(task, {})["id"])  # needs none
            try:
                _core.Pool(task, {}, num_envs=2, batch_size=2, num_threads=1, seed=0,
                           autoreset_mode="NextStep", max_episode_steps=0, env_type="gymnasium")
            except errors.RomError as error:
                print("pip install" in str(error) and "pong" in str(error))
        """
    )
    assert printed.split() == ["Pong-v5", "True", "ALE/Pong-v5", "True"]


@pytest.mark.parametrize("pipeline", ["gymnasium", "ale_vector"])
def test_observations_are_the_callers_own(pipeline: str) -> None:
    pool = envpool_py.make("Breakout-v5", num_envs=2, pipeline=pipeline)
    twin = envpool_py.make("Breakout-v5", num_envs=2, pipeline=pipeline)
    pool.reset(seed=3)
    twin.reset(seed=3)
    for _ in range(8):
        observations = pool.step(np.array([1, 2]))[0]
        assert np.array_equal(observations, twin.step(np.array([1, 2]))[0])
        observations[:] = 77  # the environment's frame stack must not be affected
    pool.close()
    twin.close()


def test_a_stack_holds_the_last_frames_in_order() -> None:
    pool = envpool_py.make("Pong-v5", num_envs=1, stack_num=3)
    stacks = [pool.reset(seed=0)[0][0]]
    stacks += [pool.step([2 + step % 2])[0][0] for step in range(12)]
    assert all(np.array_equal(frame, stacks[0][0]) for frame in stacks[0])
    for before, after in itertools.pairwise(stacks):
        assert np.array_equal(before[1:], after[:-1])
    assert any(not np.array_equal(*pair) for pair in itertools.pairwise(stacks))
    pool.close()


def test_continuous_actions_are_checked() -> None:
    pool = envpool_py.make("Breakout-v5", num_envs=1, continuous=True)
    pool.reset(seed=0)
    space = pool.single_action_space
    assert (space.low.tolist(), space.dtype) == ([0.0, np.float32(-np.pi), 0.0], np.float32)
    for bad in ([1.1, 0.0, 0.0], [0.5, 4.0, 0.0], [0.5, 0.0, -0.1], [np.nan, 0.0, 0.0]):
        with pytest.raises(InputError):
            pool.step(np.array([bad], np.float32))
    pool.step(np.array([[1.0, -np.pi, 1.0]], np.float32))
    pool.close()


def test_variants_change_the_game() -> None:
    def memory(**options: Any) -> np.ndarray:
        with envpool_py.make("Breakout-v5", seed=1, noop_max=0, **options) as pool:
            pool.reset()
            return np.stack([pool.step([1])[4]["ram"] for _ in range(5)])

    assert np.array_equal(memory(), memory(mode=0, difficulty=0))
    assert not np.array_equal(memory(), memory(mode=4))


@pytest.mark.unsanitized
def test_what_a_thousand_environments_take() -> None:
    """The limit is 200 KB each. EnvPool needs 1.26 MB; a third of it would be 420 KB."""
    page = 4096

    def resident() -> int:
        with open("/proc/self/statm") as file:  # noqa: PTH123  # a kernel file
            return int(file.read().split()[1]) * page

    envpool_py.make("Pong-v5", num_envs=1).close()
    before = resident()
    pool = envpool_py.make("Pong-v5", num_envs=1024, num_threads=2)
    pool.reset(seed=0)
    assert (resident() - before) / 1024 < 200_000
    pool.close()
