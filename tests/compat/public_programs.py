"""Public programs that use EnvPool. For each, a function makes the same calls in the same order.

`test_public_programs.py` runs each with this package and, if it is installed, with EnvPool.
`tools/guide/envpool_differences.py` writes the table of `docs/coming-from-envpool.md` from this
module.

Many of the programs were written for EnvPool before 1.0 and gym before 0.26: `step` and `recv`
returned four results, and `reset` only observations. EnvPool returns five and two. Programs
also used to assign attributes that EnvPool defines as properties.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import gymnasium
import numpy as np

Step = tuple[Any, Any, Any, Any]


class Old:
    """The way older programs use pools and their results, as written."""

    @staticmethod
    def assign(envs: Any, **attributes: Any) -> None:
        """Sets attributes of a pool."""
        for name, value in attributes.items():
            setattr(envs, name, value)

    @staticmethod
    def step(results: Any) -> Step:
        """Returns observations, rewards, ends and infos."""
        obs, rew, done, info = results
        return obs, rew, done, info

    @staticmethod
    def reset(results: Any) -> Any:
        """Returns observations."""
        return np.asarray(results, np.float32)


class New:
    """The same uses after the changes that EnvPool requires."""

    @staticmethod
    def assign(envs: Any, **attributes: Any) -> None:
        """Checks that the pool already has these attributes."""
        for name, value in attributes.items():
            assert getattr(envs, name) == value

    @staticmethod
    def step(results: Any) -> Step:
        """Returns observations, rewards, ends and infos."""
        obs, rew, term, trunc, info = results
        return obs, rew, term | trunc, info

    @staticmethod
    def reset(results: Any) -> Any:
        """Returns observations."""
        obs, _ = results
        return np.asarray(obs, np.float32)


@dataclass(frozen=True)
class Program:
    """A public program.

    Attributes:
        name: the program's usual name.
        where: the repository on GitHub, and the file.
        calls: takes the module and Old or New, and returns the results that the program gets.
        theirs: the changes that EnvPool requires too, in words; empty if none.
        change: the further changes that this package requires, in words; empty if none.
        stops: the exception that ends the program here, with five results; empty if it runs.
        after: the calls after the change; they run with both libraries.
        needs: a module that the program cannot run without.
    """

    name: str
    where: str
    calls: Callable[[Any, type[Old] | type[New]], Any]
    theirs: str = ""
    change: str = ""
    stops: str = ""
    after: Callable[[Any, type[Old] | type[New]], Any] | None = None
    needs: str = ""


class _Statistics(gymnasium.Wrapper):  # type: ignore[type-arg]
    """Sums rewards until no life is left, or until the info `over` is true."""

    def __init__(self, env: Any, take: Any, over: str = "lives") -> None:
        super().__init__(env)
        self.num_envs = getattr(env, "num_envs", 1)
        self.take = take
        self.over = over

    def reset(self, **kwargs: Any) -> Any:
        observations = super().reset(**kwargs)
        self.returns = np.zeros(self.num_envs, np.float32)
        return observations

    def step(self, action: Any) -> Any:
        results = super().step(action)
        infos = self.take.step(results)[3]
        self.returns += infos["reward"]
        infos["r"] = self.returns.copy()
        self.returns *= infos["lives"] != 0 if self.over == "lives" else 1 - infos[self.over]
        return results


def _cleanrl(task_id: str, over: str = "lives", **settings: Any) -> Any:
    """Makes the calls of CleanRL's scripts that step from Python."""

    def calls(envpool: Any, take: Any) -> Any:
        envs = envpool.make(
            task_id, env_type="gym", num_envs=4, episodic_life=True, reward_clip=True, **settings
        )
        take.assign(
            envs,
            num_envs=4,
            single_action_space=envs.action_space,
            single_observation_space=envs.observation_space,
        )
        if over == "lives":  # without it, `_Statistics` needs a game with lives
            envs.reset()
            assert envs.step(np.zeros(4, dtype=int))[-1]["lives"].sum() > 0
        envs = _Statistics(envs, take, over)
        # gym's wrappers forwarded attributes of the pool; Gymnasium's do not.
        envs.single_action_space = envs.action_space
        envs.single_observation_space = envs.observation_space
        assert isinstance(envs.action_space, gymnasium.spaces.Discrete)
        seen = [take.reset(envs.reset())]
        rng = np.random.default_rng(0)
        for _ in range(40):
            actions = rng.integers(0, envs.single_action_space.n, size=4)
            obs, reward, done, info = take.step(envs.step(actions))
            seen += [obs[:, 3], reward, done, info["lives"], info["r"]]
        assert envs.single_observation_space.shape == (4, 84, 84)
        envs.close()
        return seen

    return calls


def _xla(envpool: Any, take: Any) -> Any:
    """Makes the calls of the scripts for JAX: a compiled rollout, twice."""
    import jax

    envs = envpool.make(
        "Pong-v5", env_type="gym", num_envs=2, episodic_life=True, reward_clip=True, seed=1
    )
    take.assign(envs, num_envs=2, single_action_space=envs.action_space, is_vector_env=True)
    handle, _recv, _send, step_env = envs.xla()
    seen = [take.reset(envs.reset())]

    @jax.jit
    def rollout(handle: Any) -> Any:
        results = []
        for _ in range(5):
            handle, step = step_env(handle, np.zeros(2, np.int32))
            obs, reward, done, info = take.step(step)
            results += [obs, reward, done, info["reward"]]
        return handle, results

    for _ in range(2):
        handle, results = rollout(handle)
        seen += map(np.asarray, results)
    return seen


def _xla_examples(handle_of_recv: int) -> Any:
    """Makes the calls of EnvPool's example.

    `recv` takes the handle from before `send` (`handle_of_recv` 0) or the one from `send` (1).
    """

    def calls(envpool: Any, take: Any) -> Any:
        import jax

        env = envpool.make_dm("Pong-v5", num_envs=2)
        handle, _recv, _send, step = env.xla()
        states = env.reset()
        _, states = jax.jit(step)(handle, np.zeros(2, np.int32))
        seen = [np.asarray(states.observation.obs), np.asarray(states.reward)]
        env = envpool.make_dm("Pong-v5", num_envs=4, batch_size=2)
        handle, recv, send, _step = env.xla()
        env.async_reset()
        handle, states = recv(handle)
        for _ in range(3):
            handles = [handle, send(handle, np.zeros(2, np.int32), states.observation.env_id)]
            handle, states = recv(handles[handle_of_recv])
            seen.append(np.asarray(states.observation.obs))
        return seen

    return calls


def _machado(batch_size: int | None) -> Any:
    """Makes the calls of CleanRL's IMPALA-like scripts and of Cleanba."""

    def calls(envpool: Any, take: Any) -> Any:
        envs = envpool.make(
            "Breakout-v5", env_type="gym", num_envs=4, episodic_life=False,
            repeat_action_probability=0.25, noop_max=1, full_action_space=True,
            max_episode_steps=int(108000 / 4), reward_clip=True, seed=1,
            **({} if batch_size is None else {"batch_size": batch_size}),
        )  # fmt: skip
        take.assign(
            envs,
            num_envs=4,
            single_action_space=envs.action_space,
            single_observation_space=envs.observation_space,
            is_vector_env=True,
        )
        seen = []
        returns = np.zeros(4, np.float32)
        envs.async_reset()
        for _ in range(30):
            obs, reward, done, info = take.step(envs.recv())
            env_id = info["env_id"]
            envs.send(np.full(len(obs), 3), env_id)
            truncated = info["elapsed_step"] >= envs.spec.config.max_episode_steps
            returns[env_id] += info["reward"]
            returns[env_id] *= (1 - info["terminated"]) * (1 - truncated)
            seen += [obs.shape, reward, done, info["elapsed_step"] == 0]
        return seen

    return calls


def _env_step(envpool: Any, take: Any) -> Any:
    """Makes the calls of EnvPool's own example, which covers the whole interface."""
    del take  # the program checks the version of gym itself
    env = envpool.make_gym("Pong-v5", num_envs=4)
    obs, _ = env.reset()
    for _ in range(5):
        env.step(np.zeros(4, int))
    obs, _ = env.reset(np.array([1, 3]))
    seen = [obs]
    results = env.step(np.array([0, 0, 2]), np.array([3, 2, 0]))
    seen += [results[0], results[-1]["env_id"]]
    dm = envpool.make_dm("Pong-v5", num_envs=4)
    ts = dm.reset()
    for _ in range(5):
        ts = dm.step(np.zeros(4, int))
    ts = dm.reset(np.array([1, 3]))
    seen.append(ts.observation.obs)
    ts = dm.step(np.array([0, 0, 2]), np.array([3, 2, 0]))
    seen.append(ts.observation.env_id)
    for make in (envpool.make_dm, envpool.make_gym):
        env = make("Pong-v5", num_envs=8, batch_size=4)
        if make is envpool.make_dm:
            ids = env.reset().observation.env_id
            for _ in range(5):
                ids = env.step(np.zeros(4, int), ids).observation.env_id
        else:
            env.async_reset()
            for _ in range(5):
                obs, *_, info = env.recv()
                env.send(np.zeros(4, int), info["env_id"])
            ids = info["env_id"]
        seen.append(ids.shape)
    return seen


def _sb3(envpool: Any, take: Any) -> Any:
    """Makes the calls of EnvPool's example for Stable-Baselines3, which is an adapter."""
    env = envpool.make("Pendulum-v1", env_type="gym", num_envs=4, seed=0)
    env.spec.id = "Pendulum-v1"
    take.assign(env, num_envs=env.spec.config.num_envs)
    seen = [env.reset()[0]]
    for _ in range(210):
        obs, rewards, terms, truncs, infos = env.step(np.zeros((4, 1), np.float32))
        dones = terms + truncs
        rows = [
            {k: infos[k][i] for k in infos if isinstance(infos[k], np.ndarray)} for i in range(4)
        ]
        for index in np.flatnonzero(dones):
            rows[index]["terminal_observation"] = obs[index]
            obs[index] = env.reset(np.array([index]))[0]
        seen += [obs, rewards, dones, sorted(rows[0])]
    return seen


def _tianshou(envpool: Any, take: Any) -> Any:
    """Makes the calls of Tianshou's collectors, and its factories of training and test pools."""
    del take
    train = envpool.make_gymnasium(
        "Breakout-v5", num_envs=4, seed=1, reward_clip=True, episodic_life=True, stack_num=4
    )
    test = envpool.make_gymnasium("CartPole-v1", num_envs=3, seed=1)
    assert len(train) == 4
    seen = [train.reset(np.arange(4))[0], train.action_space, train.observation_space]
    ready = np.array([0, 2])
    results = train.step(np.zeros(2, int), ready)
    seen += [results[0], results[4]["env_id"]]
    test.reset(np.arange(3))
    for _ in range(12):
        obs, rew, term, trunc, _ = test.step(np.ones(3, int), np.arange(3))
        seen += [obs, rew, term, trunc]
        ended = np.flatnonzero(term | trunc)
        if len(ended):
            assert test.reset(ended)[0].shape == (len(ended), 4)
    return seen


def _ppo_atari(envpool: Any, take: Any) -> Any:
    """Makes the calls of EnvPool's PPO example with `recv` and `send`."""
    del take  # the program checks the version of gym itself
    envs = envpool.make(
        "Pong-v5", env_type="gym", num_envs=4, batch_size=2, episodic_life=True, reward_clip=True
    )
    total = np.zeros(len(envs))
    envs.async_reset()
    seen = []
    for _ in range(30):
        obs, rew, term, trunc, info = envs.recv()
        done, env_id = term + trunc, info["env_id"]
        envs.send(np.zeros(2, np.int64), env_id)
        total[env_id] += info["reward"]
        done = done & (info["lives"] == 0)
        seen += [obs.shape, rew, done]
    return seen


def _rl_games(envpool: Any, take: Any) -> Any:
    """Uses the wrapper `Envpool` as configured for Ant; it accepts four results or five."""
    env = envpool.make("Ant-v4", env_type="gym", num_envs=4, batch_size=4, seed=5)
    ids = np.arange(0, 4)
    scores = np.zeros(4)
    seen = [env.observation_space.shape, env.action_space.shape, take.reset(env.reset(ids))]
    for _ in range(60):
        actions = np.ones((4, 8), np.float32)
        results = env.step(actions, ids)
        obs, reward, done, info = take.step(results)
        info["time_outs"] = results[3]
        if "reward" in info:
            scores += info["reward"]
        seen += [obs, reward, done]
    return seen


def _torchrl(envpool: Any, take: Any) -> Any:
    """Uses `MultiThreadedEnv` and its wrapper, which accept four results or five."""
    del take
    env = envpool.make(
        task_id="CartPole-v1", env_type="gym", num_envs=4, gym_reset_return_info=True, seed=1
    )
    assert isinstance(env, (envpool.python.envpool.EnvPoolMixin,))
    seen = [env.config["num_envs"], env.spec.action_space, env.spec.observation_space]
    obs, _ = env.reset()
    for _ in range(30):
        obs, reward, terminated, truncated, _ = env.step(np.ones(4, np.int64))
        done = terminated | truncated
        seen += [obs, reward, done]
        if done.any():
            assert env.reset(np.where(done)[0])[0].shape == (done.sum(), 4)
    return seen


def _stoix(closes: bool) -> Any:
    """Uses the wrapper for Sebulba, which inspects a pool and then goes on to use it.

    If `closes`, it closes the pool after the inspection.
    """

    def calls(envpool: Any, take: Any) -> Any:
        del take
        env = envpool.make(
            task_id="Breakout-v5", env_type="gymnasium", num_envs=4, seed=42,
            gym_reset_return_info=True,
        )  # fmt: skip
        obs, _ = env.reset()
        num_envs, count = obs.shape[0], env.action_space.n
        seen = [num_envs, int(count), bool(env.step(np.zeros(4, dtype=int))[-1]["lives"].sum())]
        if closes:
            env.close()
        seen.append(env.reset()[0])
        for _ in range(20):
            obs, rewards, terminated, truncated, info = env.step(np.ones(4, int))
            ended = np.where(np.logical_or(terminated, truncated))[0]
            if len(ended):
                obs[ended] = env.step(np.zeros(len(ended), int), ended)[0]
            seen += [obs, rewards, 1.0 - terminated, info["reward"]]
        return seen

    return calls


def _sample_factory(envpool: Any, take: Any) -> Any:
    """Uses the wrappers of Sample Factory, which reset by ids, with MuJoCo and Atari."""
    del take
    seen = []
    for task_id, settings in (
        ("Ant-v4", {"batch_size": 4, "num_threads": 2, "thread_affinity_offset": -1}),
        ("Breakout-v5", {"reward_clip": True, "episodic_life": True, "frame_skip": 4,
                         "max_episode_steps": 27000}),
    ):  # fmt: skip
        env = envpool.make(task_id, env_type="gym", num_envs=4, seed=3, **settings)
        env = gymnasium.Wrapper(env)
        seen.append(env.reset()[0])
        zeros = np.zeros((4, *env.action_space.shape), env.action_space.dtype)
        for _ in range(40):
            obs, reward, term, trunc, info = env.step(zeros)
            ended = np.nonzero(term | trunc)[0]
            if len(ended):
                obs[ended], _ = env.env.reset(ended)
            seen += [obs, reward, term, trunc]
            if task_id == "Breakout-v5":
                seen.append(info["reward"])
    return seen


def _rllte(envpool: Any, take: Any) -> Any:
    """Uses `EnvPoolAsync2Gymnasium`: a step calls `recv` and then `send`.

    The first actions are floats.
    """
    del take
    env = envpool.make(
        task_id="Breakout-v5", env_type="gymnasium", num_envs=4, batch_size=4, seed=1,
        episodic_life=True, reward_clip=True,
    )  # fmt: skip
    wrapped = gymnasium.Wrapper(env)
    env.async_reset()
    obs, *_, info = env.recv()
    env.send(np.zeros((4, *wrapped.action_space.shape)), info["env_id"])
    seen = [obs]
    for _ in range(20):
        obs, rew, term, trunc, info = env.recv()
        env.send(np.ones(4, np.int64), info["env_id"])
        seen += [obs, rew, term, trunc]
    return seen


def _evox(envpool: Any, take: Any) -> Any:
    """Uses EvoX's `EnvPool`: it calls `seed`, which warns, `reset(None)`, and steps with a copy."""
    del take
    env = envpool.make("CartPole-v1", num_envs=4, env_type="gymnasium")
    env.seed(np.array([7]))
    seen = [env.reset(None)[0]]
    done = np.zeros(4, bool)
    while not done.all():
        obs, reward, terminated, truncated, _ = env.step(np.copy(np.zeros(4, np.int32)))
        done = done | terminated | truncated
    seen += [obs, reward]
    return seen


_FIVE = "five results"
_ASSIGNS = "no assignments"

PROGRAMS = (
    Program(
        "CleanRL, PPO",
        "vwxyzjn/cleanrl: cleanrl/ppo_atari_envpool.py",
        _cleanrl("Breakout-v5"),
        theirs=f"{_FIVE}, {_ASSIGNS}",
    ),
    Program(
        "CleanRL, random network distillation",
        "vwxyzjn/cleanrl: cleanrl/ppo_rnd_envpool.py",
        _cleanrl("MontezumaRevenge-v5", repeat_action_probability=0.25, seed=1),
        theirs=f"{_FIVE}, {_ASSIGNS}",
    ),
    Program(
        "CleanRL, PQN",
        "vwxyzjn/cleanrl: cleanrl/pqn_atari_envpool.py",
        _cleanrl("Breakout-v5", over="terminated", seed=1),
        theirs=f"{_FIVE}, {_ASSIGNS}",
    ),
    Program(
        "CleanRL, PPO in JAX",
        "vwxyzjn/cleanrl: cleanrl/ppo_atari_envpool_xla_jax.py, ..._xla_jax_scan.py",
        _xla,
        theirs=f"{_FIVE}, {_ASSIGNS}",
        needs="jax",
    ),
    Program(
        "CleanRL, asynchronous PPO in JAX",
        "vwxyzjn/cleanrl: cleanrl/ppo_atari_envpool_async_jax_scan_impalanet_machado.py",
        _machado(batch_size=2),
        theirs=f"{_FIVE}, {_ASSIGNS}",
    ),
    Program(
        "Cleanba",
        "vwxyzjn/cleanba: cleanba/cleanba_ppo.py",
        _machado(batch_size=None),
        theirs=f"{_FIVE}, {_ASSIGNS}",
    ),
    Program(
        "PureJaxQL, PQN",
        "mttga/purejaxql: purejaxql/pqn_atari.py",
        _xla,
        theirs=f"{_FIVE}, {_ASSIGNS}",
        needs="jax",
    ),
    Program(
        "EnvPool's examples: steps",
        "sail-sg/envpool: examples/env_step.py",
        _env_step,
    ),
    Program(
        "EnvPool's examples: XLA",
        "sail-sg/envpool: examples/xla_step.py",
        _xla_examples(0),
        change="`recv(handle1)` in place of `recv(handle0)`: `send` has used `handle0`",
        stops="JaxRuntimeError",
        after=_xla_examples(1),
        needs="jax",
    ),
    Program(
        "EnvPool's examples: Stable-Baselines3",
        "sail-sg/envpool: examples/sb3_examples/ppo.py",
        _sb3,
        theirs=_ASSIGNS,
    ),
    Program(
        "EnvPool's examples: PPO with `send` and `recv`",
        "sail-sg/envpool: examples/ppo_atari/ppo.py",
        _ppo_atari,
    ),
    Program(
        "Tianshou: `EnvPoolFactory`, and EnvPool's examples",
        "thu-ml/tianshou: tianshou/highlevel/env.py, examples/mujoco/mujoco_env.py; "
        "sail-sg/envpool: examples/tianshou_examples",
        _tianshou,
    ),
    Program(
        "rl_games 1.6: `Envpool`",
        "Denys88/rl_games: rl_games/envs/envpool.py",
        _rl_games,
    ),
    Program(
        "TorchRL 0.14: `MultiThreadedEnv`",
        "pytorch/rl: torchrl/envs/libs/envpool.py",
        _torchrl,
        theirs='`set_gym_backend("gymnasium")` instead of `("gym")` in its specs',
    ),
    Program(
        "Stoix: `EnvPoolToJumanji`",
        "EdanToledo/Stoix: stoix/wrappers/envpool.py",
        _stoix(closes=True),
        change="no `self.env.close()` in the constructor: the pool is used afterwards",
        stops="ClosedError",
        after=_stoix(closes=False),
    ),
    Program(
        "Sample Factory",
        "alex-petrenko/sample-factory: sf_examples/envpool",
        _sample_factory,
    ),
    Program(
        "RLLTE: `EnvPoolAsync2Gymnasium`",
        "RLE-Foundation/rllte: rllte/env/utils.py",
        _rllte,
    ),
    Program(
        "EvoX: `EnvPool`",
        "EMI-Group/evox: src/evox/problems/neuroevolution/reinforcement_learning/env_pool.py",
        _evox,
    ),
)
