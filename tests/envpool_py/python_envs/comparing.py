"""Compares a pool with `gymnasium.vector.SyncVectorEnv`, step by step."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from gymnasium.vector import SyncVectorEnv

import envpool_py


def assert_same(actual: Any, expected: Any, where: str = "") -> None:
    """Asserts that two nested values are equal, including types, dtypes and the order of keys."""
    if isinstance(expected, dict):
        assert isinstance(actual, dict), where
        assert set(actual) == set(expected), where
        for key in expected:
            assert_same(actual[key], expected[key], f"{where}[{key!r}]")
    elif isinstance(expected, tuple):
        assert isinstance(actual, tuple), where
        assert len(actual) == len(expected), where
        for index, (one, other) in enumerate(zip(actual, expected, strict=True)):
            assert_same(one, other, f"{where}[{index}]")
    elif isinstance(expected, np.ndarray):
        assert isinstance(actual, np.ndarray), (where, type(actual))
        assert actual.dtype == expected.dtype, (where, actual.dtype, expected.dtype)
        assert actual.shape == expected.shape, (where, actual.shape, expected.shape)
        if expected.dtype == object:
            for index in np.ndindex(expected.shape):
                assert_same(actual[index], expected[index], f"{where}[{index}]")
        else:
            np.testing.assert_array_equal(actual, expected, where)
    else:
        assert type(actual) is type(expected), (where, type(actual), type(expected))
        assert actual == expected, where


def rows_of(space: Any, batch: Any, rows: int) -> list[Any]:
    """Splits a batch of observations into rows."""
    from gymnasium.vector.utils import batch_space, iterate

    return list(iterate(batch_space(space, rows), batch))


def assert_same_infos(pool: Any, actual: dict[str, Any], expected: dict[str, Any]) -> None:
    """Compares like `assert_same`, but the pool's final observations are dense."""
    expected, actual = dict(expected), dict(actual)
    if "final_obs" in expected:
        objects, mask = expected.pop("final_obs"), expected["_final_obs"]
        rows = rows_of(pool.single_observation_space, actual.pop("final_obs"), pool.num_envs)
        for row, ended in enumerate(mask):
            if ended:
                space = pool.single_observation_space
                # Gymnasium's batches convert the observation in the same way.
                assert_same(rows[row], _batched(space, objects[row]), f"final_obs of {row}")
    assert_same(actual, expected, "infos")


def _batched(space: Any, observation: Any) -> Any:
    from gymnasium.vector.utils import concatenate, create_empty_array

    batch = concatenate(space, [observation], create_empty_array(space, 1))
    return rows_of(space, batch, 1)[0]


WORKERS: list[dict[str, Any]] = [
    {"num_workers": 0},
    {"num_workers": 2},
    {"num_workers": 2, "workers": "threads"},
]
"""Arguments of `make_python`: who steps the environments."""


def compare(
    fns: Sequence[Callable[[], Any]],
    mode: str,
    steps: int,
    seed: int = 3,
    reference_fns: Sequence[Callable[[], Any]] | None = None,
    **settings: Any,
) -> None:
    """Steps a pool and a SyncVectorEnv of the same functions with the same actions."""
    pool = envpool_py.make_python(fns, autoreset_mode=mode, extra_infos=False, **settings)
    reference = SyncVectorEnv(list(reference_fns or fns), autoreset_mode=mode)
    with pool:
        assert pool.observation_space == reference.observation_space
        assert pool.action_space == reference.action_space
        reset(pool, reference, seed=seed, options={"a": 1})
        pool.action_space.seed(seed)
        for step in range(steps):
            actions = pool.action_space.sample()
            actual, expected = pool.step(actions), reference.step(actions)
            for name, one, other in zip(
                ["observations", "rewards", "terminations", "truncations"],
                actual,
                expected,
                strict=False,
            ):
                assert_same(one, other, f"{name} of step {step}")
            assert_same_infos(pool, actual[4], expected[4])
            ended = expected[2] | expected[3]
            if mode == "Disabled" and ended.any():
                reset(pool, reference, options={"reset_mask": ended})
            elif step == steps // 2:
                reset(pool, reference, seed=[None, *range(1, pool.num_envs)])
    reference.close()


def reset(pool: Any, reference: Any, options: Any = None, **arguments: Any) -> None:
    copies = [None if options is None else dict(options) for _ in range(2)]
    actual = pool.reset(options=copies[0], **arguments)
    expected = reference.reset(options=copies[1], **arguments)
    assert_same(actual[0], expected[0], "observations of a reset")
    assert_same(actual[1], expected[1], "infos of a reset")
