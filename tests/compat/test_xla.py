"""EnvPool's `xla()`: its programs run, with the same results as `step`, `send` and `recv`."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import envpool_py.compat.envpool as envpool

jax = pytest.importorskip("jax")
jnp = jax.numpy

JaxError = jax.errors.JaxRuntimeError


def equal(came: Any, expected: Any, *, close: bool = False) -> None:
    """Compares results of a compiled program with those of the pool.

    Dtypes that JAX lacks are converted first. If `close`, float results other than observations
    may differ in the last bits.
    """
    came_leaves = jax.tree_util.tree_leaves_with_path(came)
    for (path, one), other in zip(came_leaves, jax.tree.leaves(expected), strict=True):
        wanted = np.asarray(other)
        wanted = wanted.astype(jax.dtypes.canonicalize_dtype(wanted.dtype))
        assert one.dtype == wanted.dtype, path
        # The observations: a Gymnasium pool's first result, a dm pool's `observation.obs`.
        is_observation = str(path[-1]) in ("[0]", ".obs")
        if close and wanted.dtype.kind == "f" and not is_observation:
            np.testing.assert_allclose(one, wanted, 1e-5, 1e-7, err_msg=str(path))
        else:
            np.testing.assert_array_equal(one, wanted, str(path))


def pair(make: Any, task_id: str, **arguments: Any) -> tuple[Any, Any]:
    """Makes two pools with the same arguments and seed."""
    return make(task_id, seed=4, **arguments), make(task_id, seed=4, **arguments)


@pytest.mark.parametrize("make", [envpool.make_gymnasium, envpool.make_dm])
@pytest.mark.parametrize(
    "task_id", ["CartPole-v1", "Acrobot-v1", "Blackjack-v1", "Pendulum-v1", "HalfCheetah-v4"]
)
def test_steps_like_the_pool(make: Any, task_id: str) -> None:
    env, other = pair(make, task_id, num_envs=3, max_episode_steps=5)
    handle, _, _, step = env.xla()
    step = jax.jit(step)
    env.reset()
    other.reset()
    spec = env.spec.action_array_spec["action"]
    rng = np.random.default_rng(0)
    for _ in range(12):
        shape = (3, *(size for size in spec.shape if size != -1))
        if spec.dtype.kind == "f":
            action = rng.uniform(-0.5, 0.5, shape).astype(np.float32)
        else:
            action = rng.integers(0, 2, shape).astype(np.int32)
        handle, came = step(handle, action)
        # XLA computes Acrobot's angles. Without float64, MuJoCo's actions and control costs are
        # float32.
        equal(came, other.step(action), close=task_id in ("Acrobot-v1", "HalfCheetah-v4"))
    env.close()
    other.close()


@pytest.mark.parametrize("make", [envpool.make_gymnasium, envpool.make_dm])
def test_sends_and_receives(make: Any) -> None:
    env, other = pair(make, "CartPole-v1", num_envs=4)
    handle, recv, send, _ = env.xla()
    env.async_reset()
    other.async_reset()
    action = np.ones(4, np.int32)
    for _ in range(30):
        handle, came = recv(handle)
        handle = send(handle, action)
        expected = other.recv()
        other.send(action)
        equal(came, expected)


def test_a_loop_over_the_first_that_are_ready() -> None:
    """The same loop as in EnvPool's own test."""
    env = envpool.make_gymnasium("CartPole-v1", num_envs=10, batch_size=5, num_threads=2)
    handle, recv, send, _ = env.xla()
    env.async_reset()
    handle, results = recv(handle)
    handle = send(handle, np.ones(5, np.int32), env_id=results[-1]["env_id"])

    def body(_: Any, handle: Any) -> Any:
        handle, results = recv(handle)
        return send(handle, jnp.ones(5, jnp.int32), env_id=results[-1]["env_id"])

    jax.block_until_ready(jax.jit(lambda length: jax.lax.fori_loop(0, length, body, handle))(100))
    assert env.pool.stats()["steps"] > 400


def test_games_are_counted_over_lives() -> None:
    """With CleanRL's settings each life is an episode, and "elapsed_step" counts the whole game."""
    arguments = {"num_envs": 2, "episodic_life": True, "reward_clip": True, "frame_skip": 4}
    env, other = pair(envpool.make_gymnasium, "Breakout-v5", **arguments)
    handle, _, _, step = env.xla()
    assert (handle.dtype, handle.ndim) == (np.uint8, 1)  # programs store it as an array
    env.reset()
    other.reset()

    @jax.jit
    def run(handle: Any, actions: Any) -> Any:
        return jax.lax.scan(step, handle, actions)

    actions = np.random.default_rng(1).integers(0, 4, (150, 2)).astype(np.int32)
    handle, (_, rewards, terminated, truncated, infos) = run(handle, actions)
    for t, action in enumerate(actions):
        _, reward, term, trunc, info = other.step(action)
        np.testing.assert_array_equal(rewards[t], reward)
        np.testing.assert_array_equal(terminated[t], term)
        np.testing.assert_array_equal(truncated[t], trunc)
        for name in ("elapsed_step", "lives", "reward", "terminated"):
            np.testing.assert_array_equal(infos[name][t], info[name], name)
    assert terminated.any()


def test_the_first_handle_is_valid_after_a_reset_from_python() -> None:
    env = envpool.make_gymnasium("CartPole-v1", num_envs=2)
    first, _, _, step = env.xla()
    action = np.ones(2, np.int32)
    for _ in range(2):
        env.reset()
        handle, _ = step(first, action)
        handle, results = step(handle, action)
        assert results[-1]["elapsed_step"].tolist() == [2, 2]
        with pytest.raises(JaxError, match="state: this one is for a reset only"):
            jax.block_until_ready(step(first, action))
    env.reset()
    _, results = step(handle, action)
    assert results[-1]["elapsed_step"].tolist() == [1, 1]


def test_actions_as_envpool_takes_them() -> None:
    env, other = pair(envpool.make_gymnasium, "CartPole-v1", num_envs=3)
    handle, _, _, step = env.xla()
    env.reset()
    other.reset()
    ids = np.array([2, 0], np.int32)
    action = {"action": np.ones(2, np.int32), "env_id": ids}
    handle, came = step(handle, action)
    equal(came, other.step(action))
    handle, came = step(handle, np.array([0.7, 1.2, 0.0]))  # fractions are truncated
    equal(came, other.step(np.array([0, 1, 0])))
    with pytest.raises(RuntimeError, match="action: expected the shape"):
        step(handle, np.ones((3, 2), np.int32))


def test_64_bits() -> None:
    """EnvPool's own `xla()` fails or corrupts memory with 64-bit actions."""
    jax.config.update("jax_enable_x64", True)
    try:
        env, other = pair(envpool.make_gymnasium, "HalfCheetah-v4", num_envs=2)
        handle, _, _, step = env.xla()
        env.reset()
        other.reset()
        action = np.full((2, 6), 0.25)
        for _ in range(3):
            handle, came = jax.jit(step)(handle, action)
            equal(came, other.step(action))
        assert came[0].dtype == np.float64
    finally:
        jax.config.update("jax_enable_x64", False)


def test_needs_jax(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    for name in [name for name in sys.modules if name.startswith("envpool_py.jax")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "jax", None)
    env = envpool.make_gymnasium("CartPole-v1")
    with pytest.raises(ImportError, match=r"pip install 'jax>=0.6'"):
        env.xla()


def test_the_loop_of_cleanrl() -> None:
    """A rollout of CleanRL's script with its statistics, over several updates."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        envs = envpool.make(
            "Pong-v5",
            env_type="gym",
            num_envs=2,
            episodic_life=True,
            reward_clip=True,
            seed=1,
        )
    handle, _recv, _send, step_env = envs.xla()
    next_obs, _ = envs.reset()

    @jax.jit
    def rollout(next_obs: Any, key: Any, handle: Any, returns: Any) -> Any:
        rewards = jnp.zeros((8, 2))
        for step in range(8):
            key, subkey = jax.random.split(key)
            action = jax.random.randint(subkey, (2,), 0, 6)
            handle, (next_obs, reward, term, trunc, info) = step_env(handle, action)
            over = term | trunc
            returns = (returns + info["reward"]) * (1 - over)
            rewards = rewards.at[step].set(reward)
        return next_obs, key, handle, returns, rewards

    key, returns = jax.random.key(0), jnp.zeros(2)
    for _ in range(3):
        next_obs, key, handle, returns, rewards = rollout(next_obs, key, handle, returns)
    assert next_obs.shape == (2, 4, 84, 84)
    assert next_obs.dtype == np.uint8
    assert rewards.shape == (8, 2)
