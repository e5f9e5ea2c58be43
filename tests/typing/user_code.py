"""What a user's program writes; `mypy --strict` must accept it. It is checked, not run."""

import gymnasium
import numpy as np
from numpy.typing import NDArray
from typing_extensions import assert_type

import envpool_py
from envpool_py.dm_env_api import DmPool
from envpool_py.errors import EnvironmentFailedError, RecvTimeoutError


def collect(steps: int) -> float:
    with envpool_py.make("CartPole-v1", num_envs=8, seed=0, sutton_barto_reward=True) as envs:
        assert_type(envs, envpool_py.GymnasiumPool)
        observations, infos = envs.reset(seed=[1, 2, 3, 4, 5, 6, 7, None], options={"low": -0.1})
        total = 0.0
        for _ in range(steps):
            actions = np.asarray(observations[:, 2] > 0, dtype=np.int64)
            observations, rewards, terminated, truncated, infos = envs.step(actions)
            assert_type(rewards, NDArray[np.float64])
            assert_type(terminated | truncated, NDArray[np.bool_])
            total += float(rewards.sum()) + len(infos)
        return total


def first_ready(steps: int) -> dict[str, int]:
    envs = envpool_py.make_gymnasium("CartPole-v1", num_envs=8, batch_size=4, num_threads=2)
    envs.async_reset()
    for _ in range(steps):
        try:
            _, _, _, _, infos = envs.recv(timeout=1.0)
        except RecvTimeoutError:
            continue
        except EnvironmentFailedError as error:
            print(error.env_ids, error.causes)
            envs.reset(error.env_ids)
            continue
        envs.send(np.zeros(4, dtype=np.int64), infos["env_id"])
    stats = envs.stats()
    envs.close()
    return stats


def flavours() -> None:
    assert_type(envpool_py.make("CartPole-v1", "dm", num_envs=2), DmPool)
    assert_type(envpool_py.make_dm("CartPole-v1", num_envs=2), DmPool)
    time_step = envpool_py.make("CartPole-v1", env_type="dm", num_envs=2).reset()
    print(time_step.observation.obs, time_step.reward, time_step.discount)
    vector_env: gymnasium.vector.VectorEnv[NDArray[np.float32], NDArray[np.int64], NDArray[np.bool_]]
    vector_env = envpool_py.make("CartPole-v1", num_envs=2)
    vector_env.close()


def describe() -> list[str]:
    spec = envpool_py.make_spec("Pendulum-v1", g=9.81)
    assert_type(spec, envpool_py.TaskSpec)
    return [*spec.options, *spec.reset_options, *envpool_py.list_all_envs()]
