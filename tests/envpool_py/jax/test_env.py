"""The results of compiled programs are those of `step`, bit for bit."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import envpool_py
import envpool_py.jax
from envpool_py.errors import OptionError

from .comparing import actions_of, assert_same, assert_same_infos, assert_same_step

# Tasks that cover each kind of observation, action and info.
TASKS = [
    "CartPole-v1",
    "Pendulum-v1",
    "FrozenLake-v1",
    "Blackjack-v1",
    "MiniGrid-Empty-5x5-v0",
    "HalfCheetah-v5",
    "Pong-v5",
    "Testing/MultiField-v0",
    "Testing/TreeAction-v0",
]
MODES = ["NextStep", "SameStep", "Disabled"]
STEPS = 30


def compare(task_id: str | list[str], num_envs: int, steps: int, **arguments: Any) -> None:
    arguments["max_episode_steps"] = 10
    env = envpool_py.jax.make(task_id, num_envs=num_envs, **arguments)
    with env, envpool_py.make(task_id, num_envs=num_envs, **arguments) as pool:
        step = jax.jit(env.step)
        reset = jax.jit(env.reset)
        obs, state, info = env.reset(seed=5, return_info=True)
        expected, infos = pool.reset(seed=5)
        assert_same(obs, expected)
        assert_same_infos(info, infos, num_envs)
        for number, actions in enumerate(actions_of(pool, steps)):
            made = step(state, actions) if number else env.step(state, actions)
            wanted = pool.step(actions)
            assert_same_step(made, wanted)
            state = made.state
            over = wanted[2] | wanted[3]
            if arguments.get("autoreset_mode") == "Disabled" and over.any():
                obs, state = reset(state=state, mask=over)
                assert_same(obs, pool.reset(options={"reset_mask": over})[0])


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("task_id", TASKS)
def test_equals_step(task_id: str, mode: str, testing: Any) -> None:
    compare(task_id, 3, STEPS, autoreset_mode=mode, record_episode_statistics=True)


def test_equals_step_of_several_tasks() -> None:
    compare(
        ["MiniGrid-Empty-5x5-v0", "MiniGrid-DoorKey-8x8-v0"], 4, STEPS, autoreset_mode="SameStep"
    )


@pytest.mark.parametrize("task_id", ["CartPole-v1", "Blackjack-v1", "MiniGrid-Empty-5x5-v0"])
def test_equals_step_where_rows_are_written_in_place(task_id: str) -> None:
    compare(task_id, 300, STEPS, autoreset_mode="SameStep")


@pytest.mark.parametrize("task_id", ["HalfCheetah-v5", "FrozenLake-v1", "Blackjack-v1"])
def test_has_64_bits_on_request(task_id: str, x64: None) -> None:
    compare(task_id, 300, STEPS, autoreset_mode="SameStep")


@pytest.mark.long
@pytest.mark.usefixtures("task_packages")
@pytest.mark.parametrize(
    "task_id",
    [task_id for task_id in envpool_py.list_all_envs() if not task_id.startswith("MPE-")],
)
def test_every_task_equals_step(task_id: str) -> None:
    compare(task_id, 2, 12, autoreset_mode="SameStep")


def test_float64_actions_are_kept(x64: None) -> None:
    """Some infos have the action's dtype."""
    env = envpool_py.jax.make("Reacher-v5", num_envs=2)
    with env, envpool_py.make("Reacher-v5", num_envs=2) as pool:
        _, state = env.reset(seed=1)
        pool.reset(seed=1)
        for dtype in (np.float64, np.float32):
            actions = np.full((2, 2), 0.1, dtype)
            made = env.step(state, jnp.asarray(actions))
            assert_same_step(made, pool.step(actions))
            state = made.state


def test_infos_of_integer_actions() -> None:
    """Python gives them float64, and JAX without 64-bit types float32; no row is missing."""
    with (
        envpool_py.jax.make("Reacher-v5", num_envs=2) as env,
        envpool_py.make("Reacher-v5", num_envs=2) as pool,
    ):
        _, state = env.reset(seed=1)
        pool.reset(seed=1)
        for dtype in (np.int32, np.float32):
            actions = np.ones((2, 2), dtype)
            made = env.step(state, jnp.asarray(actions))
            infos = pool.step(actions)[4]
            assert made.info["_reward_ctrl"].all()
            expected = infos["reward_ctrl"].astype(np.float32)
            np.testing.assert_array_equal(made.info["reward_ctrl"], expected)
            state = made.state


def test_infos_of_float64_actions_that_were_sent(x64: None) -> None:
    with (
        envpool_py.jax.make("Reacher-v5", num_envs=2) as env,
        envpool_py.make("Reacher-v5", num_envs=2) as pool,
    ):
        _, state = env.reset(seed=1)
        pool.reset(seed=1)
        actions = np.full((2, 2), 0.1)
        made = env.recv(env.send(state, jnp.asarray(actions)))
        infos = pool.step(actions)[4]
        assert made.info["_reward_ctrl"].all()
        expected = infos["reward_ctrl"].astype(np.float32)
        np.testing.assert_array_equal(made.info["reward_ctrl"], expected)
        # Lists are float64, too.
        made = env.step(made.state, actions.tolist())
        infos = pool.step(actions)[4]
        assert made.info["reward_ctrl"].dtype == np.float64
        np.testing.assert_array_equal(made.info["reward_ctrl"], infos["reward_ctrl"])


def rollout(env: Any) -> Any:
    def step(carry: Any, _: None) -> Any:
        obs, state = carry
        made = env.step(state, (obs[:, 2] > 0).astype(jnp.int32))
        return (made.obs, made.state), (made.obs, made.reward, made.done, made.info)

    def run(obs: Any, state: Any, length: int) -> Any:
        return jax.lax.scan(step, (obs, state), None, length)

    return jax.jit(run, static_argnums=2)


@pytest.mark.parametrize("num_envs", [1, 8, 600])
def test_a_scan_equals_a_loop(num_envs: int) -> None:
    env = envpool_py.jax.make("CartPole-v1", num_envs=num_envs)
    with env, envpool_py.make("CartPole-v1", num_envs=num_envs) as pool:
        obs, state = env.reset(seed=2)
        run = rollout(env)
        _, (seen, rewards, done, infos) = run(obs, state, 200)
        expected, _ = pool.reset(seed=2)
        for t in range(200):
            expected, reward, terminated, truncated, info = pool.step(
                (expected[:, 2] > 0).astype(np.int32)
            )
            assert_same(seen[t], expected)
            assert_same(rewards[t], reward)
            assert_same(done[t], terminated | truncated)
            assert_same(infos["elapsed_step"][t], info["elapsed_step"])


def test_effects_keep_their_order() -> None:
    """Runs a thousand scans of several calls each, in programs whose effects XLA may reorder."""
    env = envpool_py.jax.make("CartPole-v1", num_envs=4)
    with env, envpool_py.make("CartPole-v1", num_envs=4) as pool:
        obs, state = env.reset(seed=9)
        expected, _ = pool.reset(seed=9)
        run = rollout(env)
        seen = []
        for _ in range(1000):
            (obs, state), (steps, *_) = run(obs, state, 3)
            seen.append(steps)
        for steps in seen:
            for t in range(3):
                expected = pool.step((expected[:, 2] > 0).astype(np.int32))[0]
                assert_same(steps[t], expected)


def test_some_environments_are_stepped() -> None:
    env = envpool_py.jax.make("CartPole-v1", num_envs=4)
    with env, envpool_py.make("CartPole-v1", num_envs=4) as pool:
        _, state = env.reset(seed=0)
        pool.reset(seed=0)
        ids, actions = np.array([2, 0], np.int32), np.ones(2, np.int32)
        made = jax.jit(env.step)(state, actions, ids)
        assert_same_step(made, pool.step(actions, ids))


def test_first_ready_pools() -> None:
    """Each environment follows its own trajectory, no matter how batches group them."""
    env = envpool_py.jax.make("CartPole-v1", num_envs=6, batch_size=2)
    with env, envpool_py.make("CartPole-v1", num_envs=6) as pool:
        _, state = env.reset(seed=4)
        pool.reset(seed=4)
        expected = {t: pool.step(np.ones(6, np.int32))[0] for t in range(1, 13)}
        state = env.send(state, jnp.ones(6, jnp.int32))

        @jax.jit
        def run(state: Any) -> Any:
            def step(state: Any, _: None) -> Any:
                made = env.recv(state)
                ids = made.info["env_id"]
                return env.send(made.state, jnp.ones(2, jnp.int32), ids), (made.obs, made.info)

            return jax.lax.scan(step, state, None, 30)

        state, (obs, infos) = run(state)
        steps = dict.fromkeys(range(6), 0)
        for batch, ids in zip(np.asarray(obs), np.asarray(infos["env_id"]), strict=True):
            for row, env_id in zip(batch, ids, strict=True):
                steps[int(env_id)] += 1
                if steps[int(env_id)] <= 12:
                    np.testing.assert_array_equal(row, expected[steps[int(env_id)]][env_id])
        made = env.recv(state)
        made = env.step(made.state, jnp.ones(2, jnp.int32), made.info["env_id"])
        assert made.obs.shape == (2, 4)


def test_resets_with_options(testing: Any) -> None:
    options = {"low": -0.01, "high": 0.01}
    env = envpool_py.jax.make("CartPole-v1", num_envs=3, reset_options=options)
    with env, envpool_py.make("CartPole-v1", num_envs=3) as pool:
        obs, _ = env.reset(seed=1)
        assert_same(obs, pool.reset(seed=1, options=options)[0])
    with pytest.raises(OptionError, match="lo"):
        envpool_py.jax.make("CartPole-v1", reset_options={"lo": 1.0})


def test_buffers_are_written_in_place() -> None:
    env = envpool_py.jax.make("CartPole-v1", num_envs=300)
    with env, envpool_py.make("CartPole-v1", num_envs=300) as pool:
        obs, state = env.reset(seed=2)

        @jax.jit
        def run(obs: Any, state: Any) -> Any:
            def step(carry: Any, t: Any) -> Any:
                obs, state, buffers = carry
                actions = (obs[:, 2] > 0).astype(jnp.int32)
                made, buffers = env.step_into(state, actions, buffers, t)
                return (made.obs, made.state, buffers), made.reward

            carry = (obs, state, env.buffers(20))
            return jax.lax.scan(step, carry, jnp.arange(20))

        (last, _, buffers), rewards = run(obs, state)
        expected, _ = pool.reset(seed=2)
        for t in range(20):
            expected, reward, *_ = pool.step((expected[:, 2] > 0).astype(np.int32))
            assert_same(buffers[t], expected)
            assert_same(rewards[t], reward)
        assert_same(last, expected)


def test_buffers_of_nested_observations(testing: Any) -> None:
    env = envpool_py.jax.make("Testing/MultiField-v0", num_envs=2)
    with env, envpool_py.make("Testing/MultiField-v0", num_envs=2) as pool:
        _, state = env.reset(seed=2)
        pool.reset(seed=2)
        actions = actions_of(pool, 1)[0]
        made, buffers = jax.jit(env.step_into)(state, actions, env.buffers(3), 1)
        expected = pool.step(actions)
        assert_same_step(made, expected)
        assert_same(jax.tree.map(lambda buffer: buffer[1], buffers), expected[0])
        assert not any(np.asarray(buffer[0]).any() for buffer in jax.tree.leaves(buffers))


def test_envpools_functions() -> None:
    env = envpool_py.jax.make("CartPole-v1", num_envs=2)
    with env, envpool_py.make("CartPole-v1", num_envs=2) as pool:
        env.reset(seed=0)
        pool.reset(seed=0)
        handle, recv, send, step = env.xla()
        actions = np.array([0, 1], np.int32)
        handle, results = step(handle, actions)
        expected = pool.step(actions)
        assert_same(results[:4], expected[:4])
        handle, results = recv(send(handle, actions))
        assert_same(results[:4], pool.step(actions)[:4])


def test_the_pool_stays_usable_from_python() -> None:
    pool = envpool_py.make("CartPole-v1", num_envs=2)
    env = envpool_py.jax.JaxEnv(pool)
    _, state = env.reset(seed=0)
    made = env.step(state, jnp.ones(2, jnp.int32))
    pool.step(np.ones(2, np.int32))
    made = env.step(made.state, jnp.ones(2, jnp.int32))
    assert made.info["elapsed_step"].tolist() == [3, 3]
    assert repr(env) == f"JaxEnv({pool!r})"
    env.close()
