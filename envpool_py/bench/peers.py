"""Who can take part in a measurement, and how each one opens a case.

The parent process reads only the names and texts here; a library is imported when its `open` is
called, which is in its worker process.
"""

from __future__ import annotations

import dataclasses
import importlib
import importlib.util
from collections.abc import Callable
from typing import Any

from envpool_py.bench.case import Case
from envpool_py.bench.drivers import Driver, FirstReadyDriver, OrderedDriver

OURS = "envpool_py"

# Gymnasium's async environment runs one process per environment: beyond this it measures the
# system's scheduler, and takes minutes to start.
_MOST_PROCESSES = 16


class UnavailableError(Exception):
    """A participant cannot take part: `reason` says why, `remedy` is the command that helps."""

    def __init__(self, reason: str, remedy: str | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.remedy = remedy


@dataclasses.dataclass(frozen=True)
class Participant:
    """One library, in one way of using it.

    Attributes:
        name: what `--against` and result files call it.
        title: what tables and plots call it.
        module: the module that must be importable.
        distribution: the installed package whose version is recorded.
        install: the command that installs it.
        open: makes and resets the environments of a case; raises UnavailableError if the library
            lacks the task.
        most_envs: with more environments it takes part only when asked for by name.
    """

    name: str
    title: str
    module: str
    distribution: str
    install: str
    open: Callable[[Case], Driver]
    most_envs: int | None = None

    def start(self, case: Case) -> Driver:
        """Opens the case, or raises UnavailableError."""
        if importlib.util.find_spec(self.module) is None:
            raise UnavailableError(f"{self.module} is not installed", self.install)
        return self.open(case)


def _open_ours(case: Case) -> Driver:
    module = importlib.import_module(OURS)
    env = module.make(
        case.task_for(OURS),
        env_type="gymnasium",
        num_envs=case.num_envs,
        batch_size=case.batch_size,
        num_threads=case.num_threads,
        seed=case.seed,
        **case.options_for(OURS),
    )
    if case.first_ready:
        return FirstReadyDriver(env, case.batch_size)
    return OrderedDriver(env, case.num_envs, case.seed)


def _open_envpool(case: Case) -> Driver:
    module = importlib.import_module("envpool")
    task = case.task_for("envpool")
    if task not in module.list_all_envs():
        raise UnavailableError(f"envpool has no {task}")
    env = module.make(
        task,
        env_type="gymnasium",
        num_envs=case.num_envs,
        batch_size=case.batch_size,
        num_threads=case.num_threads,
        seed=case.seed,
        **case.options_for("envpool"),
    )
    if case.first_ready:
        return FirstReadyDriver(env, case.batch_size)
    return OrderedDriver(env, case.num_envs, None)  # its reset takes no seed


def _gymnasium_opener(mode: str, name: str) -> Callable[[Case], Driver]:
    def open_case(case: Case) -> Driver:
        # Any: the environments are used through what all the libraries share.
        gymnasium: Any = importlib.import_module("gymnasium")
        task = case.task_for(name)
        try:
            spec = gymnasium.spec(task)
        except gymnasium.error.Error as error:
            raise UnavailableError(f"gymnasium has no {task} ({error})") from error
        if mode == "vector_entry_point" and spec.vector_entry_point is None:
            raise UnavailableError(f"gymnasium has no NumPy-vectorised {task}")
        try:
            env = gymnasium.make_vec(
                task, case.num_envs, vectorization_mode=mode, **case.options_for(name)
            )
        except gymnasium.error.DependencyNotInstalled as error:
            raise UnavailableError(str(error)) from error
        return OrderedDriver(env, case.num_envs, case.seed)

    return open_case


def _gymnasium(name: str, title: str, mode: str, most_envs: int | None = None) -> Participant:
    return Participant(
        name=name,
        title=title,
        module="gymnasium",
        distribution="gymnasium",
        install="pip install gymnasium",
        open=_gymnasium_opener(mode, name),
        most_envs=most_envs,
    )


_ALL = (
    Participant(
        name=OURS,
        title="envpool_py",
        module=OURS,
        distribution=OURS,
        install="pip install envpool_py",
        open=_open_ours,
    ),
    Participant(
        name="envpool",
        title="EnvPool",
        module="envpool",
        distribution="envpool",
        install="pip install envpool",
        open=_open_envpool,
    ),
    _gymnasium("gymnasium-vectorized", "Gymnasium NumPy", "vector_entry_point"),
    _gymnasium("gymnasium-sync", "Gymnasium sync", "sync"),
    _gymnasium("gymnasium-async", "Gymnasium async", "async", _MOST_PROCESSES),
)

PARTICIPANTS: dict[str, Participant] = {participant.name: participant for participant in _ALL}
"""Every participant by name, ours first."""

PEERS: tuple[str, ...] = tuple(name for name in PARTICIPANTS if name != OURS)
"""The names that can be measured against."""


def default_peers(case: Case) -> tuple[str, ...]:
    """The peers that take part in `case` when none are named."""
    limits = {name: PARTICIPANTS[name].most_envs for name in PEERS}
    return tuple(name for name, limit in limits.items() if limit is None or case.num_envs <= limit)
