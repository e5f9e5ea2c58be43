"""Compares results of `envpool_py.jax` with those of `step`."""

from __future__ import annotations

from typing import Any

import gymnasium
import jax
import numpy as np
from gymnasium.vector.utils import batch_space

from envpool_py.pool.gymnasium_pool import GymnasiumPool


def narrowed(array: Any) -> Any:
    """Converts an array to the dtype that JAX represents it with."""
    return np.asarray(array).astype(jax.dtypes.canonicalize_dtype(np.asarray(array).dtype))


def assert_same(came: Any, expected: Any) -> None:
    """Compares arrays, or dicts and tuples of them, bit for bit."""
    if isinstance(expected, dict):
        assert sorted(came) == sorted(expected)
        for key, part in expected.items():
            assert_same(came[key], part)
    elif isinstance(expected, tuple) and expected and isinstance(expected[0], str):
        texts = [bytes(row).rstrip(b"\0").decode() for row in np.asarray(came)]
        assert tuple(texts) == expected
    elif isinstance(expected, tuple):
        for part, other in zip(came, expected, strict=True):
            assert_same(part, other)
    else:
        wanted = narrowed(expected)
        assert came.dtype == wanted.dtype
        assert np.asarray(came).tobytes() == wanted.tobytes()


def assert_same_infos(came: dict[str, Any], expected: dict[str, Any], rows: int) -> None:
    """Compares infos; an info that `step` omits, because no row has it, is zero here."""
    for key, part in expected.items():
        if key in ("_env_id", "_elapsed_step"):  # in final_info these keys repeat "_final_info"
            continue
        if key == "final_info":
            own = {k: v for k, v in part.items() if k not in ("episode", "_episode")}
            assert_same_infos(came[key], own, rows)
        elif key == "episode":  # "t" is a time and may differ
            assert_same({name: came[key][name] for name in "rl"}, {n: part[n] for n in "rl"})
            assert (np.asarray(came[key]["t"]) > 0).tolist() == (part["t"] > 0).tolist()
        else:
            assert_same(came[key], part)
    for key in came.keys() - expected.keys():
        for leaf in jax.tree.leaves(came[key]):
            assert leaf.shape[0] == rows
            if key.startswith("_") or key in ("final_obs", "episode"):
                assert not np.asarray(leaf).any()


def assert_same_step(came: Any, expected: Any) -> None:
    """Compares a transition with the results of `step`."""
    obs, reward, terminated, truncated, infos = expected
    assert_same(came.obs, obs)
    assert_same(came.reward, reward)
    assert_same(came.terminated, terminated)
    assert_same(came.truncated, truncated)
    assert_same(came.done, terminated | truncated)
    assert_same_infos(came.info, infos, len(reward))


def actions_of(pool: GymnasiumPool, steps: int) -> list[Any]:
    """Returns batches of actions sampled from the space."""
    space = batch_space(pool.single_action_space, pool.num_envs)
    space.seed(3)
    samples = [space.sample() for _ in range(steps)]
    if isinstance(pool.single_action_space, gymnasium.spaces.Discrete):
        return [np.asarray(sample, np.int32) for sample in samples]
    return samples
