"""Making pools by task id."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, Literal, overload

from gymnasium.vector import AutoresetMode

from envpool_py import discovery, families
from envpool_py.errors import InputError
from envpool_py.gymnasium_api import GymnasiumPool, make_vector_env
from envpool_py.settings import AffinityArgument, Seed, check_env_type, check_settings
from envpool_py.spec import describe

if TYPE_CHECKING:
    from envpool_py.dm_env_api import DmPool


@overload
def make(
    task_id: str,
    env_type: Literal["gymnasium", "gym"] = "gymnasium",
    num_envs: int = 1,
    batch_size: int | None = None,
    num_threads: int | None = None,
    seed: Seed = None,
    autoreset_mode: str | AutoresetMode = "NextStep",
    max_episode_steps: int | None = None,
    render_mode: str | None = None,
    record_episode_statistics: bool = False,
    max_blocks: int | None = None,
    infos: str = "all",
    check: bool = False,
    thread_affinity: AffinityArgument = None,
    numa: str = "auto",
    **options: Any,
) -> GymnasiumPool: ...


@overload
def make(
    task_id: str,
    env_type: Literal["dm"],
    num_envs: int = 1,
    batch_size: int | None = None,
    num_threads: int | None = None,
    seed: Seed = None,
    autoreset_mode: str | AutoresetMode = "NextStep",
    max_episode_steps: int | None = None,
    render_mode: str | None = None,
    record_episode_statistics: bool = False,
    max_blocks: int | None = None,
    infos: str = "all",
    check: bool = False,
    thread_affinity: AffinityArgument = None,
    numa: str = "auto",
    **options: Any,
) -> DmPool: ...


@overload
def make(
    task_id: str,
    env_type: str,
    num_envs: int = 1,
    batch_size: int | None = None,
    num_threads: int | None = None,
    seed: Seed = None,
    autoreset_mode: str | AutoresetMode = "NextStep",
    max_episode_steps: int | None = None,
    render_mode: str | None = None,
    record_episode_statistics: bool = False,
    max_blocks: int | None = None,
    infos: str = "all",
    check: bool = False,
    thread_affinity: AffinityArgument = None,
    numa: str = "auto",
    **options: Any,
) -> GymnasiumPool | DmPool: ...


def make(
    task_id: str,
    env_type: str = "gymnasium",
    num_envs: int = 1,
    batch_size: int | None = None,
    num_threads: int | None = None,
    seed: Seed = None,
    autoreset_mode: str | AutoresetMode = "NextStep",
    max_episode_steps: int | None = None,
    render_mode: str | None = None,
    record_episode_statistics: bool = False,
    max_blocks: int | None = None,
    infos: str = "all",
    check: bool = False,
    thread_affinity: AffinityArgument = None,
    numa: str = "auto",
    **options: Any,
) -> GymnasiumPool | DmPool:
    """Makes a pool of environments of one task.

    Args:
        task_id: an id from `list_all_envs`, or an id that only Gymnasium's registry has. The
            environments of the latter are written in Python (`make_registered` has the arguments of
            their pools). "module:id" first imports the module, which adds the task.
        env_type: "gymnasium" for a `gymnasium.vector.VectorEnv` (EnvPool's name "gym" means the
            same) or "dm" for a `dm_env.Environment`.
        num_envs: number of environments, at least 1.
        batch_size: rows that `recv` returns, in [1, num_envs]. None: num_envs. Below num_envs,
            `recv` returns the first environments that are ready.
        num_threads: threads that step environments, in [1, 4096]. None: chosen from the processors
            that this process may use.
        seed: seed of the first reset, not used if that reset is given a seed: None (from the
            system), an int in [0, 2**64 - num_envs] (environment i gets `seed + i`), or a list of
            None and ints in [0, 2**64 - 1], one per environment.
        autoreset_mode: "NextStep" (the step after an episode's end resets), "SameStep" (the step
            that ends an episode resets, and `infos` holds the last observation) or "Disabled" (the
            caller resets); or a `gymnasium.vector.AutoresetMode`. "dm" does not support "SameStep".
        max_episode_steps: steps after which an episode is truncated, at least 1. None: the task's
            default. -1: never.
        render_mode: "rgb_array" enables `render`, if the task renders
            (`make_spec(task_id).render`). "rgb_array_list" draws after every step, and `render`
            returns the pictures of each environment since the latest call. None: no rendering, at
            no cost.
        record_episode_statistics: adds "episode" to `infos` when episodes end, as
            `gymnasium.wrappers.vector.RecordEpisodeStatistics` does, but computed by the engine:
            "r" (float64 (n,), the sum of the rewards before any clipping), "l" (int64 (n,), steps)
            and "t" (float64 (n,), seconds since the reset), with the mask "_episode". A lost life
            after which the game continues does not end an episode. Not supported with "dm".
        max_blocks: largest number of blocks of batch memory in use at once, at least 1. A block is
            in use until the last array in it is dropped. A batch has one block for observations,
            and one for rewards, flags and small infos (a small batch has one block for all); the
            limit applies to each of these two kinds. The environments in flight use
            `num_envs / batch_size` blocks, rounded up; each result whose arrays are kept uses one
            more. A call that would exceed the limit raises BatchMemoryError. None: no limit.
        infos: "all", or "gymnasium" to omit "env_id" and "elapsed_step" from `infos`, because
            Gymnasium's environments do not have them. "gymnasium" requires
            `batch_size == num_envs`, and is not supported with "dm".
        check: whether to check that the environments write every element of observations and of
            the infos that they set, in its own dtype and within its bounds, that rewards are
            finite, and that pictures are complete. A violation raises CheckFailedError. For tests:
            a step takes many times as long. Not for environments written in Python.
        thread_affinity: the processors on which the worker threads run. None: with `numa="auto"`,
            each worker is bound to the processors of one NUMA node, if the machine has several
            nodes and there is a worker for each. "cores": each worker is bound to one processor,
            first to one of each core (fast cores first), then to the other hardware threads.
            "nodes": each worker is bound to the processors of one node, even if there are fewer
            workers than nodes. A list: item i is the processor of worker i, or a list of its
            processors, by the system's numbers; a list shorter than the number of workers is
            repeated. The calling thread is not bound. Not for environments written in Python.
        numa: "auto": each environment is made by a worker of one NUMA node, so that its memory is
            on this node. Workers of this node step it, unless they fall behind those of other
            nodes. "off" ignores NUMA nodes: threads are not bound by default, and the environments
            are made and stepped by any thread. Not for environments written in Python.
        **options: constructor options of the environment; `make_spec(task_id).options` lists them.

    Raises:
        UnknownTaskError: no such id; the message suggests the nearest one.
        MissingPackageError, RomError: a requirement of the task is missing; the message says how to
            install it.
        OptionError, OptionTypeError: an unknown option (with the nearest name) or a bad value.
        RenderModeError: a `render_mode` that the task does not have.
        InputError, InputTypeError: any other argument is not valid.
    """
    env_type = check_env_type(env_type)
    make_it: Any = make_dm if env_type == "dm" else make_gymnasium
    if is_python(task_id):
        from envpool_py.python_envs.registered import make_registered

        if check:
            raise InputError(
                f"check: expected False for {task_id}, an environment in Python "
                "(gymnasium.utils.env_checker checks those), got True"
            )
        make_it = functools.partial(make_registered, env_type=env_type)
        if thread_affinity is not None or numa != "auto":
            raise InputError(
                f"thread_affinity, numa: expected the defaults for {task_id}, an environment in "
                f"Python, got {thread_affinity!r}, {numa!r}"
            )
    else:
        make_it = functools.partial(
            make_it, check=check, thread_affinity=thread_affinity, numa=numa
        )
    return make_it(  # type: ignore[no-any-return]
        task_id,
        num_envs=num_envs,
        batch_size=batch_size,
        num_threads=num_threads,
        seed=seed,
        autoreset_mode=autoreset_mode,
        max_episode_steps=max_episode_steps,
        render_mode=render_mode,
        record_episode_statistics=record_episode_statistics,
        max_blocks=max_blocks,
        infos=infos,
        **options,
    )


def is_python(task_id: object) -> bool:
    """Returns whether an id, or "module:id", is in Gymnasium's registry and not in the engine's.

    For "module:id", imports the module. If both registries then have the id, the result is False if
    a plug-in added the engine's task, and True if it is one of this package's own tasks.

    Raises:
        MissingPackageError: the module cannot be imported.
    """
    if not isinstance(task_id, str):
        return False  # rejected later, with a message
    module, name = discovery.split(task_id)
    if module is not None:
        discovery.import_named(module)
        if families.is_of_plugin(name):
            return False
    elif families.knows(name) or families.explains(name):
        return False
    from envpool_py.python_envs.registered import spec_of

    return spec_of(task_id) is not None


# One function with two names: Gymnasium imports it from its own module by name.
make_gymnasium = make_vector_env
make_gym = make_vector_env  # EnvPool's name


def make_dm(
    task_id: str,
    num_envs: int = 1,
    batch_size: int | None = None,
    num_threads: int | None = None,
    seed: Seed = None,
    autoreset_mode: str | AutoresetMode = "NextStep",
    max_episode_steps: int | None = None,
    render_mode: str | None = None,
    record_episode_statistics: bool = False,
    max_blocks: int | None = None,
    infos: str = "all",
    check: bool = False,
    thread_affinity: AffinityArgument = None,
    numa: str = "auto",
    **options: Any,
) -> DmPool:
    """Makes a pool that is a `dm_env.Environment`; needs dm_env. Arguments as in `make`."""
    settings = check_settings(
        describe(task_id, options),
        num_envs=num_envs,
        batch_size=batch_size,
        num_threads=num_threads,
        seed=seed,
        autoreset_mode=autoreset_mode,
        max_episode_steps=max_episode_steps,
        render_mode=render_mode,
        record_episode_statistics=record_episode_statistics,
        max_blocks=max_blocks,
        infos=infos,
        check=check,
        thread_affinity=thread_affinity,
        numa=numa,
        options=options,
    )
    from envpool_py.dm_env_api import DmPool

    return DmPool(settings)


def list_all_envs(python: bool = False) -> list[str]:
    """Returns the sorted ids of all tasks, including those of plug-ins and unloaded families.

    Args:
        python: whether to include the ids that only Gymnasium's registry has, whose environments
            are written in Python.
    """
    ids = families.task_ids()
    if not python:
        return ids
    from envpool_py.python_envs.registered import registered_ids

    return sorted({*ids, *registered_ids()})
