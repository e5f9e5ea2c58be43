"""Other libraries' pools of worker processes, with environments from Gymnasium's registry.

A library is imported only when its pool is made, in the process that measures it.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable
from typing import Any

from envpool_py.cli.bench.case import Case
from envpool_py.cli.bench.drivers import CallerResetsDriver, Driver, OrderedDriver
from envpool_py.cli.bench.unavailable import INSTALL_ALL, UnavailableError
from envpool_py.python_envs.choosing import num_processors

__all__ = [
    "drive_sb3",
    "drive_tianshou",
    "largest_divisor",
    "make_puffer",
    "make_sb3",
    "make_tianshou",
    "task_of",
    "wrappers_of",
]

EnvFn = Callable[[], Any]


def task_of(case: Case, name: str) -> str:
    """Returns the id of a case's task in Gymnasium's registry.

    Raises:
        UnavailableError: it is not there.
    """
    gymnasium: Any = importlib.import_module("gymnasium")
    module, _, task = case.task_for(name).rpartition(":")
    try:
        if module:
            importlib.import_module(module)  # this registers the task
        gymnasium.spec(task)
    except ModuleNotFoundError as error:
        raise UnavailableError(f"{error.name} is not installed", INSTALL_ALL) from error
    except gymnasium.error.Error as error:
        raise UnavailableError(f"gymnasium has no {task} ({error})") from error
    return task


def wrappers_of(case: Case) -> list[Callable[[Any], Any]]:
    """Returns functions that wrap an environment in a case's wrappers, innermost first."""
    known: Any = importlib.import_module("gymnasium.wrappers") if case.wrappers else None
    return [
        functools.partial(getattr(known, name), **options)
        for name, options in case.wrappers.items()
    ]


def _env_fn(case: Case, name: str) -> EnvFn:
    """Returns a function that makes one environment, in any process."""
    task_of(case, name)
    return functools.partial(_make_env, case, name)


def _make_env(case: Case, name: str) -> Any:
    gymnasium: Any = importlib.import_module("gymnasium")
    env = gymnasium.make(task_of(case, name), **case.options_for(name))
    for wrapper in wrappers_of(case):
        env = wrapper(env)
    return env


def make_sb3(case: Case) -> Any:
    """Makes Stable-Baselines3's pool: a process per environment, and pipes."""
    pools: Any = importlib.import_module("stable_baselines3.common.vec_env")
    return pools.SubprocVecEnv([_env_fn(case, "sb3")] * case.num_envs)


def drive_sb3(env: Any, case: Case) -> Driver:
    """Seeds the pool before the reset, which accepts no seed. The pool resets by itself."""
    env.seed(case.seed)
    return OrderedDriver(env, case.num_envs, None, by_row=True)


def make_tianshou(case: Case) -> Any:
    """Makes Tianshou's pool: a process per environment, and observations in shared memory."""
    pools: Any = importlib.import_module("tianshou.env")
    return pools.ShmemVectorEnv([_env_fn(case, "tianshou")] * case.num_envs)


def drive_tianshou(env: Any, case: Case) -> Driver:
    """Seeds the pool. The driver resets ended episodes, as Tianshou's collectors do."""
    env.seed(case.seed)
    return CallerResetsDriver(env, case.num_envs)


def make_puffer(case: Case) -> Any:
    """Makes PufferLib's pool: processes with several environments each, and shared memory.

    PufferLib's workers and the calling thread busy-wait, so two of them on one processor would
    compete. There is therefore one worker fewer than processors.
    """
    vector: Any = importlib.import_module("pufferlib.vector")
    return vector.make(
        _make_puffer_env,
        env_kwargs={"make": _env_fn(case, "puffer")},
        backend=vector.Multiprocessing,
        num_envs=case.num_envs,
        num_workers=largest_divisor(case.num_envs, max(num_processors() - 1, 1)),
        overwork=True,  # PufferLib may count fewer processors and reject so many workers
    )


def _make_puffer_env(*, make: EnvFn, **given: Any) -> Any:
    # Some versions of PufferLib call this with memory and a seed.
    emulation: Any = importlib.import_module("pufferlib.emulation")
    return emulation.GymnasiumPufferEnv(env_creator=make, **given)


def largest_divisor(number: int, limit: int) -> int:
    """Returns the largest divisor of `number` that is at most `limit`."""
    return next(each for each in range(min(number, limit), 0, -1) if number % each == 0)
