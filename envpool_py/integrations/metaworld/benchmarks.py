"""MetaWorld's benchmarks: pools of several tasks, with the goals that the reference gives them.

They are in Gymnasium's registry, too: `gymnasium.make_vec("EnvPool/MetaWorld.MT10", seed=0)`. The
functions may be called from any thread.

Their options beside those of the environments and the arguments of `envpool_py.make` are those of
the reference that wrap each environment: `normalize_observations` (bool),
`reward_normalization_method` ("gymnasium" or "exponential"; None: none), `reward_alpha` (in (0, 1],
0.001: the weight of a new reward in the exponential one), `recurrent_info_in_obs` (bool: whether
observations end with the action of the step, its reward and whether the episode ended; zeros after
a reset) and `normalize_reward_in_recurrent_info` (bool, True: whether this reward is divided by
10). With one that the engine does not have, the result is a wrapper, whose `unwrapped` is the pool.
`vector_strategy` is accepted and has no effect.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import VectorEnv

from envpool_py.errors import InputError, suggestion
from envpool_py.integrations.metaworld.wrappers import refuse, take_wrapping, wrapped
from envpool_py.pool.checks import as_int, choice, integer
from envpool_py.pool.gymnasium_pool import GymnasiumPool
from envpool_py.tasks.families.metaworld.lists import ML, MT, TASK_OF
from envpool_py.tasks.make import make_gymnasium
from envpool_py.tasks.single_env import SingleEnv

__all__ = [
    "make_custom_ml",
    "make_custom_mt",
    "make_goal",
    "make_ml",
    "make_ml1",
    "make_mt",
    "make_mt1",
    "make_single",
    "make_single_goal",
]

_Envs = VectorEnv[Any, Any, Any]
_HIDDEN, _OBSERVABLE = "-goal-hidden", "-goal-observable"
_OF_MANY = "only gymnasium.make_vec makes environments with it"
# Why environments of meta learning have no one-hot vector.
_NO_NUMBERS = dict.fromkeys(
    ("use_one_hot", "env_id", "num_tasks"),
    "the reference gives the tasks of meta learning no numbers",
)


def make_mt(
    benchmark: str,
    num_envs: int = 1,
    *,
    seed: int | None = None,
    use_one_hot: bool = False,
    num_tasks: int | None = None,
    env_id: int = 0,
    autoreset_mode: Any = "SameStep",
    **options: Any,
) -> _Envs:
    """Makes a pool of the tasks of a benchmark, whose observations have the goals.

    The environments of copy j are those of the reference's `make_vec` with the seed `seed + j`, in
    its order; all tasks of copy 0 come first.

    Args:
        benchmark: "MT10", "MT25" or "MT50"; or the name of a task, such as "reach-v3", for MT1.
        num_envs: environments of each task, at least 1.
        seed: seed of the goals and of their choice; None: from the system.
        use_one_hot: whether observations end with the number of the task as a one-hot vector. They
            are then float32, as in the reference.
        num_tasks: length of this vector, at least the number of tasks; None: the number of tasks.
        env_id: number of the first task in it, from 0 on.
        autoreset_mode: as in `envpool_py.make`.
        **options: see the module.

    Raises:
        InputError: there is no such benchmark, or an argument is wrong.
        OptionError: an option has no effect without another one; other errors as
            `envpool_py.make`.
    """
    names = MT.get(benchmark, (benchmark,))
    first = integer("env_id", env_id, 0, 10_000)
    length = first + len(names) if num_tasks is None else num_tasks
    integer("num_tasks", length, first + len(names), 10_000)
    copies = as_int("num_envs", num_envs, "an integer")
    if copies < 1:
        raise InputError(f"num_envs: expected an integer >= 1, got {copies}")
    rows = []
    for copy in range(copies):
        for index, name in enumerate(names):
            own: dict[str, Any] = {"goals_after": _tasks(names[:index])}
            if use_one_hot:
                own |= {"num_tasks": length, "task_index": first + index}
            rows.append((name, own, None if seed is None else seed + copy))
    return _make(rows, autoreset_mode, {"goal_observable": True, **options})


def make_mt1(env_name: str, num_envs: int = 1, **options: Any) -> _Envs:
    """Makes a pool of one task, as `make_mt` does, whose arguments these are."""
    return make_mt(_known(env_name), num_envs, **options)


def make_ml1(env_name: str, num_envs: int = 1, **options: Any) -> _Envs:
    """Makes a pool of one task, as `make_ml` does, whose arguments these are."""
    return make_ml(_known(env_name), num_envs, **options)


def make_custom_mt(
    envs_list: Sequence[str],
    num_envs: int = 1,
    *,
    seed: int | None = None,
    use_one_hot: bool = False,
    autoreset_mode: Any = "SameStep",
    **options: Any,
) -> _Envs:
    """Makes a pool of tasks, each with the goals of MT1: task i has the seed `seed + i`.

    As in the reference, the seed 0 counts as none.

    Args:
        envs_list: names of tasks, such as "reach-v3".
        num_envs: 1, which `gymnasium.make_vec` gives; for several, repeat names.
        seed: as in `make_mt`, for the first task.
        use_one_hot: as in `make_mt`.
        autoreset_mode: as in `make_mt`.
        **options: as in `make_mt`.

    Raises:
        InputError, OptionError: as `make_mt`.
    """
    _expect_one(num_envs)
    rows: list[tuple[str, dict[str, Any], int | None]] = []
    for index, name in enumerate(envs_list):
        own = {"num_tasks": len(envs_list), "task_index": index} if use_one_hot else {}
        rows.append((name, own, seed + index if seed else None))
    return _make(rows, autoreset_mode, {"goal_observable": True, **options})


def make_ml(
    benchmark: str,
    num_envs: int = 1,
    *,
    split: str = "train",
    seed: int | None = None,
    meta_batch_size: int = 20,
    total_tasks_per_cls: int | None = None,
    autoreset_mode: Any = "SameStep",
    **options: Any,
) -> _Envs:
    """Makes a pool of the tasks of a benchmark of meta learning, which hides the goals.

    The environments are those of the reference's `make_vec`. Goals come in a shuffled order:
    `reset(options={"sample_tasks": True})` goes on to the next one, other resets stay.

    Args:
        benchmark: "ML10", "ML25" or "ML45"; or the name of a task, such as "reach-v3", for ML1.
        num_envs: 1, which `gymnasium.make_vec` gives; `meta_batch_size` is the number.
        split: "train", or "test", in which success ends an episode.
        seed: seed of the goals and of their order; None: from the system.
        meta_batch_size: number of environments, a multiple of the number of tasks. The environments
            of a task divide its goals among them.
        total_tasks_per_cls: goals of each task that are used; None: all.
        autoreset_mode: as in `envpool_py.make`.
        **options: see the module.

    Raises:
        InputError, OptionError: as `make_mt`.
    """
    if split not in ("train", "test"):
        raise InputError(f'split: expected "train" or "test", got {split!r}')
    _expect_one(num_envs)
    names = ML[benchmark][split] if benchmark in ML else (benchmark,)
    # ML1 draws the goals of its second part from the next seed.
    own = {"goal_seed": 1} if benchmark not in ML and split == "test" else {}
    fixed = {"terminate_on_success": split == "test", **own}
    return _meta(
        names, seed, meta_batch_size, total_tasks_per_cls, autoreset_mode, {**fixed, **options}
    )


def make_custom_ml(
    train_envs: Sequence[str],
    test_envs: Sequence[str],
    num_envs: int = 1,
    *,
    seed: int | None = None,
    meta_batch_size: int = 20,
    total_tasks_per_cls: int | None = None,
    autoreset_mode: Any = "SameStep",
    **options: Any,
) -> _Envs:
    """Makes a pool of the tasks to train on, as the reference's `custom-ml-envs` does.

    As there, resets draw goals unless `task_select` is given.

    Args:
        train_envs: names of tasks, such as "reach-v3".
        test_envs: names of other tasks, which are only checked.
        num_envs: as in `make_ml`.
        seed: as in `make_ml`.
        meta_batch_size: as in `make_ml`.
        total_tasks_per_cls: as in `make_ml`.
        autoreset_mode: as in `make_ml`.
        **options: as in `make_ml`.

    Raises:
        InputError: a task is in both lists; other errors as `make_ml`.
    """
    _expect_one(num_envs)
    both = set(train_envs) & set(test_envs)
    if both:
        raise InputError(f"test_envs: expected other tasks than train_envs, got {sorted(both)}")
    _tasks(test_envs)
    options = {"task_select": "random", **options}
    return _meta(train_envs, seed, meta_batch_size, total_tasks_per_cls, autoreset_mode, options)


def make_goal(
    env_name: str, num_envs: int = 1, *, goal_observable: bool, **options: Any
) -> GymnasiumPool:
    """Makes a pool of one task in which each environment has one goal, the first of its seed.

    Args:
        env_name: name of the task, such as "reach-v3" or "reach-v3-goal-hidden".
        num_envs: number of environments.
        goal_observable: whether observations have the goal.
        **options: options of the task and arguments of `envpool_py.make`.

    Raises:
        InputError: there is no such task; other errors as `envpool_py.make`.
    """
    task_id, fixed = _of_goal(env_name, goal_observable)
    return make_gymnasium(task_id, num_envs, **fixed, **options)


def make_single_goal(env_name: str, *, goal_observable: bool, **options: Any) -> SingleEnv:
    """Makes one environment as `make_goal` does, for `gymnasium.make`."""
    task_id, fixed = _of_goal(env_name, goal_observable)
    return SingleEnv(task_id, **fixed, **options)


def make_single(env_name: str, **options: Any) -> gymnasium.Env[Any, Any]:
    """Makes one environment of MT1, for `gymnasium.make`.

    Args:
        env_name: name of the task, such as "reach-v3".
        **options: as in `make_mt1`, without those of the one-hot vector, of recurrent information
            and of pools.

    Raises:
        InputError, OptionError: as `make_mt1`.
    """
    refuse(options, dict.fromkeys(("use_one_hot", "recurrent_info_in_obs"), _OF_MANY))
    wrapping = take_wrapping(options)
    env: gymnasium.Env[Any, Any] = SingleEnv(TASK_OF[_known(env_name)], **options)
    if wrapping.normalizes_rewards:
        env = gymnasium.wrappers.NormalizeReward(env)
    if wrapping.normalizes_observations:
        env = gymnasium.wrappers.NormalizeObservation(env)
    return gymnasium.wrappers.RecordEpisodeStatistics(env)


def _of_goal(env_name: str, goal_observable: bool) -> tuple[str, dict[str, Any]]:
    """Returns the id of a task, and the options with which it has one goal."""
    ending = _OBSERVABLE if goal_observable else _HIDDEN
    task_id = TASK_OF[_known(env_name.removesuffix(ending))]
    return task_id, {"num_goals": 1, "goal_observable": goal_observable}


def _meta(
    names: Sequence[str],
    seed: int | None,
    meta_batch_size: int,
    total: int | None,
    autoreset_mode: Any,
    options: dict[str, Any],
) -> _Envs:
    size = as_int("meta_batch_size", meta_batch_size, "an integer")
    if size < 1 or size % len(names):
        raise InputError(
            f"meta_batch_size: expected a multiple of the number of tasks, {len(names)}, got {size}"
        )
    step = size // len(names)
    goals = as_int("num_goals", options.get("num_goals", 50), "an integer")
    used = (
        goals if total is None else min(as_int("total_tasks_per_cls", total, "an integer"), goals)
    )
    if used < 1 or used % step:
        raise InputError(
            f"total_tasks_per_cls: expected a multiple of the environments of a task, {step}, got "
            f"{used}"
        )
    rows = []
    for index, name in enumerate(names):
        for first in range(step):
            own = {
                "goals_after": _tasks(names[:index]),
                "total_goals": used,
                "first_goal": first,
                "goal_step": step,
            }
            rows.append((name, own, seed))
    refuse(options, _NO_NUMBERS)
    options = {"goal_observable": False, "task_select": "pseudorandom", **options}
    return _make(rows, autoreset_mode, options)


def _make(
    rows: Sequence[tuple[str, Mapping[str, Any], int | None]],
    autoreset_mode: Any,
    options: dict[str, Any],
) -> _Envs:
    """Makes a pool with a row for each environment: its task, its own options and its seed."""
    if "env_options" in options:
        raise InputError("env_options: expected nothing, because a benchmark sets them")
    choice("vector_strategy", options.pop("vector_strategy", "sync"), ("sync", "async"))
    wrapping = take_wrapping(options)
    own = [dict(of_env) for _, of_env, _ in rows]
    # The engine's observations with a one-hot vector are float32; the wrappers need float64.
    one_hot = _take_one_hot(own) if wrapping.is_needed else None
    groups = [(name, len(list(group))) for name, group in itertools.groupby(row[0] for row in rows)]
    pool = make_gymnasium(
        [TASK_OF[_known(name)] for name, _ in groups],
        [size for _, size in groups],
        env_options=own,
        seed=[seed for _, _, seed in rows],
        autoreset_mode=autoreset_mode,
        **{"record_episode_statistics": True, **options},
    )
    return wrapped(pool, wrapping, one_hot) if wrapping.is_needed else pool


def _take_one_hot(own: list[dict[str, Any]]) -> Any:
    """Removes the options of the one-hot vector; returns it for each environment, or None."""
    lengths = [of_env.pop("num_tasks", 0) for of_env in own]
    if not any(lengths):
        return None
    return np.eye(lengths[0])[[of_env.pop("task_index") for of_env in own]]


def _expect_one(num_envs: int) -> None:
    if num_envs != 1:
        raise InputError(f"num_envs: expected 1, because the tasks say how many, got {num_envs}")


def _tasks(names: Sequence[str]) -> list[str]:
    """Returns the names that the option goals_after has."""
    ids = [TASK_OF[_known(name)] for name in names]
    return [task_id.partition("/")[2].removesuffix("-v3") for task_id in ids]


def _known(name: str) -> str:
    if name in TASK_OF:
        return name
    known = [*TASK_OF, *MT, *ML]
    raise InputError(
        f'expected a benchmark or a task of MetaWorld, got "{name}"{suggestion(name, known)}'
    )
