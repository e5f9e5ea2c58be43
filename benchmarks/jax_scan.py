"""Microseconds per step of CartPole with a linear policy, inside compiled programs of JAX.

    python -m benchmarks.jax_scan [--out benchmarks/results/jax-2-cores.json]

The participants take turns in one process, and each figure is the median of the turns:

- "envpool_py": `envpool_py.jax` in a `lax.scan`.
- "envpool": EnvPool's `xla()` in a `lax.scan`, if it is installed.
- "io_callback": our pool's `step`, called back from a `lax.scan`.
- "python": our pool's `step` and the compiled policy, called from Python in turns.
- "alone": the sum of `step` alone, with prepared actions, and of the policy alone in a `lax.scan`.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import platform
import statistics
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

import envpool_py
import envpool_py.jax
from benchmarks import records

SIZES = (8, 256, 4096)
TASK = "CartPole-v1"
_WEIGHTS = np.random.default_rng(0).normal(size=(4, 2)).astype(np.float32)

# Runs some steps.
Run = Callable[[], Any]


def policy(obs: Any) -> Any:
    """The more probable action, int32 (n,)."""
    return (obs @ _WEIGHTS).argmax(-1).astype(jnp.int32)


def _scan(step: Callable[[Any, Any], tuple[Any, Any, Any]], length: int) -> Any:
    def body(carry: Any, _: None) -> Any:
        obs, state, total = carry
        obs, state, reward = step(state, policy(obs))
        return (obs, state, total + reward.sum()), None

    def run(obs: Any, state: Any) -> Any:
        return jax.lax.scan(body, (obs, state, jnp.float32(0)), None, length)[0]

    return jax.jit(run)


def _repeated(run: Any, obs: Any, state: Any) -> Run:
    carry = [obs, state]

    def again() -> None:
        carry[0], carry[1], _ = jax.block_until_ready(run(*carry))

    return again


def ours(num_envs: int, length: int, threads: int) -> Run:
    """`envpool_py.jax`."""
    env = envpool_py.jax.make(TASK, num_envs=num_envs, num_threads=threads)
    obs, state = env.reset(seed=0)
    run = _scan(lambda state, actions: env.step(state, actions)[:3], length)
    return _repeated(run, obs, state)


def envpool(num_envs: int, length: int, threads: int) -> Run:
    """EnvPool's `xla()`."""
    import envpool as package

    env = package.make_gymnasium(TASK, num_envs=num_envs, num_threads=threads, seed=0)
    handle, _, _, xla_step = env.xla()
    obs, _ = env.reset()

    def step(state: Any, actions: Any) -> Any:
        state, (obs, reward, *_) = xla_step(state, actions)
        return obs, state, reward

    return _repeated(_scan(step, length), jnp.asarray(obs), jnp.asarray(handle))


def io_callback(num_envs: int, length: int, threads: int) -> Run:
    """Our pool's `step`, called back from a `lax.scan`."""
    pool = envpool_py.make(TASK, num_envs=num_envs, num_threads=threads)
    obs, _ = pool.reset(seed=0)
    shapes = (
        jax.ShapeDtypeStruct(obs.shape, obs.dtype),
        jax.ShapeDtypeStruct((num_envs,), np.float32),
    )

    def call(actions: Any) -> Any:
        obs, reward, *_ = pool.step(np.asarray(actions))
        return obs, reward.astype(np.float32)

    def step(state: Any, actions: Any) -> Any:
        obs, reward = jax.experimental.io_callback(call, shapes, actions, ordered=True)
        return obs, state, reward

    return _repeated(_scan(step, length), jnp.asarray(obs), jnp.zeros(()))


def python(num_envs: int, length: int, threads: int) -> Run:
    """`step` and a compiled policy, from Python."""
    pool = envpool_py.make(TASK, num_envs=num_envs, num_threads=threads)
    act = jax.jit(policy)
    last = [pool.reset(seed=0)[0]]

    def run() -> None:
        obs = last[0]
        for _ in range(length):
            obs = pool.step(np.asarray(act(obs)))[0]
        last[0] = obs

    return run


def alone(num_envs: int, length: int, threads: int) -> Run:
    """`step` alone, and the policy alone."""
    pool = envpool_py.make(TASK, num_envs=num_envs, num_threads=threads)
    obs, _ = pool.reset(seed=0)
    actions = [np.asarray(policy(obs)) for _ in range(2)]
    first = jnp.asarray(obs)

    def step(state: Any, actions: Any) -> Any:
        # Makes the next observations depend on the actions, so that XLA cannot skip the policy.
        return state + actions[:, None] * jnp.float32(1e-6), state, actions.astype(jnp.float32)

    act = _repeated(_scan(step, length), first, first)

    def run() -> None:
        act()
        for t in range(length):
            pool.step(actions[t % 2])

    return run


PARTICIPANTS: dict[str, Callable[[int, int, int], Run]] = {
    "envpool_py": ours,
    "envpool": envpool,
    "io_callback": io_callback,
    "python": python,
    "alone": alone,
}


def measure(num_envs: int, threads: int, turns: int, seconds: float) -> dict[str, float]:
    """Returns the microseconds per step of each participant."""
    chosen = {
        name: make
        for name, make in PARTICIPANTS.items()
        if name != "envpool" or importlib.util.find_spec("envpool") is not None
    }
    runs: dict[str, tuple[Run, int]] = {}
    for name, make in chosen.items():
        length = 20
        run = make(num_envs, length, threads)
        run()
        began = time.perf_counter()
        run()
        per_step = (time.perf_counter() - began) / length
        length = max(int(seconds / per_step), 20)
        runs[name] = make(num_envs, length, threads), length
        runs[name][0]()
    times: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(turns):
        for name, (run, length) in runs.items():
            began = time.perf_counter()
            run()
            times[name].append((time.perf_counter() - began) / length * 1e6)
    return {name: statistics.median(taken) for name, taken in times.items()}


def main(arguments: Sequence[str] | None = None) -> None:
    """Measures, prints, and writes the record."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=0.2, help="of a turn of a participant")
    parser.add_argument("--threads", type=int, default=2, help="of our pools and EnvPool's")
    parser.add_argument("--out", type=Path)
    given = parser.parse_args(arguments)
    cases = []
    for num_envs in SIZES:
        us = measure(num_envs, given.threads, given.turns, given.seconds)
        cases.append({"num_envs": num_envs, "us_per_step": us})
        print(num_envs, {name: round(value, 2) for name, value in us.items()}, flush=True)
    record = {
        "task": TASK,
        "threads": given.threads,
        "cases": cases,
        "load": os.getloadavg()[0],
        "versions": {"jax": jax.__version__, "python": platform.python_version()},
    }
    if given.out is not None:
        records.write(given.out, record)


if __name__ == "__main__":
    main()
