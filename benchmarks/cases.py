"""The cases of `make bench` and of the families' benchmarks, with their floors, as data.

A family adds its cases here: one `SuiteCase` per line of the table.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from benchmarks import plain_loop
from envpool_py.cli.bench.atari import atari_case
from envpool_py.cli.bench.case import Case
from envpool_py.cli.bench.measure import CaseResult
from envpool_py.cli.bench.peers import ALE, OURS
from envpool_py.cli.bench.report import title_of

Verdict = Literal["PASS", "MISS", "UNKNOWN"]

ATARI_TASKS = (
    "Pong-v5", "Breakout-v5", "MsPacman-v5", "Seaquest-v5", "SpaceInvaders-v5",
    "MontezumaRevenge-v5",
)  # fmt: skip
"""The games of `make bench-atari`; `make bench` has the first."""

MUJOCO_TASKS: Mapping[str, int] = {
    "Ant-v5": 5, "HalfCheetah-v5": 5, "Humanoid-v5": 5, "Hopper-v5": 4,
}  # fmt: skip
"""The tasks of `make bench-mujoco`, with the number of physics steps in one of their steps."""

BOX2D_TASKS = (
    "LunarLander-v3", "LunarLanderContinuous-v3", "BipedalWalker-v3", "BipedalWalkerHardcore-v3",
    "CarRacing-v3",
)  # fmt: skip
"""The tasks of `make bench-box2d`."""

MPE_TASKS: Mapping[str, str] = {
    "MPE-SimpleSpread-v3": "simple_spread_v3",
    "MPE-SimpleTag-v3": "simple_tag_v3",
    "MPE-SimpleAdversary-v3": "simple_adversary_v3",
}
"""The MPE2 scenarios of `make bench-arena`, with their names in MPE2."""

PYTHON_PEERS = ("sb3", "tianshou", "puffer")
"""Libraries that step environments in Python, beside Gymnasium."""

# An episode of Pong has about 900 steps, for which some libraries need about a second.
_ATARI_LENGTH = 2.5
# Gymnasium needs a tenth of a second for a call with 8 environments.
_CAR_RACING_LENGTH = 2.5
# In the first 50 of an episode's 1,000 steps the view zooms in, and a picture costs two to three
# times as much. Pools of many environments would be measured in these steps alone.
_CAR_RACING_ZOOM = 60
# A plain CartPole loop on the machine of the first measurements (Xeon, 2.5 GHz).
_CARTPOLE_REFERENCE_NS = 35.0


@dataclasses.dataclass(frozen=True)
class SuiteCase:
    """One line of the benchmark.

    Attributes:
        case: the task and its configuration.
        peers: the libraries to compare with.
        floors: peer to the least acceptable ratio of our step rate to the peer's.
        aims: peer to the target ratio.
        most_outside_us: most time that a call may spend outside the environments, microseconds.
        limit: name of the plain loop in `limits` that does the same work.
        reference_ns: time of that loop per step and core on the reference machine, ns.
        length: length of a measurement, relative to a case with short episodes.
    """

    case: Case
    peers: tuple[str, ...]
    floors: Mapping[str, float] = dataclasses.field(default_factory=dict)
    most_outside_us: float | None = None
    limit: str | None = None
    reference_ns: float | None = None
    aims: Mapping[str, float] = dataclasses.field(default_factory=dict)
    length: float = 1.0

    @property
    def participants(self) -> tuple[str, ...]:
        """The participants, in the order of their turns."""
        return (OURS, *self.peers, *((plain_loop.NAME,) if self.limit else ()))


@dataclasses.dataclass(frozen=True)
class Check:
    """The comparison of a result with a lower or upper bound, and the verdict."""

    case: str
    what: str
    measured: float | None
    bound: float
    verdict: Verdict

    def to_json(self) -> dict[str, Any]:
        """The check as a JSON object."""
        return dataclasses.asdict(self)


def checks(lines: Sequence[SuiteCase], results: Sequence[CaseResult]) -> list[Check]:
    """Compares results with the floors of their cases; UNKNOWN if a measurement is missing."""
    pairs = zip(lines, results, strict=True)
    return [one for line, result in pairs for one in checks_of(line, result)]


def checks_of(line: SuiteCase, result: CaseResult) -> list[Check]:
    """Compares a result with the floors of its case."""
    title = line.case.title
    found = [
        check(title, _times(line, peer), result.ratio(peer), floor, at_least=True)
        for peer, floor in line.floors.items()
    ]
    if line.most_outside_us is not None:
        ours = result.find(OURS)
        outside = ours.outside_us if ours else None
        what = "us of a call outside the environment"
        found.append(check(title, what, outside, line.most_outside_us, at_least=False))
    return found


def _times(line: SuiteCase, peer: str) -> str:
    aim = line.aims.get(peer)
    return f"times {title_of(peer)}" + ("" if aim is None else f" (aim {aim:g})")


def check(case: str, what: str, measured: float | None, bound: float, *, at_least: bool) -> Check:
    """Compares `measured` with its bound. If it is None, the verdict is UNKNOWN."""
    verdict: Verdict = "UNKNOWN"
    if measured is not None:
        holds = measured >= bound if at_least else measured < bound
        verdict = "PASS" if holds else "MISS"
    return Check(case, f"{'at least' if at_least else 'under'} {bound:g} {what}", measured, bound,
                 verdict)  # fmt: skip


def standard_suite(num_threads: int) -> list[SuiteCase]:
    """The cases of `make bench`, for pools of `num_threads` threads."""
    return [
        *atari_suite(ATARI_TASKS[:1], num_threads),
        *_cartpole(num_threads),
        *_classic_control(num_threads),
        *_toy_text(num_threads),
        *_minigrid(num_threads),
    ]


def atari_suite(tasks: Sequence[str], num_threads: int) -> list[SuiteCase]:
    """The cases of `make bench-atari`: each task in ordered and in first-ready mode."""
    # Gymnasium's processes have no first-ready mode: they step all environments.
    floors = {"envpool": 4.0, ALE: 4.0, "gymnasium-async": 8.0}
    aims = {"envpool": 6.0, ALE: 6.0}
    return [
        SuiteCase(
            atari_case(task, num_envs, batch_size, min(num_threads, num_envs)),
            tuple(floors), floors, aims=aims, length=_ATARI_LENGTH,
        )
        for task in tasks
        for num_envs, batch_size in ((8, 8), (32, 16))
    ]  # fmt: skip


def mujoco_suite(tasks: Sequence[str], num_threads: int) -> list[SuiteCase]:
    """The cases of `make bench-mujoco`: each task in ordered and in first-ready mode."""
    peers = ("envpool", "gymnasium-async", "gymnasium-sync")
    return [
        SuiteCase(
            Case(
                task, num_envs, batch_size, min(num_threads, num_envs),
                frame_skip=MUJOCO_TASKS[task],
            ),
            peers, {"envpool": 1.0},
        )
        for task in tasks
        for num_envs, batch_size in ((8, 8), (16, 8))
    ]  # fmt: skip


def box2d_suite(tasks: Sequence[str], num_threads: int) -> list[SuiteCase]:
    """The cases of `make bench-box2d`: each task with 8 and with 256 environments."""
    sync = "gymnasium-sync"

    def line(task: str, num_envs: int) -> SuiteCase:
        draws = task.startswith("CarRacing")
        lands = task.startswith("LunarLander")
        floors = {"envpool": 4.0 if lands else 2.0, sync: 8.0 if lands else 6.0}
        if draws:
            floors = {"envpool": 3.0, sync: 30.0}
        if draws and num_envs > 8:
            del floors[sync]  # Gymnasium's resets take half a minute
        return SuiteCase(
            Case(
                task, num_envs, num_envs, min(num_threads, num_envs),
                warmup_calls=_CAR_RACING_ZOOM if draws else 3,
            ),
            tuple(floors), floors, aims={} if draws or lands else {"envpool": 2.5},
            length=_CAR_RACING_LENGTH if draws else 1.0,
        )  # fmt: skip

    return [line(task, num_envs) for task in tasks for num_envs in (8, 256)]


def mpe_suite(tasks: Sequence[str], num_threads: int) -> list[SuiteCase]:
    """The MPE2 cases of `make bench-arena`: each scenario with 8 and with 256 environments."""
    return [
        SuiteCase(
            Case(
                task, num_envs, num_envs, min(num_threads, num_envs),
                peer_tasks={"mpe2": MPE_TASKS[task]},
            ),
            ("mpe2",), {"mpe2": floor},
        )
        for task in tasks
        for num_envs, floor in ((8, 40.0), (256, 200.0))
    ]  # fmt: skip


def python_suite() -> list[SuiteCase]:
    """The cases of `make bench-python`: environments in Python."""
    sync, processes, loop = "gymnasium-sync", "gymnasium-async", "gymnasium-single"

    def line(
        task: str, num_envs: int, floors: Mapping[str, float], batch_size: int | None = None
    ) -> SuiteCase:
        case = Case(
            f"benchmarks.python_tasks:{task}-v0", num_envs, batch_size or num_envs, 1,
            in_python=True,
        )  # fmt: skip
        # Peers with a process per environment import their libraries in each process, which takes
        # minutes with many environments.
        others = [peer for peer in PYTHON_PEERS if num_envs <= 8 or peer in (*floors, "puffer")]
        return SuiteCase(case, (loop, sync, processes, *others), floors)

    every = (sync, processes, *PYTHON_PEERS)
    return [
        line("PythonCartPole", 8, {processes: 5.0, sync: 1.0, "puffer": 1.0}),
        line("PythonCartPole", 64, {processes: 12.0, sync: 1.4, "puffer": 1.3}),
        line("DoesNothing", 64, {processes: 40.0, sync: 1.4}),
        line("CheapImage", 8, {processes: 6.0, sync: 1.0, "puffer": 0.9}),
        line("CheapImage", 64, {processes: 12.0, sync: 1.0, "puffer": 0.9}),
        # On two processors, 1.9 is 0.95 of twice the rate of a loop over one environment.
        line("Computes", 8, {loop: 1.9, processes: 1.3}),
        line("Computes", 64, {loop: 1.9, processes: 1.3}),
        line("Sleeps", 64, {processes: 3.0}),
        line("Uneven", 64, dict.fromkeys(every, 1.5), batch_size=32),
    ]


def _cartpole(num_threads: int) -> list[SuiteCase]:
    def line(
        num_envs: int,
        peers: Sequence[str],
        floors: Mapping[str, float],
        batch_size: int | None = None,
        most_outside_us: float | None = None,
    ) -> SuiteCase:
        case = Case("CartPole-v1", num_envs, batch_size or num_envs, min(num_threads, num_envs))
        return SuiteCase(
            case, tuple(peers), floors, most_outside_us, "cartpole", _CARTPOLE_REFERENCE_NS
        )

    numpy, sync = "gymnasium-vectorized", "gymnasium-sync"
    return [
        line(8, ["envpool", numpy, sync, "gymnasium-async"], {"envpool": 12.0}),
        line(256, ["envpool", numpy, sync], {"envpool": 40.0, numpy: 6.0}),
        line(4096, ["envpool", numpy], {numpy: 4.0}),
        line(1024, ["envpool", numpy], {"envpool": 25.0}, batch_size=256),
        line(1, ["envpool", numpy, sync], {}, most_outside_us=4.0),
    ]


def _classic_control(num_threads: int) -> list[SuiteCase]:
    floors = {"Pendulum-v1": {"envpool": 40.0}, "Acrobot-v1": {"envpool": 25.0}}
    tasks = ("MountainCar-v0", "MountainCarContinuous-v0", "Pendulum-v1", "Acrobot-v1")
    return [
        SuiteCase(
            Case(task, 256, 256, num_threads), ("envpool", "gymnasium-sync"), floors.get(task, {})
        )
        for task in tasks
    ]


def _minigrid(num_threads: int) -> list[SuiteCase]:
    """Cases of MiniGrid, with missions. Gymnasium's processes do not support missions."""
    sync = "gymnasium-sync"
    floors = {8: {"envpool": 6.0}, 256: {"envpool": 25.0, sync: 500.0}}
    return [
        SuiteCase(
            Case(
                task, num_envs, num_envs, min(num_threads, num_envs),
                peer_tasks={sync: f"minigrid:{task}"},
            ),
            ("envpool", sync), floors[num_envs],
        )
        for task in ("MiniGrid-DoorKey-8x8-v0", "BabyAI-GoToLocal-v0", "BabyAI-BossLevel-v0")
        for num_envs in (8, 256)
    ]  # fmt: skip


def _toy_text(num_threads: int) -> list[SuiteCase]:
    floors = {"FrozenLake-v1": {"envpool": 40.0}}
    # EnvPool has this Taxi under an earlier id.
    peer_tasks = {"Taxi-v4": {"envpool": "Taxi-v3"}}
    return [
        SuiteCase(
            Case(task, 256, 256, num_threads, peer_tasks=peer_tasks.get(task, {})),
            ("envpool", "gymnasium-sync"),
            floors.get(task, {}),
        )
        for task in ("FrozenLake-v1", "Taxi-v4", "Blackjack-v1")
    ]
