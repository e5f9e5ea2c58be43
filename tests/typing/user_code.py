"""A user's program for a strict type checker; it is never run."""

from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from numpy.typing import NDArray
from typing_extensions import assert_type

import envpool_py
from envpool_py.errors import EnvironmentFailedError, EnvPoolError
from envpool_py.pool.dm_pool import DmPool
from envpool_py.rollout import Collector, FirstReadyRollout, Rollout, make_rollouts


def gymnasium_api() -> float:
    envs = envpool_py.make("CartPole-v1", num_envs=8, batch_size=4, seed=[1, None] * 4)
    assert_type(envs, envpool_py.GymnasiumPool)
    as_vector_env: VectorEnv[Any, Any, NDArray[Any]] = envs
    observations, infos = envs.reset(seed=0, options={"low": -0.1})
    assert_type(infos, dict[str, Any])
    total = 0.0
    with envs:
        for _ in range(10):
            observations, rewards, terminated, truncated, infos = envs.step(
                envs.action_space.sample(), env_id=[0, 1]
            )
            assert_type(rewards, NDArray[np.float64])
            assert_type(terminated, NDArray[np.bool_])
            assert_type(truncated, NDArray[np.bool_])
            total += float(rewards.sum()) + float(observations.sum())
            envs.reset([0], seed=np.arange(1).tolist())
        envs.async_reset(envs.all_env_ids, seed=7)
        try:
            infos = envs.recv(timeout=0.5)[4]
        except EnvironmentFailedError as error:
            assert_type(error.env_ids, list[int])
            infos = error.batch[4]
        envs.send(np.zeros(4, np.int64), infos["env_id"])
        envs.drain()
        assert_type(envs.stats(), dict[str, int])
    assert_type(envs.autoreset_mode, AutoresetMode)
    assert_type(envs.render_mode, str | None)
    assert_type(envs.render([0, 2]), tuple[Any, ...])  # arrays, or lists of arrays
    assert_type(len(envs), int)
    assert_type(envs.is_async, bool)
    as_vector_env.close()
    return total


def dm_api(env_type: str) -> None:
    with envpool_py.make("CartPole-v1", "dm", 8, autoreset_mode="Disabled") as envs:
        assert_type(envs, DmPool)
        step = envs.reset(seed=1)
        step = envs.step(np.zeros(8, np.int64))
        print(step.observation.obs, step.discount, envs.action_spec())
    assert_type(envpool_py.make_dm("Pendulum-v1", g=9.81), DmPool)
    either = envpool_py.make("CartPole-v1", env_type)
    assert_type(either, envpool_py.GymnasiumPool | DmPool)
    either.close()


def specs() -> list[str]:
    spec = envpool_py.make_spec("CartPole-v1", sutton_barto_reward=True)
    assert_type(spec, envpool_py.TaskSpec)
    assert_type(spec.max_episode_steps, int | None)
    assert_type(spec.render, envpool_py.RenderSpec | None)
    names = [f"{option.name}: {option.type}" for option in spec.options.values()]
    try:
        envpool_py.make("CartPole-v9")
    except EnvPoolError as error:
        names.append(str(error))
    return names + envpool_py.list_all_envs()


def rollouts() -> float:
    envs = envpool_py.make("CartPole-v1", num_envs=8)
    rollout = Rollout(envs, 16, columns={"state": (64,), "note": ((2,), np.int32)})
    for t in rollout:
        assert_type(t, int)
        rollout.act(np.zeros(8, np.int64), state=np.zeros((8, 64)))
    advantages, _ = rollout.gae(lambda observations: observations[:, 0], gamma=0.9, lam=0.9)

    def act(filled: FirstReadyRollout) -> None:
        filled.act(np.zeros(4, np.int64))

    pool = envpool_py.make("CartPole-v1", num_envs=8, batch_size=4)
    with Collector(make_rollouts(pool, 16, 2), act) as collector:
        for _ in collector:
            break
    return float(advantages.mean())
