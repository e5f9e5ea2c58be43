"""Making pools by task id."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, overload

from gymnasium.vector import AutoresetMode

from envpool_py.errors import InputError
from envpool_py.pool.arguments import (
    PYTHON_ARGUMENT_NAMES,
    PoolArguments,
    Seed,
    check_env_type,
    is_default,
    show_arguments,
    take_arguments,
)
from envpool_py.pool.collecting import CollectingPool
from envpool_py.pool.gymnasium_pool import GymnasiumPool
from envpool_py.tasks import catalog, discovery, python_tasks, registry
from envpool_py.tasks.mixed import resolve_several
from envpool_py.tasks.resolve import resolve

if TYPE_CHECKING:
    from envpool_py.pool.dm_pool import DmPool
    from envpool_py.pool.env_options import EnvOptions
    from envpool_py.pool.task import ResolvedTask

__all__ = ["is_python", "make", "make_dm", "make_gym", "make_gymnasium"]


@overload
def make(
    task_id: str | Sequence[str],
    env_type: Literal["dm"],
    num_envs: int | Sequence[int] = 1,
    **arguments: Any,
) -> DmPool: ...


# For type checkers: the arguments of PoolArguments, to which a test compares this signature.
@overload
def make(
    task_id: str | Sequence[str],
    env_type: Literal["gymnasium", "gym"] = "gymnasium",
    num_envs: int | Sequence[int] = 1,
    *,
    batch_size: int | None = None,
    num_threads: int | None = None,
    seed: Seed = None,
    autoreset_mode: str | AutoresetMode = "NextStep",
    max_episode_steps: int | None = None,
    render_mode: str | None = None,
    record_episode_statistics: bool = False,
    max_live_batches: int | None = None,
    on_error: str = "raise",
    max_failures: int = 10,
    step_timeout: float | None = None,
    extra_infos: bool = True,
    check_outputs: bool = False,
    thread_affinity: str | Sequence[int | Sequence[int]] | None = None,
    numa: str = "auto",
    env_options: EnvOptions | None = None,
    **options: Any,
) -> GymnasiumPool: ...


@overload
def make(
    task_id: str | Sequence[str], env_type: str, num_envs: int | Sequence[int] = 1, **arguments: Any
) -> GymnasiumPool | DmPool: ...


def make(
    task_id: str | Sequence[str],
    env_type: str = "gymnasium",
    num_envs: int | Sequence[int] = 1,
    **options: Any,
) -> GymnasiumPool | DmPool:
    """Makes a pool of environments of one task, or of several whose rows have the same form.

    Args:
        task_id: an id from `list_all_envs`, or an id that only Gymnasium's registry has. The
            environments of the latter are written in Python (`make_registered` has the arguments of
            their pools). "module:id" first imports the module, which adds the task. A list of ids:
            the environments of the first task come first, and so on; `infos["task"]`, int32 (n,),
            is the index of an environment's task in `pool.task_ids`. Observations and actions of
            the tasks must have the same shapes and dtypes, and actions the same bounds. `options`
            are those of all tasks.
        env_type: "gymnasium" for a `gymnasium.vector.VectorEnv` (EnvPool's name "gym" means the
            same) or "dm" for a `dm_env.Environment`.
        num_envs: number of environments, at least 1. With several tasks, a list has the number of
            each; an int is divided evenly, and if it is not a multiple of the number of tasks, the
            first ones have one more.
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
        max_live_batches: largest number of batches whose memory is in use at once, at least 1. The
            memory of a batch is in use until the last array in it is dropped; observations, and
            rewards, flags and small infos, are counted apart. The environments in flight use
            `num_envs / batch_size` batches, rounded up; each result whose arrays are kept uses one
            more. A call that would exceed the limit raises BatchMemoryError. None: no limit.
        on_error: what happens when an environment fails. "raise": the call raises
            EnvironmentFailedError, and the environment must be reset. "reset": its episode is
            truncated, its row is zero, its message is in `infos["error"]` (an array of str and
            None, with the mask "_error"), and its next step begins a new episode, in which a new
            instance with the same options continues its generator; with "Disabled" the caller
            resets. Other environments are not affected. A `reset` that fails still raises.
        max_failures: with on_error="reset", how often one environment may fail in an hour, at
            least 0. Then it is treated as with "raise".
        step_timeout: seconds, greater than 0, that a step or a reset of an environment may take
            while a call of the pool waits for it, to 0.1 s. Then the environment has failed, as
            `on_error` says, and the other rows of its batch are delivered. The thread that is still
            in the step is left to itself, another one takes its place, and the next reset makes a
            new environment, whose seed comes from the old one's. Environments whose class says that
            its steps are computations that never wait, which most tasks of this package are, are
            not watched. Not for environments of several players, unless they never wait. None: no
            limit.
        extra_infos: whether `infos` has "env_id" and "elapsed_step", which Gymnasium's environments
            do not have. False requires `batch_size == num_envs`, and is not supported with "dm".
        check_outputs: whether to check that the environments write every element of observations
            and of the infos that they set, in its own dtype and within its bounds, that rewards are
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
        env_options: options of single environments, which override `options`: a sequence with a
            mapping for each environment, or a mapping of option to a sequence of `num_envs` values.
            Each environment gives what it would give in a pool made with these options alone. Their
            observations and actions must have the same shapes and dtypes; where bounds differ, the
            spaces of the pool have the widest. Environments with equal options share what depends
            on options alone. Not for environments written in Python.
        **options: constructor options of the environment; `make_spec(task_id).options` lists them.

    Raises:
        UnknownTaskError: no such id; the message suggests the nearest one.
        MissingPackageError, RomError: a requirement of the task is missing; the message says how to
            install it.
        UnknownOptionError: an unknown option; the message suggests the nearest name.
        OptionError, OptionTypeError: an option has a bad value.
        RenderModeError: a `render_mode` that the task does not have.
        InputError, InputTypeError: any other argument is not valid.
    """
    env_type = check_env_type(env_type)
    if isinstance(task_id, str) and is_python(task_id):
        _refuse_arguments_of_the_engine(task_id, options)
        return python_tasks.make_registered(
            task_id,
            env_type=env_type,
            num_envs=num_envs,
            **options,
        )
    make_it = make_dm if env_type == "dm" else make_gymnasium
    return make_it(task_id, num_envs, **options)


def make_gymnasium(
    task_id: str | Sequence[str], num_envs: int | Sequence[int] = 1, **options: Any
) -> GymnasiumPool:
    """Makes a pool that is a `gymnasium.vector.VectorEnv`. Arguments as in `make`.

    The entry point for `gymnasium.make_vec`.
    """
    task, checked = _resolve(task_id, num_envs, options)
    kind = CollectingPool if checked.render_mode == "rgb_array_list" else GymnasiumPool
    return kind(task, checked)


make_gym = make_gymnasium  # EnvPool's name


def make_dm(
    task_id: str | Sequence[str], num_envs: int | Sequence[int] = 1, **options: Any
) -> DmPool:
    """Makes a pool that is a `dm_env.Environment`; needs dm_env. Arguments as in `make`."""
    task, checked = _resolve(task_id, num_envs, options)
    from envpool_py.pool.dm_pool import DmPool  # imports dm_env

    return DmPool(task, checked)


def _resolve(
    task_id: str | Sequence[str], num_envs: int | Sequence[int], options: dict[str, Any]
) -> tuple[ResolvedTask, PoolArguments]:
    """Returns the task, or tasks, and the checked arguments, which it removes from `options`."""
    arguments = take_arguments(options)
    if isinstance(task_id, Sequence) and not isinstance(task_id, (str, bytes)):
        task = resolve_several(task_id, num_envs, options)
        num_envs = sum(size for _, size in task.parts)
    else:
        task = resolve(task_id, options)
    return task, PoolArguments.checked(task, {"num_envs": num_envs, **arguments})


for _function in (make, make_gymnasium, make_dm):
    show_arguments(_function)


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
        if registry.is_of_plugin(name):
            return False
    elif catalog.exists(name) or catalog.has_migration_hint(name):
        return False
    return python_tasks.spec_of(task_id) is not None


def _refuse_arguments_of_the_engine(task_id: str, arguments: dict[str, Any]) -> None:
    """Raises InputError for an argument that pools of environments in Python do not have."""
    own = (*PYTHON_ARGUMENT_NAMES, "num_threads", "render_mode")  # python_tasks checks these two
    for name, value in take_arguments(dict(arguments)).items():
        if name in own:
            continue
        if not is_default(name, value):
            raise InputError(
                f"{name}: not supported for {task_id}, whose environments are written in Python"
            )
        del arguments[name]
