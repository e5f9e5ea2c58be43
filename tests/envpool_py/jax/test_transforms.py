"""Loops, branches and devices; the policy under `vmap`."""

from __future__ import annotations

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.sharding import Mesh, PartitionSpec

import envpool_py
import envpool_py.jax

ONES = np.ones(3, np.int32)


@pytest.fixture
def env() -> Any:
    with envpool_py.jax.make("CartPole-v1", num_envs=3) as made:
        yield made


def test_while_loop(env: Any) -> None:
    """Steps until the first episode ends."""
    obs, state = env.reset(seed=0)

    @jax.jit
    def run(obs: Any, state: Any) -> Any:
        def step(carry: Any) -> Any:
            _, state, _, steps = carry
            made = env.step(state, ONES)
            return made.obs, made.state, made.done, steps + 1

        start = (obs, state, jnp.zeros(3, bool), 0)
        return jax.lax.while_loop(lambda carry: ~carry[2].any(), step, start)

    _, _, done, steps = run(obs, state)
    with envpool_py.make("CartPole-v1", num_envs=3) as pool:
        pool.reset(seed=0)
        for _ in range(int(steps)):
            _, _, terminated, truncated, _ = pool.step(ONES)
        np.testing.assert_array_equal(done, terminated | truncated)
        assert done.any()


def test_fori_loop_and_cond(env: Any) -> None:
    _, state = env.reset(seed=0)

    @jax.jit
    def run(state: Any, n: Any) -> Any:
        def body(i: Any, state: Any) -> Any:
            return jax.lax.cond(i % 2 == 0, lambda s: env.step(s, ONES).state, lambda s: s, state)

        return env.step(jax.lax.fori_loop(0, n, body, state), ONES).info["elapsed_step"]

    assert run(state, 7).tolist() == [5, 5, 5]


def test_results_that_nobody_uses_are_stepped_nevertheless(env: Any) -> None:
    _, state = env.reset(seed=0)

    @jax.jit
    def run(state: Any) -> Any:
        return env.step(state, ONES).state

    for _ in range(3):
        state = run(state)
    assert env.step(state, ONES).info["elapsed_step"].tolist() == [4, 4, 4]


def test_the_policy_may_be_vectorised(env: Any) -> None:
    obs, state = env.reset(seed=0)

    def policy(row: Any) -> Any:
        return jnp.where(row @ jnp.arange(4.0) > 0, 1, 0)

    @jax.jit
    def run(obs: Any, state: Any) -> Any:
        return env.step(state, jax.vmap(policy)(obs)).obs

    assert run(obs, state).shape == (3, 4)


def test_donated_states(env: Any) -> None:
    _, state = env.reset(seed=0)
    step = jax.jit(lambda state: env.step(state, ONES), donate_argnums=0)
    for t in range(1, 4):
        made = step(state)
        state = made.state
        assert made.info["elapsed_step"].tolist() == [t] * 3


def test_a_reset_in_a_program(env: Any) -> None:
    @jax.jit
    def run(key: Any, state: Any) -> Any:
        obs, state = env.reset(key, state)
        return obs, env.step(state, ONES)

    state = env.state()
    first, made = run(jax.random.key(1), state)
    again, made = run(jax.random.key(1), made.state)
    other, made = run(jax.random.key(2), made.state)
    np.testing.assert_array_equal(first, again)
    assert (np.asarray(first) != np.asarray(other)).all()


def test_a_pool_on_each_device() -> None:
    devices = jax.devices()
    if len(devices) < 2:
        pytest.skip("JAX was used before it was told to have two devices")
    if not hasattr(jax, "shard_map"):
        pytest.skip("this JAX has it in jax.experimental, without types for what varies")
    mesh = Mesh(np.array(devices[:2]), ("d",))
    envs = [envpool_py.jax.make("CartPole-v1", num_envs=3) for _ in range(2)]
    starts = [env.reset(seed=seed) for seed, env in enumerate(envs)]
    obs = jnp.stack([obs for obs, _ in starts])
    state = jnp.stack([state for _, state in starts])
    per_device = PartitionSpec("d")

    @jax.jit
    @partial(jax.shard_map, mesh=mesh, in_specs=(per_device, per_device), out_specs=per_device)
    def run(obs: Any, state: Any) -> Any:
        def step(carry: Any, _: None) -> Any:
            obs, state = carry
            made = envs[0].step(state, (obs[:, 2] > 0).astype(jnp.int32))
            return (made.obs, made.state), made.reward

        (last, _), rewards = jax.lax.scan(step, (obs[0], state[0]), None, 20)
        return last[None], rewards[None]

    last, rewards = run(obs, state)
    for seed, env in enumerate(envs):
        with envpool_py.make("CartPole-v1", num_envs=3) as pool:
            expected, _ = pool.reset(seed=seed)
            for t in range(20):
                expected, reward, *_ = pool.step((expected[:, 2] > 0).astype(np.int32))
                np.testing.assert_array_equal(rewards[seed, t], reward)
            np.testing.assert_array_equal(last[seed], expected)
        env.close()
