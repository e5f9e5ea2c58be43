"""The libraries that can be measured, and how each one makes and steps a case.

The parent process uses only the names and texts here. A library is imported only in its worker
process, when its `make` is called.
"""

from __future__ import annotations

import dataclasses
import importlib
import importlib.util
from collections.abc import Callable
from typing import Any

from envpool_py.cli.bench.case import Case
from envpool_py.cli.bench.drivers import (
    Driver,
    FirstReadyDriver,
    OrderedDriver,
    ParallelDriver,
    SingleDriver,
)
from envpool_py.cli.bench.process_peers import (
    drive_sb3,
    drive_tianshou,
    make_puffer,
    make_sb3,
    make_tianshou,
    task_of,
    wrappers_of,
)
from envpool_py.cli.bench.unavailable import INSTALL_ALL, UnavailableError

__all__ = ["ALE", "OURS", "PARTICIPANTS", "PEERS", "Participant", "default_peers"]

OURS = "envpool_py"
_ENVPOOL = "envpool"
ALE = "ale-py"

# Gymnasium's async environment runs one process per environment. With more processes than this, the
# system's scheduler dominates the measurement, and starting takes minutes.
_MOST_PROCESSES = 16


def _drive(env: Any, case: Case) -> Driver:
    if case.first_ready:
        return FirstReadyDriver(env, case.batch_size)
    return OrderedDriver(env, case.num_envs, case.seed)


@dataclasses.dataclass(frozen=True)
class Participant:
    """One library, used in one way.

    Attributes:
        name: its name in `--against` and in result files.
        title: its name in tables and plots.
        module: the module that must be importable.
        distribution: the installed package whose version is recorded.
        install: the command that installs it.
        make: makes the environments of a case; raises UnavailableError if the library lacks the
            task.
        drive: resets them and returns a driver.
        most_envs: with more environments it takes part only if named explicitly.
        only_named: unless named explicitly, it takes part only if `Case.peer_tasks` has an id for
            it.
    """

    name: str
    title: str
    module: str
    distribution: str
    install: str
    make: Callable[[Case], Any]
    drive: Callable[[Any, Case], Driver] = _drive
    most_envs: int | None = None
    only_named: bool = False

    def check_installed(self) -> None:
        """Raises UnavailableError if the library is not installed."""
        if importlib.util.find_spec(self.module) is None:
            raise UnavailableError(f"{self.module} is not installed", self.install)

    def start(self, case: Case) -> Driver:
        """Opens the case, or raises UnavailableError."""
        self.check_installed()
        return self.drive(self.make(case), case)

    def joins(self, case: Case) -> bool:
        """Whether it takes part in `case` by default."""
        if self.most_envs is not None and case.num_envs > self.most_envs:
            return False
        return not self.only_named or self.name in case.peer_tasks


def _make_ours(case: Case) -> Any:
    return importlib.import_module(OURS).make(
        case.task_for(OURS),
        env_type="gymnasium",
        num_envs=case.num_envs,
        batch_size=case.batch_size,
        num_threads=None if case.in_python else case.num_threads,
        seed=case.seed,
        **case.options_for(OURS),
    )


def _make_envpool(case: Case) -> Any:
    module = importlib.import_module(_ENVPOOL)
    task = case.task_for(_ENVPOOL)
    if task not in module.list_all_envs():
        raise UnavailableError(f"envpool has no {task}")
    return module.make(
        task,
        env_type="gymnasium",
        num_envs=case.num_envs,
        batch_size=case.batch_size,
        num_threads=case.num_threads,
        seed=case.seed,
        **case.options_for(_ENVPOOL),
    )


def _drive_envpool(env: Any, case: Case) -> Driver:
    if case.first_ready:
        return FirstReadyDriver(env, case.batch_size)
    return OrderedDriver(env, case.num_envs, None)  # its reset accepts no seed


def _make_ale(case: Case) -> Any:
    game = case.peer_tasks.get(ALE)
    if game is None:
        raise UnavailableError(f"ale-py has no {case.task}")
    return importlib.import_module("ale_py.vector_env").AtariVectorEnv(
        game,
        case.num_envs,
        batch_size=case.batch_size,
        num_threads=case.num_threads,
        **case.options_for(ALE),
    )


def _drive_ale(env: Any, case: Case) -> Driver:
    # If the batch is smaller than the pool, `step` sends the actions of the previous batch and
    # returns the first environments that are ready, like `send` followed by `recv`.
    return OrderedDriver(env, case.batch_size, case.seed)


def _gymnasium_maker(mode: str, name: str) -> Callable[[Case], Any]:
    def make(case: Case) -> Any:
        # Any, because the code below uses only calls that all these libraries share.
        gymnasium: Any = importlib.import_module("gymnasium")
        task = task_of(case, name)
        entry_point = gymnasium.spec(task).vector_entry_point
        if mode == "vector_entry_point" and (entry_point is None or case.wrappers):
            raise UnavailableError(f"gymnasium has no NumPy-vectorised {task}")
        try:
            return gymnasium.make_vec(
                task,
                case.num_envs,
                vectorization_mode=mode,
                wrappers=wrappers_of(case),
                **case.options_for(name),
            )
        except gymnasium.error.DependencyNotInstalled as error:
            raise UnavailableError(str(error), INSTALL_ALL) from error

    return make


def _drive_all(env: Any, case: Case) -> Driver:
    return OrderedDriver(env, case.num_envs, case.seed)


def _make_single(case: Case) -> Any:
    gymnasium: Any = importlib.import_module("gymnasium")
    name = case.task_for("gymnasium-single")
    try:
        return gymnasium.make(name, **case.options_for("gymnasium-single"))
    except gymnasium.error.DependencyNotInstalled as error:
        raise UnavailableError(str(error), INSTALL_ALL) from error
    except gymnasium.error.Error as error:
        raise UnavailableError(f"gymnasium has no {name} ({error})") from error


def _drive_single(env: Any, case: Case) -> Driver:
    return SingleDriver(env, case.num_envs, case.seed)


def _make_mpe2(case: Case) -> Any:
    scenario = case.peer_tasks.get("mpe2")
    if scenario is None:
        raise UnavailableError(f"MPE2 has no {case.task}")
    module: Any = importlib.import_module(f"mpe2.{scenario}")
    return [module.parallel_env(**case.options_for("mpe2")) for _ in range(case.num_envs)]


def _make_mamujoco(case: Case) -> Any:
    scenario = case.peer_tasks.get("mamujoco")
    if scenario is None:
        raise UnavailableError(f"MaMuJoCo has no {case.task}")
    module: Any = importlib.import_module("gymnasium_robotics")
    options = case.options_for("mamujoco")
    make = module.mamujoco_v1.parallel_env
    return [make(scenario=scenario, **options) for _ in range(case.num_envs)]


def _drive_parallel(envs: Any, case: Case) -> Driver:
    return ParallelDriver(envs, case.seed)


def _gymnasium(name: str, title: str, mode: str, most_envs: int | None = None) -> Participant:
    return Participant(
        name=name,
        title=title,
        module="gymnasium",
        distribution="gymnasium",
        install="pip install gymnasium",
        make=_gymnasium_maker(mode, name),
        drive=_drive_all,
        most_envs=most_envs,
    )


_ALL = (
    Participant(
        name=OURS,
        title="envpool_py",
        module=OURS,
        distribution=OURS,
        install="pip install envpool_py",
        make=_make_ours,
    ),
    Participant(
        name=_ENVPOOL,
        title="EnvPool",
        module="envpool",
        distribution="envpool",
        install="pip install envpool",
        make=_make_envpool,
        drive=_drive_envpool,
    ),
    Participant(
        name=ALE,
        title="ale-py vector",
        module="ale_py",
        distribution="ale-py",
        install="pip install ale-py",
        make=_make_ale,
        drive=_drive_ale,
        only_named=True,
    ),
    Participant(
        name="mpe2",
        title="MPE2 parallel",
        module="mpe2",
        distribution="mpe2",
        install="pip install mpe2",
        make=_make_mpe2,
        drive=_drive_parallel,
        only_named=True,
    ),
    Participant(
        name="mamujoco",
        title="MaMuJoCo parallel",
        module="gymnasium_robotics",
        distribution="gymnasium-robotics",
        install="pip install gymnasium-robotics",
        make=_make_mamujoco,
        drive=_drive_parallel,
        only_named=True,
    ),
    _gymnasium("gymnasium-vectorized", "Gymnasium NumPy", "vector_entry_point"),
    _gymnasium("gymnasium-sync", "Gymnasium sync", "sync"),
    _gymnasium("gymnasium-async", "Gymnasium async", "async", _MOST_PROCESSES),
    Participant(
        name="gymnasium-single",
        title="one env",
        module="gymnasium",
        distribution="gymnasium",
        install="pip install gymnasium",
        make=_make_single,
        drive=_drive_single,
        only_named=True,
    ),
    Participant(
        name="sb3",
        title="SB3",
        module="stable_baselines3",
        distribution="stable-baselines3",
        install="pip install stable-baselines3",
        make=make_sb3,
        drive=drive_sb3,
        only_named=True,
    ),
    Participant(
        name="tianshou",
        title="Tianshou",
        module="tianshou",
        distribution="tianshou",
        install="pip install tianshou",
        make=make_tianshou,
        drive=drive_tianshou,
        only_named=True,
    ),
    Participant(
        name="puffer",
        title="PufferLib",
        module="pufferlib",
        distribution="pufferlib",
        install="pip install pufferlib",
        make=make_puffer,
        drive=_drive_all,
        only_named=True,
    ),
)

PARTICIPANTS: dict[str, Participant] = {participant.name: participant for participant in _ALL}
"""Every participant by name, ours first."""

PEERS: tuple[str, ...] = tuple(name for name in PARTICIPANTS if name != OURS)
"""The names that can be measured against."""


def default_peers(case: Case) -> tuple[str, ...]:
    """The peers that take part in `case` by default."""
    return tuple(name for name in PEERS if PARTICIPANTS[name].joins(case))
