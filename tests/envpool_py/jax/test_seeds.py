"""Keys and seeds of resets."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import envpool_py
import envpool_py.jax
from envpool_py.errors import InputError, InputTypeError
from envpool_py.jax.seeds import seeds_of


@pytest.fixture(scope="module")
def env() -> Any:
    with envpool_py.jax.make("CartPole-v1", num_envs=3) as made:
        yield made


def whole(seeds: Any) -> list[int]:
    return np.ascontiguousarray(np.asarray(seeds)).view(np.uint64).ravel().tolist()


@pytest.mark.parametrize(
    ("seed", "expected"),
    [
        (5, [5, 6, 7]),
        (np.int64(5), [5, 6, 7]),
        (2**32 - 2, [2**32 - 2, 2**32 - 1, 2**32]),
        (2**64 - 3, [2**64 - 3, 2**64 - 2, 2**64 - 1]),
        ([9, 2**33, 0], [9, 2**33, 0]),
        (np.array([1, 2, 3]), [1, 2, 3]),
        (np.array(5), [5, 6, 7]),
        (jnp.array([7, 1, 4]), [7, 1, 4]),
        (jnp.uint32(2**32 - 2), [2**32 - 2, 2**32 - 1, 2**32]),
    ],
)
def test_seeds(seed: Any, expected: list[int]) -> None:
    assert whole(seeds_of(None, seed, 3)) == expected


def test_seeds_of_programs(env: Any) -> None:
    obs, _ = jax.jit(lambda seed: env.reset(seed=seed))(jnp.int32(11))
    with envpool_py.make("CartPole-v1", num_envs=3) as pool:
        np.testing.assert_array_equal(obs, pool.reset(seed=11)[0])


def test_keys(env: Any) -> None:
    """Environments get different seeds, which depend only on the key."""
    key = jax.random.key(3)
    seeds = whole(seeds_of(key, None, 3))
    assert len(set(seeds)) == 3
    assert all(seed > 2**32 for seed in seeds)
    assert whole(seeds_of(jax.random.PRNGKey(3), None, 3)) == seeds
    obs, _ = env.reset(key)
    with envpool_py.make("CartPole-v1", num_envs=3) as pool:
        np.testing.assert_array_equal(obs, pool.reset(seed=seeds)[0])
    each = jax.random.split(key, 3)
    own = whole(seeds_of(each, None, 3))
    assert own[1] == whole(seeds_of(each[1:2], None, 1))[0]
    assert own == whole(seeds_of(jax.random.key_data(each), None, 3))


def test_generators_continue_without_a_seed(env: Any) -> None:
    with envpool_py.make("CartPole-v1", num_envs=3) as pool:
        env.reset(seed=1)
        pool.reset(seed=1)
        np.testing.assert_array_equal(env.reset()[0], pool.reset()[0])


@pytest.mark.parametrize(
    ("key", "seed", "error", "message"),
    [
        (jax.random.key(0), 1, InputError, "expected a key or a seed, got both"),
        (None, -1, InputError, r"seed: expected an integer in \[0, "),
        (None, 2**64 - 2, InputError, r"seed: expected an integer in \[0, "),
        (None, [1, 2], InputError, r"seed: expected the shape"),
        (None, np.array([1, -2, 3]), InputError, "seed: expected integers >= 0, got -2"),
        (None, np.array([1, -2, 3], np.int32), InputError, "seed: expected integers >= 0, got -2"),
        (None, jnp.array([1, -2, 3]), InputError, "seed: expected integers >= 0, got -2"),
        (None, jnp.int32(-2), InputError, r"seed: expected an integer in \[0, .*, got -2"),
        (None, 1.5, InputTypeError, "seed: expected an integer"),
        (None, True, InputTypeError, "seed: expected an integer"),
        (None, jnp.ones(3), InputTypeError, "seed: expected an integer"),
        (jnp.ones(3), None, InputTypeError, "key: expected a key of jax.random"),
        (jax.random.split(jax.random.key(0), 4), None, InputError, "key: expected one key, or 3"),
    ],
)
def test_refused(env: Any, key: Any, seed: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        env.reset(key, seed=seed)


def test_wide_seeds_of_programs(x64: None) -> None:
    one = jax.jit(lambda seed: seeds_of(None, seed, 3))(jnp.int64(2**33 - 2))
    assert whole(one) == [2**33 - 2, 2**33 - 1, 2**33]
    each = jax.jit(lambda seed: seeds_of(None, seed, 3))(jnp.array([1, 2**40, 2**32 - 1]))
    assert whole(each) == [1, 2**40, 2**32 - 1]
    assert whole(seeds_of(None, jnp.int64(2**33), 3)) == [2**33, 2**33 + 1, 2**33 + 2]


def test_tasks_whose_seeds_have_32_bits() -> None:
    pytest.importorskip("dm_control")
    with envpool_py.jax.make("CartpoleBalance-v1", num_envs=2) as env:
        with pytest.raises(Exception, match=r"seed\[0\]: expected an integer in \[0, 4294967295\]"):
            env.reset(seed=2**32 + 5)
        first, _ = env.reset(jax.random.key(0))
        second, _ = env.reset(jax.random.key(1))
        assert not all(
            bool((one == other).all())
            for one, other in zip(jax.tree.leaves(first), jax.tree.leaves(second), strict=True)
        )
