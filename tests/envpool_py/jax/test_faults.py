"""Mistakes raise errors that say what to do; known faults of EnvPool's `xla()` are covered."""

from __future__ import annotations

import gc
import importlib
import sys
from typing import Any

import gymnasium
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import envpool_py
import envpool_py.jax
from envpool_py.errors import InputError, InputTypeError, MissingPackageError

JaxError = jax.errors.JaxRuntimeError
ONES = np.ones(3, np.int32)


@pytest.fixture
def env() -> Any:
    with envpool_py.jax.make("CartPole-v1", num_envs=3) as made:
        yield made


def fails(message: str, call: Any, *args: Any) -> None:
    with pytest.raises(JaxError, match=message):
        jax.block_until_ready(call(*args))


@pytest.mark.parametrize("wrap", [jax.jit, lambda function: function], ids=["jit", "plain"])
def test_a_state_that_was_used(env: Any, wrap: Any) -> None:
    _, state = env.reset(seed=0)
    step = wrap(env.step)
    made = step(state, ONES)
    fails("InputError: state: .* a state can be used once", step, state, ONES)
    assert step(made.state, ONES).info["elapsed_step"].tolist() == [2, 2, 2]


def test_a_state_used_twice_in_one_program(env: Any) -> None:
    _, state = env.reset(seed=0)

    @jax.jit
    def run(state: Any) -> Any:
        return env.step(state, ONES).obs + env.step(state, ONES).obs

    fails("a state can be used once", run, state)


def test_receiving_twice(env: Any) -> None:
    _, state = env.reset(seed=0)
    made = env.recv(env.send(state, ONES))
    fails("NothingInFlightError: recv: expected at least", env.recv, made.state)
    # A refused call does not use up the state.
    assert env.step(made.state, ONES).obs.shape == (3, 4)


def test_a_pool_that_is_closed(env: Any) -> None:
    _, state = env.reset(seed=0)
    step = jax.jit(env.step)
    made = step(state, ONES)
    env.close()
    fails("ClosedError: the pool of CartPole-v1, num_envs=3 is closed", step, made.state, ONES)


def test_a_pool_that_is_gone() -> None:
    def make() -> Any:
        env = envpool_py.jax.make("CartPole-v1", num_envs=3)
        return env.reset(seed=0)[1]

    state = make()
    gc.collect()
    with envpool_py.jax.make("CartPole-v1", num_envs=3) as other:
        fails("ClosedError: state: its pool no longer exists", other.step, state, ONES)


@pytest.mark.parametrize("numbers", [[0, 0, 0, 0], [1, 2, 3, 4], [2**32 - 1] * 4])
def test_a_state_that_never_was(env: Any, numbers: list[int]) -> None:
    state = jnp.asarray(np.array(numbers, np.uint32))
    fails("InputError: state: expected one that", env.step, state, ONES)


@pytest.mark.parametrize("tries", [300, pytest.param(1_000_000, marks=pytest.mark.long)])
def test_changed_states(env: Any, tries: int) -> None:
    """An error that says why, whatever the numbers are; the right state is still valid."""
    rng = np.random.default_rng(0)
    other = envpool_py.jax.make("CartPole-v1", num_envs=3)
    _, state = env.reset(seed=0)
    other.reset(seed=0)
    made = env.step(state, ONES)
    calls = [jax.jit(env.recv), jax.jit(lambda given: env.step(given, ONES))]
    calls.append(jax.jit(lambda given: env.send(given, ONES)))
    values = np.array([0, 1, 2, 3, 2**31, 2**32 - 2, 2**32 - 1], np.uint32)
    for _ in range(tries):
        numbers = np.asarray(made.state).copy()
        place = int(rng.integers(4))
        kind = int(rng.integers(4))
        if kind == 0:
            numbers[place] ^= np.uint32(1 << int(rng.integers(32)))
        elif kind == 1:
            numbers[place] = rng.choice(values)
        elif kind == 2:
            numbers += np.where(np.arange(4) == place, rng.choice(values), 0).astype(np.uint32)
        else:
            numbers = rng.integers(0, 2**32, 4, np.uint32)
        right = np.array_equal(numbers, made.state)
        if right or np.array_equal(numbers, other.state()):
            continue
        fails("InputError: state: |ClosedError: ", calls[int(rng.integers(3))], numbers)
    assert env.step(made.state, ONES).info["elapsed_step"].tolist() == [2, 2, 2]
    assert other.step(other.state(), ONES).info["elapsed_step"].tolist() == [1, 1, 1]
    other.close()


def test_wrong_shapes_are_found_when_tracing(env: Any) -> None:
    _, state = env.reset(seed=0)
    step = jax.jit(env.step)
    for actions in (ONES[:2], np.ones((3, 1), np.int32), np.int32(1)):
        with pytest.raises(InputError, match=r"actions: expected the shape \(3,\)"):
            step(state, actions)
    with pytest.raises(InputError, match=r"state: expected uint32 \(4,\)"):
        step(state[:3], ONES)
    with pytest.raises(InputError, match=r"state: expected uint32 \(4,\)"):
        step(state.astype(np.int32), ONES)
    with pytest.raises(InputTypeError, match="actions: expected"):
        env.step(state, "up")
    for ids in (np.zeros((1, 1), np.int32), np.zeros(0, np.int32), np.zeros(3, np.float32)):
        with pytest.raises(InputError, match="env_id: expected integers"):
            step(state, ONES, ids)
    with pytest.raises(InputError, match="mask: expected bool"):
        env.reset(mask=np.ones(2, bool))
    with pytest.raises(InputError, match="buffers: expected float32"):
        env.step_into(state, ONES, jnp.zeros((5, 2, 4)), 0)
    assert step(state, ONES).info["elapsed_step"].tolist() == [1, 1, 1]


def test_wrong_values(env: Any) -> None:
    _, state = env.reset(seed=0)
    step = jax.jit(env.step)
    fails("InputError: actions", step, state, ONES * 7)
    fails("InputTypeError: actions", step, state, ONES.astype(np.float32))
    fails("EnvIdError: env_id.* 5", step, state, ONES, np.array([0, 1, 5], np.int32))
    fails("EnvIdError: env_id.* 1", step, state, ONES, np.array([0, 1, 1], np.int32))
    fails(r"t: expected an integer in \[0, 4\]", env.step_into, state, ONES, env.buffers(5), 5)
    assert step(state, ONES).info["elapsed_step"].tolist() == [1, 1, 1]


def test_a_step_before_the_first_reset() -> None:
    with envpool_py.jax.make("CartPole-v1", num_envs=3) as env:
        fails("ResetNeededError: environment 0", env.step, env.state(), ONES)
        _, state = env.reset(seed=0)
        assert env.step(state, ONES).obs.shape == (3, 4)


def test_an_environment_that_fails(testing: Any) -> None:
    """The other environments have stepped; `state()` returns a state to continue with."""
    with envpool_py.jax.make("Testing/Failing-v0", num_envs=2) as env:
        _, state = env.reset(seed=0)
        step = jax.jit(env.step)
        throws, fine = 1, 0
        fails("EnvironmentFailedError: environment 1", step, state, np.array([fine, throws]))
        fails("a state can be used once", step, state, np.array([fine, fine]))
        state = env.state()
        fails("ResetNeededError: environment 1", step, state, np.array([fine, fine]))
        _, state = env.reset(state=state, mask=np.array([False, True]))
        made = step(state, np.array([fine, fine]))
        assert made.info["elapsed_step"].tolist() == [2, 1]


def test_vmap_over_the_environments_is_refused(env: Any) -> None:
    _, state = env.reset(seed=0)
    states = jnp.stack([state, state])
    actions = jnp.ones((2, 3), jnp.int32)

    def scanned(state: Any, actions: Any) -> Any:
        return jax.lax.scan(
            lambda state, _: (env.step(state, actions).state, None), state, None, 2
        )[0]

    for call in (env.step, jax.jit(env.step), scanned):
        with pytest.raises(InputError, match=r"step: cannot be called under jax\.vmap"):
            jax.vmap(call)(states, actions)
    for call in (lambda s: env.reset(state=s), env.recv):
        with pytest.raises(InputError, match=r"cannot be called under jax\.vmap"):
            jax.vmap(call)(states)


def test_gradients_are_refused() -> None:
    with envpool_py.jax.make("Pendulum-v1", num_envs=2) as env:
        _, state = env.reset(seed=0)

        def loss(gain: Any, stop: bool) -> Any:
            actions = gain * jnp.ones((2, 1))
            if stop:
                actions = jax.lax.stop_gradient(actions)
            return env.step(state, actions).reward.sum() * gain

        with pytest.raises(InputError, match="cannot be differentiated"):
            jax.grad(loss)(0.5, False)
        assert jax.grad(loss)(0.5, True) < 0


def test_another_task(env: Any) -> None:
    """A compiled program refuses a pool with other results before it steps any environment."""
    env.reset(seed=0)
    with envpool_py.jax.make("MountainCar-v0", num_envs=3) as other:
        _, state = other.reset(seed=0)
        fails(
            "InputError: state: this program was compiled for another layout", env.step, state, ONES
        )
        assert other.step(state, ONES).obs.shape == (3, 2)


def test_another_size(env: Any) -> None:
    with envpool_py.jax.make("CartPole-v1", num_envs=4) as other:
        _, state = other.reset(seed=0)
        fails("compiled for a pool of another size", env.step, state, ONES)


def test_one_compilation_for_many_pools() -> None:
    compiled = None
    for seed in range(30):
        with envpool_py.jax.make("CartPole-v1", num_envs=3, num_threads=1) as env:
            compiled = compiled or jax.jit(lambda s, a, step=env.step: step(s, a).obs)
            _, state = env.reset(seed=seed)
            expected = envpool_py.make("CartPole-v1", num_envs=3)
            expected.reset(seed=seed)
            np.testing.assert_array_equal(compiled(state, ONES), expected.step(ONES)[0])
            assert env.pool.stats()["leased_blocks"] == 0
    assert compiled._cache_size() == 1


def cartpole() -> Any:
    return gymnasium.make("CartPole-v1")


def test_pools_that_are_refused() -> None:
    dm = envpool_py.make("CartPole-v1", env_type="dm")
    with dm, pytest.raises(InputTypeError, match="pool: expected a GymnasiumPool"):
        envpool_py.jax.JaxEnv(dm)
    python = envpool_py.make_python(cartpole, 1)
    with python, pytest.raises(InputTypeError, match="cannot be part of a compiled program"):
        envpool_py.jax.JaxEnv(python)


def test_without_jax(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith("envpool_py.jax")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "jax", None)
    with pytest.raises(MissingPackageError, match=r"pip install 'jax>=0.6'"):
        importlib.import_module("envpool_py.jax")
