"""The common base class of the pools of both APIs.

A pool is a thin wrapper of the compiled `Pool`, to which it forwards each call. Any thread may
call; the engine synchronises the calls.
"""

from __future__ import annotations

import atexit
import contextlib
import dataclasses
import threading
import time
import warnings
import weakref
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np
from gymnasium.vector import AutoresetMode
from numpy.typing import ArrayLike, NDArray

from envpool_py.compat.hints import EnvPoolNames
from envpool_py.errors import CloseTimeoutError, InputError, InputTypeError
from envpool_py.pool import batch_order
from envpool_py.pool.arguments import ARGUMENT_NAMES, EnvType, PoolArguments, Seed
from envpool_py.pool.batch_order import LogFile
from envpool_py.pool.checks import integer
from envpool_py.pool.core import Capabilities, Core, engine_core_of, make_engine_core
from envpool_py.pool.env_options import EnvOptions, per_env
from envpool_py.pool.health import Watcher, health
from envpool_py.pool.pictures import draw_pictures
from envpool_py.pool.saved_run import RunFile, read_run, write_run
from envpool_py.pool.saving import continue_from, saved_run
from envpool_py.pool.task import ResolvedTask
from envpool_py.pool.telemetry import Profile, detailed_stats

if TYPE_CHECKING:
    from typing_extensions import Self

    from envpool_py.pool.metrics import MetricsServer

__all__ = ["LIMIT_AFTER_ERROR", "EnvIds", "PoolBase", "split_reset_options"]

# How long the end of a `with` block waits for running steps if an exception has left the block, in
# seconds. Without a limit, a step that hangs would keep the exception, often a KeyboardInterrupt,
# from arriving.
LIMIT_AFTER_ERROR = 5.0

EnvIds = ArrayLike | None


def split_reset_options(
    options: Mapping[str, Any], env_id: EnvIds, num_envs: int
) -> tuple[dict[str, Any], NDArray[np.bool_] | None]:
    """Returns the reset options without "reset_mask", and the mask; does not modify `options`.

    "env_options" gets the form that the engine expects. The engine checks the mask's dtype, shape
    and content.
    """
    if not isinstance(options, Mapping):
        raise InputTypeError(
            f"options: expected a mapping or None, got {type(options).__name__} {options!r}"
        )
    rest = dict(options)
    if "env_options" in rest:
        rows = num_envs if env_id is None else np.size(env_id)
        rest["env_options"] = per_env(
            'options["env_options"]', rest["env_options"], rows, ARGUMENT_NAMES, spreads=True
        )
    if "reset_mask" not in rest:
        return rest, None
    mask = rest.pop("reset_mask")
    if env_id is not None:
        raise InputError('options["reset_mask"]: cannot be combined with env_id')
    if not isinstance(mask, np.ndarray):
        raise InputTypeError(
            'options["reset_mask"]: expected a bool array of shape (num_envs,), got '
            f"{type(mask).__name__} {mask!r}"
        )
    return rest, mask


# Pools that are not closed yet. They are closed when the interpreter exits, because worker threads
# should not outlive it. A step that takes longer than this ends with the process.
_EXIT_SECONDS = 5.0
_live: weakref.WeakSet[PoolBase] = weakref.WeakSet()


@atexit.register
def _close_live_pools() -> None:
    deadline = time.monotonic() + _EXIT_SECONDS
    pools: list[PoolBase] = []
    while True:
        try:
            pools = list(_live)
            break
        except RuntimeError:  # a daemon thread has added a pool during the iteration
            continue
    for pool in pools:
        with contextlib.suppress(CloseTimeoutError):
            pool._core.close(max(deadline - time.monotonic(), 0.0))


class PoolBase(EnvPoolNames):
    """A batch of environments: the part of a pool that does not depend on the form of its results.

    Pickles and copies contain the settings, not the environments. The copy is a new pool like one
    from `make`, with its own threads, generators and episodes, even if the original is closed.

    Attributes:
        num_envs: number of environments.
        batch_size: rows that `recv` returns; below `num_envs`, the first environments that are
            ready.
        num_threads: threads that step environments, including the calling one.
        num_players: largest number of rows of observations and actions that one environment can
            have; 1 unless the task has players.
        has_players: whether the task has players, so that observations, actions and rewards have a
            row for each player (`docs/several-players.md`).
        players_vary: whether players come and go, so that the number of rows varies.
        autoreset_mode: when an environment whose episode ended is reset.
        render_mode: "rgb_array" or "rgb_array_list" if `render` may be called, otherwise None.
    """

    num_envs: int
    batch_size: int
    num_threads: int
    num_players: int
    has_players: bool
    players_vary: bool
    autoreset_mode: AutoresetMode
    render_mode: str | None
    _seeds: list[int] | None = None  # that `np_random_seed` reports

    def __init__(self, task: ResolvedTask, arguments: PoolArguments, env_type: EnvType) -> None:
        self._task = task
        self._arguments = arguments
        self._env_type = env_type
        self._core = self._make_core(env_type)
        self._core.set_watcher(Watcher(self))
        if arguments.env_options is not None or task.parts:
            spaces = engine_core_of(self).spaces
            self._task = dataclasses.replace(task, description={**task.description, **spaces})
            task = self._task
        # Cached, because an attribute lookup is measurable in a short `step`.
        self._step = self._core.step
        self.num_envs = self._core.num_envs
        self.batch_size = self._core.batch_size
        self.num_threads = self._core.num_threads
        self.num_players = int(task.description["num_players"])
        self.has_players = task.description["players"] is not None
        self.players_vary = self.has_players and bool(task.description["players"]["vary"])
        self.autoreset_mode = arguments.autoreset_mode
        self.render_mode = arguments.render_mode
        self._recording = threading.Lock()  # held by the running profile
        _live.add(self)

    def _make_core(self, env_type: EnvType) -> Core:
        """Makes the engine's pool."""
        task = self._task
        task.prepare()
        for text in task.warnings:
            warnings.warn(text, UserWarning, stacklevel=2)
        tasks = task.engine_form(self._arguments.max_episode_steps)
        return make_engine_core(tasks, task.options, self._core_arguments(env_type))

    def _core_arguments(self, env_type: EnvType) -> dict[str, Any]:
        return self._arguments.core_form(env_type)

    @property
    def task_id(self) -> str:
        """Id of the task; of several tasks, the ids with " + " between them."""
        return self._task.id

    @property
    def task_ids(self) -> tuple[str, ...]:
        """Ids of the tasks; `infos["task"]` of a pool with several tasks are indices of it."""
        return self._task.ids

    @property
    def task(self) -> ResolvedTask:
        """The task with its options, as the pool was given it."""
        return self._task

    @property
    def arguments(self) -> PoolArguments:
        """The arguments of the pool, checked."""
        return self._arguments

    @property
    def capabilities(self) -> Capabilities:
        """What other parts of the package may do with the engine's pool."""
        return Capabilities(
            can_step_into=True,
            can_save_states=engine_core_of(self).can_save_states,
            can_share_with_xla=True,
        )

    @property
    def config(self) -> dict[str, Any]:
        """The settings of the pool and the options of its environments, with EnvPool's names.

        "max_episode_steps" is None if there is no limit; "num_threads" is the number in use.
        """
        description = self._task.description
        options = {option["name"]: option["default"] for option in description["options"]}
        return {
            "num_envs": self.num_envs,
            "batch_size": self.batch_size,
            "num_threads": self.num_threads,
            "seed": self._arguments.seed,
            "max_episode_steps": self._arguments.step_limit,
            "reward_threshold": description["reward_threshold"],
            **options,
            **self._task.options,
        }

    @property
    def is_async(self) -> bool:
        """Whether `recv` returns the first `batch_size` environments that are ready."""
        return self.batch_size < self.num_envs

    @property
    def all_env_ids(self) -> NDArray[np.int32]:
        """Ids of all environments: int32 (num_envs,), a new array for every access."""
        return np.arange(self.num_envs, dtype=np.int32)

    def send(self, actions: Any, env_id: EnvIds = None) -> None:
        """Starts a step of some environments and returns at once; `recv` collects the results.

        Args:
            actions: one row per environment, as in the action space; for a dict or tuple space, one
                array per part.
            env_id: distinct ids of the environments, integers (n,), in the order of the rows; none
                may be in flight. None: all of them.

        Raises:
            BatchMemoryError: `max_live_batches` blocks of batch memory are in use.
            InputError, InputTypeError, EnvIdError, ResetNeededError, ClosedError, ForkedError.
        """
        self._core.send(actions, env_id)

    def async_reset(self, env_id: EnvIds = None, seed: Seed = None) -> None:
        """Starts a reset of some environments and returns at once; `recv` collects the results.

        Args:
            env_id: ids of the environments, integers (n,), none in flight. None: all of them.
            seed: as in `reset`.

        Raises:
            BatchMemoryError: `max_live_batches` blocks of batch memory are in use.
            InputError, InputTypeError, EnvIdError, ClosedError, ForkedError.
        """
        self._core.async_reset(env_id, seed)

    def drain(self) -> None:
        """Waits until no environment is in flight, and discards the results.

        Also discards results of environments that other threads send during the call. On return,
        all environments are idle.

        Raises:
            ReentryError: called from inside another call of this pool: from a signal handler, or
                from an environment in Python.
            ClosedError, ForkedError.
        """
        self._core.drain()

    def render(self, env_id: EnvIds = None) -> tuple[Any, ...]:
        """Draws environments in their current state, without stepping them.

        A picture shows the state of the latest observation. After the end of an episode, this is
        the episode's last state; but in SameStep mode the environment has been reset, so it is the
        first state of the next episode.

        Args:
            env_id: distinct ids of the environments, integers (n,), none in flight. None: all of
                them.

        Returns:
            One picture per environment, in the order of the ids: uint8 (height, width, 3), RGB,
            writable. `make_spec(task_id).render` gives height and width.

        Raises:
            RenderModeError: the pool was made without a `render_mode`.
            EnvIdError: an id is out of range, given twice, or in flight; the message names it.
            ResetNeededError: an environment has not been reset yet, or failed.
            EnvironmentFailedError: an environment could not be drawn; `batch` has all pictures,
                black for the failed environments.
            MissingPackageError: Gymnasium's code draws the pictures, and a package that it needs
                is not installed.
            InputError, InputTypeError, ClosedError, ForkedError.
        """
        return draw_pictures(engine_core_of(self), self._task, env_id)

    def set_env_options(self, values: EnvOptions, env_id: EnvIds = None) -> None:
        """Gives environments other constructor options, from their next reset on.

        This includes automatic resets. The environments may be in flight. Options that are not
        named keep their values. An environment whose options change is made again; its generator
        goes on.

        Args:
            values: a sequence with a mapping of options for each environment; or a mapping of
                option to a sequence of values, one for each environment, or to one value for all.
            env_id: distinct ids of the environments, integers (n,). None: all of them.

        Raises:
            OptionError, OptionTypeError: an option is unknown or its value not valid, or the
                environment would not fit into the pool: its observations or actions would have
                another shape or dtype, or bounds beyond those of the pool. The message names the
                environment. No environment is changed.
            EnvIdError, InputError, InputTypeError, ClosedError, ForkedError.
        """
        rows = self.num_envs if env_id is None else np.size(env_id)
        given = per_env("values", values, rows, ARGUMENT_NAMES, spreads=True)
        engine_core_of(self).set_env_options(given, env_id)

    def get_env_options(
        self, env_id: EnvIds = None, *, after_reset: bool = False
    ) -> list[dict[str, Any]]:
        """Returns all constructor options of each environment.

        Args:
            env_id: distinct ids of the environments, integers (n,). None: all of them.
            after_reset: the options that an environment will have after its next reset. False: its
                current ones; it may not be in flight.

        Raises:
            EnvIdError, InputError, InputTypeError, ClosedError, ForkedError.
        """
        return engine_core_of(self).env_options(env_id, after_reset)

    def save_states(self, env_id: EnvIds = None) -> list[bytes]:
        """Returns the complete states of environments, from which `load_states` continues.

        A state contains all data that determine future results: the environment, its generator and
        the progress of its episode. It can be loaded into any environment of a pool of the same
        task with the same options, also in another process, by the same version of the package (on
        a processor of the same kind). The settings of a pool are not part of it.

        Args:
            env_id: distinct ids of the environments, integers (n,), none in flight. None: all of
                them.

        Returns:
            One state per environment, in the order of the ids.

        Raises:
            StateError: the environments of this task, or with these options, cannot save states.
            EnvIdError: an id is out of range, given twice, or in flight.
            ResetNeededError: an environment has not been reset yet, or failed.
            InternalError: the environment's Save raised an exception; the message contains it.
            InputError, InputTypeError, ClosedError, ForkedError.
        """
        return engine_core_of(self).save_states(env_id)

    def load_states(self, states: Sequence[bytes], env_id: EnvIds = None) -> Any:
        """Continues from states that `save_states` has returned, without stepping environments.

        With the same actions, results are bit-equal to the results after the states were saved.
        Load only states from sources that you trust: the check detects accidental damage, not
        manipulation.

        Args:
            states: one state per environment, in the order of the ids.
            env_id: distinct ids of the environments, integers (n,), none in flight; they may be new
                or have failed. None: all of them.

        Returns:
            As `reset`: the observations of the loaded states, and their infos.

        Raises:
            StateError: the bytes are not a state, are damaged, or belong to another task, other
                options, or another version; the message says which. Or the state was saved after
                the last step of an episode, and the pool is in SameStep mode, in which an
                environment has already been reset then; or the pool records statistics, and the
                state has none.
            EnvironmentFailedError: the environment's Load raised an exception.
            InputError, InputTypeError, EnvIdError, BatchMemoryError, ClosedError, ForkedError.
        """
        return engine_core_of(self).load_states(states, env_id)

    def save(self, path: RunFile) -> None:
        """Writes the pool to a file: how it was made, and the state of every environment.

        `load`, or `envpool_py.load` in another process, continues from it: with the same actions,
        results are bit-equal. The new file replaces an old one as a whole; a process that dies
        meanwhile, or a full disk, leaves the old one.

        `path` may be a binary file that is open, such as an `io.BytesIO`, to save a pool as a part
        of a larger checkpoint; it is then written in place.

        Not saved: counts of `stats`, pictures of "rgb_array_list". No other thread may use the pool
        during the call.

        Raises:
            EnvIdError: an environment is in flight: receive its result, or call `drain`.
            ResetNeededError: an environment has failed and was not reset.
            StateError: the environments cannot save states.
            OSError: the file cannot be written; or a log of batches, and then the file has been.
            ClosedError, ForkedError.
        """
        try:
            batch_order.flush(self)
        finally:
            write_run(path, saved_run(self))

    def load(self, path: RunFile, *, allow_pickle: bool = False) -> Any:
        """Continues from a file of `save`, in a pool of the same tasks.

        The number of threads and other arguments that do not affect results may differ.

        Args:
            path: the file, or a binary file that is open.
            allow_pickle: whether pickles may be read, which may run any code. Only environments
                in Python need them.

        Returns:
            As `reset`: the observations and infos of the environments that had been reset when the
            pool was saved; None if none had. The others keep their own seeds.

        Raises:
            StateError: the file is damaged, or of another pool; the message says which argument
                differs. Or it has pickles.
            InputError: a log is recorded or replayed whose next batch is not that of the file: load
                before `record_batches` or `replay_batches`.
            EnvironmentFailedError: an environment could not be loaded.
            EnvIdError: environments are in flight.
            OSError: the file cannot be read.
            ClosedError, ForkedError.
        """
        return continue_from(self, read_run(path), allow_pickle)

    @property
    def batches_received(self) -> int:
        """The number of batches that a first-ready pool has returned since it was made or saved.

        An ordered pool counts those of `recv` only.
        """
        return self._core.num_received

    def record_batches(
        self,
        path: LogFile,
        *,
        resume: bool = False,
        digests: bool = False,
        max_bytes: int | None = None,
    ) -> None:
        """Records which environments come in which batch of a first-ready pool, from now on.

        All else follows from seeds and actions, so `replay_batches` can repeat the run. A batch
        takes 4 bytes, and 1, 2 or 4 per row in pools of up to 256, up to 65,536 and more
        environments. Those of 0.2 s are written together; `save` and
        `stop_recording_batches` write the rest and wait for the disk. If a batch cannot be written,
        the log ends before it, the run goes on, and those calls raise an OSError.

        Args:
            path: the log, a new file.
            resume: whether an existing log is continued. Its batches after `batches_received` are
                repeated first, as by `replay_batches`: so a run that continues from a file of
                `save` gets the same results as before it was killed.
            digests: whether to record 4 bytes per row that depend on its observation, reward, end
                and number of steps. A replay compares them. Infos are left out. An existing log
                that is continued goes on as it began, whatever this says.
            max_bytes: size of the file at which the log ends; None: no limit.

        Raises:
            FileExistsError: the file exists, without `resume`.
            InputError: the pool is ordered, the log is of other numbers of environments, or
                `max_bytes` is not positive.
            ReplayError: with `resume`, the file is no log, or ends before the pool's batch.
            EnvIdError: environments are in flight.
            OSError: the file cannot be written.
            ClosedError, ForkedError.
        """
        batch_order.record(self, path, resume=resume, digests=digests, max_bytes=max_bytes)

    def replay_batches(self, path: LogFile) -> None:
        """Repeats the batches of a log of `record_batches`, from batch `batches_received` on.

        `recv`, and `step`, then return the same environments in the same rows. With the same seeds
        and actions, results are bit-equal to those of the recorded run. Environments that the next
        batch does not need wait.

        A later `recv` raises a `ReplayError` if the next batch has an environment that was not
        sent, if a result is not the recorded one (with digests), and at the end of the log. So one
        thread sends and receives.

        Raises:
            ReplayError: the file is no log, or does not have the pool's next batch.
            InputError: the pool is ordered, or the log is of other numbers of environments.
            EnvIdError: environments are in flight.
            OSError: the file cannot be read.
            ClosedError, ForkedError.
        """
        batch_order.replay(self, path)

    def stop_recording_batches(self) -> None:
        """Ends the log of `record_batches`.

        Raises:
            OSError: a batch could not be written; the log ends before it.
            ClosedError, ForkedError.
        """
        try:
            batch_order.flush(self)
        finally:
            self._core.stop_recording_batches()

    _states_are_pickles = False

    def _pickled_source(self) -> bytes | None:
        """Returns the pickle from which an equal pool is made, if `make` cannot make it."""
        return None

    @overload
    def stats(self, detail: Literal[False] = False) -> dict[str, int]: ...

    @overload
    def stats(self, detail: bool) -> dict[str, Any]: ...

    def stats(self, detail: bool = False) -> dict[str, Any]:
        """Returns counts and times since the pool was made, and the current batch memory.

        Counts: "steps", "episodes" (that ended), "resets", "failures", "threads_started". Times, in
        nanoseconds: "step_ns", time inside of environments, and "idle_ns", time without work, both
        summed over the threads; "recv_wait_ns", time that callers waited for results.

        Memory: "blocks" and "block_bytes" are all blocks of batch memory. "leased_blocks" and
        "leased_bytes" are those that arrays of earlier results keep alive, also after `close`. The
        pool frees blocks that it has not needed for a while. After `close`, a block is freed with
        its last array.

        Args:
            detail: whether to add "queued", the number of environments that wait for a thread;
                "threads", a list with the share of each worker thread or process and of the callers
                ("name", counts, "step_ns", "idle_ns", "wait_ns"); and "recorded", the recordings of
                `profile` so far (see `Profile.stats`), or None.
        """
        stats = self._core.stats()
        return detailed_stats(stats, self._core.detail()) if detail else stats

    def health(self) -> dict[str, NDArray[Any]]:
        """Returns what each environment does, in arrays of shape (num_envs,).

        It does not wait for steps. While a call of the same pool waits, another thread may call it.

        Returns:
            A dict of:

            - "state", str: "never reset", "idle", "in flight" (sent, and its result was not
              received yet), "stepping" (in flight, and a thread or process works on it), "episode
              over" (it must be reset, with autoreset disabled) or "failed" (it must be reset, or
              its next step resets it, with on_error="reset").
            - "seconds", float64: since a thread began with it, if it is stepping and threads step
              it; otherwise since it was last sent, stepped or reset. NaN: it never was.
            - "results", uint64: rows of it that were received.
            - "failures", uint64: of these, rows in which it had failed.
            - "step_seconds", float64: duration of a recent step. NaN: unknown, as for steps of less
              than a microsecond and in worker processes. Environments that a thread steps one after
              the other share their time.

        Raises:
            ReentryError: an environment of the pool, or a signal handler in a call, calls it.
            ClosedError, ForkedError.
        """
        return health(self)

    def serve_metrics(self, host: str = "127.0.0.1", port: int = 0) -> MetricsServer:
        """Serves counts, times, memory and the states of environments over HTTP, for Prometheus.

        Args:
            host: address on which the server listens.
            port: port, in [0, 65535]; 0 for any free port.

        Returns:
            The server: `url`, and `close()`. It does not keep the pool alive.

        Raises:
            MissingPackageError: prometheus_client is not installed.
            ResourceError: the port is in use, or the address is not of this machine.
        """
        from envpool_py.pool.metrics import MetricsServer, PoolCollector

        return MetricsServer(PoolCollector(self), host, port)

    def profile(self, events: int = 8192) -> Profile:
        """Returns a context manager that records the activities of the pool's threads.

        It can be used on a running pool at any time. Outside of the `with` block, recording has no
        cost. Not available for environments in Python that worker processes or the calling thread
        step.

        Args:
            events: number of latest events to keep for each thread, at 24 bytes each, in
                [2, 2**20]. All profiles of a pool use the number of its first profile.

        Raises:
            InputError, InputTypeError, ClosedError, ForkedError: when the block is entered.
        """
        return Profile(self, integer("events", events, 2, 2**20))

    def __reduce__(self) -> tuple[Any, ...]:
        # Threads and memory cannot be copied, so pickle, copy and deepcopy store only the settings.
        arguments = {**self._arguments.plain_form(), **self._task.keywords()}
        return self._task.remake, (type(self), arguments, self._task.options)

    def __len__(self) -> int:
        return self.num_envs

    def __repr__(self) -> str:
        batch = f", batch_size={self.batch_size}" if self.is_async else ""
        return f"{type(self).__name__}({self.task_id}, num_envs={self.num_envs}{batch})"

    def close(self, timeout: float | None = None) -> None:
        """Closes the pool: stops the threads and frees the environments.

        Calls that wait in other threads raise ClosedError, as does every later call. Queued steps
        are discarded; running steps are awaited. Arrays already returned stay valid. A signal
        handler may call this, even inside a call of this pool. A second call only waits.

        Args:
            timeout: seconds to wait for running steps. None: no limit.

        Raises:
            CloseTimeoutError: steps still run after `timeout` seconds. The pool is closed, and its
                environments are freed when the last step ends.
            InputError, InputTypeError: `timeout` is not a number of seconds, at least 0.
        """
        self._core.close(timeout)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc_value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Closes the pool; after an exception, waits at most 5 s for running steps."""
        if exc_type is None:
            self.close()
        else:
            self._close_after_error()

    def _close_after_error(self) -> None:
        with contextlib.suppress(CloseTimeoutError):
            self.close(LIMIT_AFTER_ERROR)
