"""The test environments themselves, with every expected value computed in Python."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces

import envpool_py
from envpool_py.errors import UnknownTaskError

from ..multi_field import (
    INT64_MAX,
    MASK64,
    Frame,
    MultiFieldModel,
    Row,
    check_infos,
    check_observation,
    check_rows,
)

Make = Callable[..., Any]


@pytest.mark.parametrize("num_threads", [1, 3])
@pytest.mark.parametrize("mode", ["NextStep", "SameStep", "Disabled"])
@pytest.mark.parametrize(("episode_length", "limit"), [(9, 7), (7, 7), (4, 7), (0, 1), (3, -1)])
def test_multi_field(
    make: Make, mode: str, num_threads: int, episode_length: int, limit: int
) -> None:
    num_envs = 5
    pool = make(
        "MultiField",
        num_envs=num_envs,
        num_threads=num_threads,
        autoreset_mode=mode,
        episode_length=episode_length,
        max_episode_steps=limit,
    )
    models = [MultiFieldModel(70 + i, mode, episode_length, limit) for i in range(num_envs)]
    obs, infos = pool.reset(seed=70)
    zeros, falses = np.zeros(num_envs), np.zeros(num_envs, bool)
    check_rows(pool, (obs, zeros, falses, falses, infos), [model.reset() for model in models])
    for step in range(40):
        if models[0].over and mode == "Disabled":
            mask = np.arange(num_envs) % 2 == 0
            for reset_mask in (mask, ~mask):
                obs, infos = pool.reset(options={"reset_mask": reset_mask})
                rows = [
                    model.reset()
                    if reset
                    else Row(Frame(model.frame.token, model.frame.step, False), marked=False)
                    for model, reset in zip(models, reset_mask, strict=True)
                ]
                check_rows(pool, (obs, zeros, falses, falses, infos), rows)
        result = pool.step(np.full(num_envs, step % 2))
        check_rows(pool, result, [model.step() for model in models])


def test_multi_field_subset_out_of_order(make: Make) -> None:
    pool = make("MultiField", num_envs=6)
    models = [MultiFieldModel(i, "NextStep", 9, 7) for i in range(6)]
    pool.reset(seed=0)
    for model in models:
        model.reset()
    ids = np.array([4, 0, 3], np.int32)
    for _ in range(12):
        obs, reward, _, _, infos = pool.step(np.zeros(3, np.int64), ids)
        rows = [models[i].step() for i in ids]
        check_observation(pool.single_observation_space, obs, [row.frame for row in rows])
        np.testing.assert_array_equal(reward, [row.reward for row in rows])
        check_infos(
            infos,
            [{"env_id": i, **row.frame.infos()} for i, row in zip(ids, rows, strict=True)],
        )
    # The other environments have not changed.
    obs, infos = pool.reset(options={"reset_mask": np.arange(6) == 4})
    np.testing.assert_array_equal(
        infos["elapsed_step"], [models[0].frame.step, 0, 0, models[3].frame.step, 0, 0]
    )


def test_multi_field_spaces(make: Make) -> None:
    pool = make("MultiField", num_envs=3)
    space = pool.single_observation_space
    assert isinstance(space, spaces.Dict)
    int64 = space["signed"]["int64"]
    np.testing.assert_array_equal(int64.low, np.array([-(2**63), INT64_MAX - 4, -1]))
    np.testing.assert_array_equal(int64.high, np.array([INT64_MAX, INT64_MAX, 1]))
    assert int64.low.dtype == int64.dtype == np.int64
    uint64 = space["unsigned"][2]
    assert uint64.high.dtype == np.uint64
    assert [int(bound) for bound in uint64.high] == [MASK64] * 2
    assert space["flags"].dtype == np.bool_
    assert space["float64"].shape == ()
    assert space["discrete"] == spaces.Discrete(5, start=-2)
    assert space["multi_discrete"] == spaces.MultiDiscrete([3, 1, 1_000_000_007])
    assert space["multi_binary"] == spaces.MultiBinary(6)
    np.testing.assert_array_equal(space["float32"].low, [[-1.0, 0.0], [-8.0, 0.25]])
    obs, _ = pool.reset(seed=1)
    assert obs in pool.observation_space
    for _ in range(10):
        assert pool.step(pool.action_space.sample())[0] in pool.observation_space


def test_every_array_is_writable_aligned_and_contiguous(make: Make) -> None:
    pool = make("MultiField", num_envs=3, autoreset_mode="SameStep", episode_length=1)
    pool.reset(seed=0)

    def arrays(tree: Any) -> list[np.ndarray]:
        if isinstance(tree, np.ndarray):
            return [tree]
        values = tree.values() if isinstance(tree, dict) else tree
        return [array for value in values for array in arrays(value)]

    found = arrays(pool.step(np.zeros(3, np.int64)))
    assert len(found) > 40
    for array in found:
        assert array.flags.writeable
        assert array.flags.c_contiguous
        assert array.ctypes.data % 64 == 0
        array[...] = array.dtype.type(1)
    for i, array in enumerate(found):
        for other in found[:i]:
            assert not np.shares_memory(array, other)


def test_infos_of_a_reset_by_mask_are_marked_where_it_resets(make: Make) -> None:
    pool = make("Counter", num_envs=3, label="four", autoreset_mode="Disabled")
    pool.reset()
    mask = np.array([False, True, False])
    infos = pool.reset(options={"reset_mask": mask})[1]
    np.testing.assert_array_equal(infos["_label_bytes"], mask)
    np.testing.assert_array_equal(infos["label_bytes"], [4, 4, 4])
    np.testing.assert_array_equal(infos["_env_id"], [True] * 3)
    assert pool.step([0, 0, 0])[4]["_label_bytes"].all()


def test_counter_draws_what_numpy_draws(make: Make) -> None:
    pool = make("Counter", num_envs=3, episode_length=4)
    obs, _ = pool.reset(seed=[2**64 - 1, None, 17])
    pool.reset(env_id=[1], seed=[5])
    rngs = [np.random.default_rng(seed) for seed in (2**64 - 1, 5, 17)]
    at_reset = [rng.integers(0, 1_000_000, endpoint=True) for rng in rngs]
    np.testing.assert_array_equal(obs[[0, 2], 1], [at_reset[0], at_reset[2]])
    for step in range(1, 11):
        obs, *_ = pool.step([0, 0, 0])
        if step % 5 == 0:  # four steps, then the resetting step of NextStep
            at_reset = [rng.integers(0, 1_000_000, endpoint=True) for rng in rngs]
            drawn = [0, 0, 0]
        else:
            drawn = [int(rng.integers(2**62)) for rng in rngs]
        np.testing.assert_array_equal(obs, np.stack([[step % 5] * 3, at_reset, drawn], axis=1))


def test_plug_in_tasks_are_like_any_other(testing: Any) -> None:
    del testing  # its import has registered the tasks
    tasks = envpool_py.list_all_envs()
    assert "Testing/Counter-v0" in tasks
    assert tasks == sorted(tasks)
    with pytest.raises(UnknownTaskError, match="Testing/Counter-v0"):
        envpool_py.make("Testing/Conter-v0")
    with envpool_py.make("Testing/Counter-v0", num_envs=2, seed=4) as pool:
        assert pool.spec.reward_threshold == 42.5
        assert isinstance(pool, gymnasium.vector.VectorEnv)
