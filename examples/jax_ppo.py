"""PPO in JAX: environments, rollout, learning and statistics in one compiled program.

    pip install '.[jax]' optax
    python examples/jax_ppo.py                      # this package
    python examples/jax_ppo.py --engine gymnasium   # gymnasium.vector, called from the program
    python examples/jax_ppo.py --engine envpool     # EnvPool's xla()

A call of the compiled program makes several updates. An update is a rollout, one `lax.scan` over
`env.step`, followed by the epochs of learning, which are `lax.scan`s as well. The program writes a
record with the learning curve over steps and over seconds.

All three engines reset in NextStep mode: the step after an episode's end resets, and its action is
ignored. These steps are left out of the loss. The observation of a truncated step is the last of
its episode, so its value is bootstrapped.
"""

from __future__ import annotations

import argparse
import itertools
import json
import platform
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax


class Settings(NamedTuple):
    """The constants for which the program is compiled."""

    task_id: str
    num_envs: int
    num_steps: int  # steps per rollout
    updates_per_call: int
    epochs: int
    num_minibatches: int
    learning_rate: float
    total_updates: int
    gamma: float = 0.99
    gae_lambda: float = 0.95
    clip: float = 0.2
    entropy_cost: float = 0.01
    value_cost: float = 0.5
    max_gradient: float = 0.5


# --- Environments: (first observations, first state, step). A step takes a state and actions, and
# returns observations, state, rewards, terminated, truncated.

Step = Callable[[Any, Any], tuple[Any, Any, Any, Any, Any]]


def ours(task_id: str, num_envs: int, seed: int) -> tuple[Any, Any, Step]:
    """This package."""
    import envpool_py.jax

    env = envpool_py.jax.make(task_id, num_envs=num_envs)
    obs, state = env.reset(seed=seed)
    return obs, state, lambda state, actions: env.step(state, actions)[:5]


def gymnasium(task_id: str, num_envs: int, seed: int) -> tuple[Any, Any, Step]:
    """Gymnasium's vector environment, called back from the program."""
    import gymnasium as gym
    from jax.experimental import io_callback

    envs = gym.make_vec(task_id, num_envs, "sync")
    first, _ = envs.reset(seed=seed)
    flags = jax.ShapeDtypeStruct((num_envs,), np.bool_)
    results = (
        jax.ShapeDtypeStruct(first.shape, first.dtype),
        jax.ShapeDtypeStruct((num_envs,), np.float32),
        flags,
        flags,
    )

    def call(actions: Any) -> Any:
        obs, reward, terminated, truncated, _ = envs.step(np.asarray(actions))
        return obs, reward.astype(np.float32), terminated, truncated

    def step(state: Any, actions: Any) -> Any:
        obs, *rest = io_callback(call, results, actions, ordered=True)
        return obs, state, *rest

    return jnp.asarray(first), jnp.zeros(()), step


def envpool(task_id: str, num_envs: int, seed: int) -> tuple[Any, Any, Step]:
    """EnvPool."""
    import envpool as package

    envs = package.make_gymnasium(task_id, num_envs=num_envs, seed=seed)
    handle, _, _, xla_step = envs.xla()
    first, _ = envs.reset()

    def step(state: Any, actions: Any) -> Any:
        state, (obs, reward, terminated, truncated, _) = xla_step(state, actions)
        return obs, state, reward, terminated, truncated

    return jnp.asarray(first), jnp.asarray(handle), step


ENGINES = {"envpool_py": ours, "gymnasium": gymnasium, "envpool": envpool}


# --- Networks: two layers of 64 for the policy, and two for the values.


def layers(key: Any, sizes: list[int], last_scale: float) -> list[tuple[Any, Any]]:
    """Orthogonal weights and zero biases."""
    made = []
    for i, (rows, columns) in enumerate(itertools.pairwise(sizes)):
        scale = last_scale if i == len(sizes) - 2 else 2**0.5
        key, own = jax.random.split(key)
        weights = jax.nn.initializers.orthogonal(scale)(own, (rows, columns))
        made.append((weights, jnp.zeros(columns)))
    return made


def apply(network: list[tuple[Any, Any]], inputs: Any) -> Any:
    """Returns the outputs of a network."""
    for weights, biases in network[:-1]:
        inputs = jnp.tanh(inputs @ weights + biases)
    weights, biases = network[-1]
    return inputs @ weights + biases


# --- Learning


class Batch(NamedTuple):
    """Steps of a rollout, (T, n, ...) or flat."""

    obs: Any
    actions: Any
    log_probs: Any
    values: Any
    rewards: Any
    terminated: Any
    done: Any
    valid: Any  # False if the step was the reset after an episode


class Carry(NamedTuple):
    """The state that one update passes on to the next."""

    params: Any
    optimizer: Any
    key: Any
    obs: Any
    state: Any
    done: Any
    returns: Any  # returns of the running episodes so far


def log_prob_of(logits: Any, actions: Any) -> Any:
    """Returns the logarithms of the actions' probabilities."""
    return jnp.take_along_axis(jax.nn.log_softmax(logits), actions[..., None], -1)[..., 0]


def advantages_of(batch: Batch, last_value: Any, settings: Settings) -> Any:
    """Generalised advantage estimation, (T, n). An episode's end stops the sum."""
    next_values = jnp.concatenate([batch.values[1:], last_value[None]])

    def step(later: Any, row: Any) -> Any:
        value, next_value, reward, terminated, done = row
        delta = reward + settings.gamma * next_value * (1 - terminated) - value
        advantage = delta + settings.gamma * settings.gae_lambda * (1 - done) * later
        return advantage, advantage

    rows = (batch.values, next_values, batch.rewards, batch.terminated, batch.done)
    return jax.lax.scan(step, jnp.zeros_like(last_value), rows, reverse=True)[1]


def loss_of(params: Any, rows: Any, settings: Settings) -> Any:
    """PPO's clipped loss over a minibatch."""
    batch, advantages, targets = rows
    logits = apply(params["policy"], batch.obs)
    values = apply(params["value"], batch.obs)[..., 0]
    weights = batch.valid / jnp.maximum(batch.valid.sum(), 1)
    mean = (advantages * weights).sum()
    spread = jnp.sqrt((jnp.square(advantages - mean) * weights).sum())
    advantages = (advantages - mean) / (spread + 1e-8)
    ratio = jnp.exp(log_prob_of(logits, batch.actions) - batch.log_probs)
    clipped = jnp.clip(ratio, 1 - settings.clip, 1 + settings.clip)
    policy_loss = -jnp.minimum(ratio * advantages, clipped * advantages)
    entropy = -(jax.nn.softmax(logits) * jax.nn.log_softmax(logits)).sum(-1)
    value_loss = 0.5 * jnp.square(values - targets)
    loss = policy_loss - settings.entropy_cost * entropy + settings.value_cost * value_loss
    return (loss * weights).sum()


def optimizer_of(settings: Settings) -> optax.GradientTransformation:
    """Adam, whose learning rate falls to 0."""
    length = settings.total_updates * settings.epochs * settings.num_minibatches
    schedule = optax.linear_schedule(settings.learning_rate, 0.0, length)
    return optax.chain(
        optax.clip_by_global_norm(settings.max_gradient), optax.adam(schedule, eps=1e-5)
    )


def program(step: Step, settings: Settings) -> Any:
    """Returns the program: several updates, and the returns of the episodes that ended."""
    optimizer = optimizer_of(settings)

    def act(carry: Carry, _: None) -> Any:
        key, own = jax.random.split(carry.key)
        logits = apply(carry.params["policy"], carry.obs)
        actions = jax.random.categorical(own, logits).astype(jnp.int32)
        value = apply(carry.params["value"], carry.obs)[..., 0]
        obs, state, reward, terminated, truncated = step(carry.state, actions)
        done = terminated | truncated
        returns = carry.returns + reward
        batch = Batch(
            obs=carry.obs,
            actions=actions,
            log_probs=log_prob_of(logits, actions),
            values=value,
            rewards=reward,
            terminated=terminated.astype(jnp.float32),
            done=done.astype(jnp.float32),
            valid=(~carry.done).astype(jnp.float32),
        )
        ended = ((returns * done).sum(), done.sum())
        after = carry._replace(
            key=key, obs=obs, state=state, done=done, returns=jnp.where(done, 0.0, returns)
        )
        return after, (batch, ended)

    def minibatch(carry: Any, rows: Any) -> Any:
        params, state = carry
        gradients = jax.grad(loss_of)(params, rows, settings)
        changes, state = optimizer.update(gradients, state, params)
        return (optax.apply_updates(params, changes), state), None

    def update(carry: Carry, _: None) -> Any:
        carry, (batch, (returns, ended)) = jax.lax.scan(act, carry, None, settings.num_steps)
        last_value = apply(carry.params["value"], carry.obs)[..., 0]
        advantages = advantages_of(batch, last_value, settings)
        rows = (batch, advantages, advantages + batch.values)
        size = settings.num_steps * settings.num_envs
        flat = jax.tree.map(lambda array: array.reshape(size, *array.shape[2:]), rows)

        def epoch(learner: Any, key: Any) -> Any:
            order = jax.random.permutation(key, size).reshape(settings.num_minibatches, -1)
            parts = jax.tree.map(lambda array: array[order], flat)
            return jax.lax.scan(minibatch, learner, parts)

        key, own = jax.random.split(carry.key)
        learner = (carry.params, carry.optimizer)
        (params, state), _ = jax.lax.scan(epoch, learner, jax.random.split(own, settings.epochs))
        carry = carry._replace(params=params, optimizer=state, key=key)
        return carry, (returns.sum(), ended.sum())

    return jax.jit(lambda carry: jax.lax.scan(update, carry, None, settings.updates_per_call))


def evaluate(params: Any, settings: Settings, episodes: int) -> float:
    """Returns the mean return of the most probable actions, on Gymnasium's environments."""
    import gymnasium as gym

    envs = gym.make_vec(settings.task_id, episodes, "sync")
    policy = jax.jit(lambda obs: apply(params["policy"], obs).argmax(-1))
    obs, _ = envs.reset(seed=10_000)
    returns, running = np.zeros(episodes), np.ones(episodes, bool)
    while running.any():
        obs, reward, terminated, truncated, _ = envs.step(np.asarray(policy(obs)))
        returns += reward * running
        running &= ~(terminated | truncated)
    return float(returns.mean())


def train(engine: str, settings: Settings, seed: int) -> dict[str, Any]:
    """Trains, and returns the record."""
    obs, state, step = ENGINES[engine](settings.task_id, settings.num_envs, seed)
    key, policy_key, value_key = jax.random.split(jax.random.key(seed), 3)
    import gymnasium as gym

    num_actions = int(gym.make(settings.task_id).action_space.n)  # type: ignore[attr-defined]
    params = {
        "policy": layers(policy_key, [obs.shape[1], 64, 64, num_actions], 0.01),
        "value": layers(value_key, [obs.shape[1], 64, 64, 1], 1.0),
    }
    carry = Carry(
        params=params,
        optimizer=optimizer_of(settings).init(params),
        key=key,
        obs=obs,
        state=state,
        done=jnp.zeros(settings.num_envs, bool),
        returns=jnp.zeros(settings.num_envs),
    )
    run = program(step, settings)
    started = time.perf_counter()
    compiled = run.lower(carry).compile()
    compile_seconds = time.perf_counter() - started
    curve = []
    started = time.perf_counter()
    steps_per_call = settings.updates_per_call * settings.num_steps * settings.num_envs
    for call in range(settings.total_updates // settings.updates_per_call):
        carry, (returns, ended) = jax.block_until_ready(compiled(carry))
        seconds = time.perf_counter() - started
        mean = float(returns.sum() / max(int(ended.sum()), 1))
        curve.append([(call + 1) * steps_per_call, round(seconds, 3), round(mean, 2)])
        print(f"{curve[-1][0]:>9} steps {seconds:8.2f} s   mean return {mean:7.1f}", flush=True)
    return {
        "engine": engine,
        "settings": settings._asdict(),
        "seed": seed,
        "compile_seconds": round(compile_seconds, 2),
        "seconds": curve[-1][1],
        "steps_per_second": round(curve[-1][0] / curve[-1][1]),
        "curve": curve,
        "evaluation": {"episodes": 100, "mean_return": evaluate(carry.params, settings, 100)},
        "versions": {"jax": jax.__version__, "python": platform.python_version()},
    }


def main(arguments: list[str] | None = None) -> dict[str, Any]:
    """Trains as the command line says, and writes the record."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--engine", choices=ENGINES, default="envpool_py")
    parser.add_argument("--task", default="CartPole-v1", help="a task with discrete actions")
    parser.add_argument("--num-envs", type=int, default=32)
    parser.add_argument("--num-steps", type=int, default=64, help="steps of a rollout")
    parser.add_argument("--steps", type=int, default=500_000, help="steps in all")
    parser.add_argument("--learning-rate", type=float, default=1e-3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, help="where to write the record")
    given = parser.parse_args(arguments)
    updates = max(given.steps // (given.num_envs * given.num_steps), 1)
    per_call = min(updates, 10)
    settings = Settings(
        task_id=given.task,
        num_envs=given.num_envs,
        num_steps=given.num_steps,
        updates_per_call=per_call,
        epochs=4,
        num_minibatches=4,
        learning_rate=given.learning_rate,
        total_updates=updates // per_call * per_call,
    )
    record = train(given.engine, settings, given.seed)
    print(f"mean return of 100 episodes: {record['evaluation']['mean_return']:.1f}")
    if given.out is not None:
        given.out.write_text(json.dumps(record) + "\n")
    return record


if __name__ == "__main__":
    main()
