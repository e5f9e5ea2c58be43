"""The search for the fastest settings, on simulated machines."""

from __future__ import annotations

import itertools
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from envpool_py.cli.bench.tuning import Limits, Setting, Tuner
from envpool_py.cli.bench.tuning_pools import (
    PolicyError,
    PoolMeasurer,
    import_policy,
    worker_counts,
)


class Machine:
    """Simulates environments of `step_us` on `cpus` processors, and a consumer, with a fake clock.

    An ordered batch takes the sum of the environments' and the consumer's time; a first-ready batch
    takes the longer of the two. Each batch takes `batch_us` in addition.
    """

    def __init__(
        self, cpus: int, step_us: float, consumer_us: float, batch_us: float = 5.0
    ) -> None:
        self.cpus = cpus
        self.step_us = step_us
        self.consumer_us = consumer_us
        self.batch_us = batch_us
        self.now = 0.0
        self.measured: list[Setting] = []
        self.noise = itertools.cycle((1.0, 0.995, 1.004, 0.998))

    def true_rate(self, setting: Setting) -> float:
        cpus = min(self.cpus, setting.workers)
        envs_us = self.step_us * -(-setting.batch_size // cpus)
        if setting.batch_size == setting.num_envs:
            batch_us = envs_us + self.consumer_us
        else:
            in_flight = (setting.num_envs - setting.batch_size) / setting.batch_size
            hidden = min(in_flight, 1.0) * min(envs_us, self.consumer_us)
            batch_us = envs_us + self.consumer_us - hidden
        return setting.batch_size / (batch_us + self.batch_us) * 1e6

    def measure(self, setting: Setting, seconds: float) -> float:
        self.measured.append(setting)
        self.now += seconds + 0.02
        return self.true_rate(setting) * next(self.noise)


def tune(machine: Machine, limits: Limits, seconds: float = 45.0) -> tuple[Tuner, Setting]:
    tuner = Tuner(limits, machine.measure, seconds, lambda: machine.now)
    return tuner, tuner.run(Setting(min(8, limits.most_envs), limits.workers[-1], 8))


@pytest.mark.parametrize("consumer_us", [0.0, 100.0, 1000.0, 10_000.0])
@pytest.mark.parametrize("step_us", [0.05, 20.0, 300.0])
@pytest.mark.parametrize("cpus", [2, 16])
def test_the_choice_is_within_5_percent_of_the_best_of_a_grid(
    cpus: int, step_us: float, consumer_us: float
) -> None:
    machine = Machine(cpus, step_us, consumer_us)
    limits = Limits([1, 2, 4, 8, 16][: cpus.bit_length()], 512)
    _, chosen = tune(machine, limits)
    grid = [
        Setting(num_envs, workers, max(1, num_envs // part))
        for num_envs in limits.envs()
        for workers in limits.workers
        for part in (1, 2, 4)
    ]
    best = max(map(machine.true_rate, grid))
    assert machine.true_rate(chosen) >= 0.95 * best
    assert machine.now <= 45.0 + 5.0


def test_of_equally_good_settings_the_smallest_is_chosen() -> None:
    machine = Machine(cpus=2, step_us=300.0, consumer_us=0.0, batch_us=0.0)
    _, chosen = tune(machine, Limits([1, 2], 512))
    assert chosen.num_envs <= 16
    assert chosen.workers == 2


def test_a_fixed_number_of_environments_is_kept() -> None:
    machine = Machine(cpus=4, step_us=100.0, consumer_us=400.0)
    tuner, chosen = tune(machine, Limits([1, 2, 4], 24, num_envs=24))
    assert {setting.num_envs for setting in tuner.results} <= {8, 24}
    assert chosen.num_envs == 24


def test_settings_that_cannot_be_used_are_not_chosen() -> None:
    machine = Machine(cpus=4, step_us=20.0, consumer_us=0.0)
    measure = machine.measure
    machine.measure = lambda s, t: 0.0 if s.num_envs > 32 else measure(s, t)  # type: ignore[method-assign]
    _, chosen = tune(machine, Limits([1, 2, 4], 512))
    assert chosen.num_envs <= 32


def test_no_time_is_enough_for_the_default() -> None:
    machine = Machine(cpus=2, step_us=20.0, consumer_us=0.0)
    tuner, chosen = tune(machine, Limits([1, 2], 512), seconds=0.001)
    assert chosen in tuner.results
    assert tuner.finalists()


def test_progress_grows() -> None:
    machine = Machine(cpus=2, step_us=20.0, consumer_us=0.0)
    seen: list[tuple[float, str]] = []
    tuner = Tuner(
        Limits([1, 2], 64), machine.measure, 5.0, lambda: machine.now, lambda *s: seen.append(s)
    )
    tuner.run(Setting(8, 2, 8))
    parts = [part for part, _ in seen]
    assert parts == sorted(parts)
    assert 0.0 <= parts[0] < parts[-1] <= 1.0
    assert all("environments" in text for _, text in seen)


SYSTEM = {
    "cpus": list(range(20)),
    "default_num_threads": 20,
    "numa_nodes": [{"id": 0, "cpus": list(range(20)), "cores": 14, "fast_cores": 6}],
}


def test_worker_counts_include_the_kinds_of_cores() -> None:
    counts = worker_counts(SYSTEM, in_python=False, waits=False)
    assert counts == [1, 2, 4, 6, 8, 14, 16, 19, 20]
    python = worker_counts(SYSTEM, in_python=True, waits=False)
    assert {0, 40} <= set(python)
    assert max(worker_counts(SYSTEM, in_python=True, waits=True)) == 320


def measurer(task: str = "CartPole-v1", **changes: Any) -> PoolMeasurer:
    arguments = {"in_python": False, "policy": None, "consumer_us": 0.0, "consumer_waits": False}
    return PoolMeasurer(task, {}, **{**arguments, **changes})


@pytest.mark.parametrize("batch_size", [4, 8])
def test_pools_are_measured_in_both_modes(batch_size: int) -> None:
    assert measurer()(Setting(8, 2, batch_size), 0.01) > 1000


@pytest.mark.parametrize("task", ["Testing/FixedPlayers-v0", "Testing/Players-v0"])
@pytest.mark.parametrize("batch_size", [2, 4])
def test_tasks_with_several_players(testing: Any, task: str, batch_size: int) -> None:
    assert measurer(task)(Setting(4, 2, batch_size), 0.01) > 0


def test_a_consumer_limits_the_rate() -> None:
    rate = measurer(consumer_us=2000.0)(Setting(8, 1, 8), 0.02)
    assert 0 < rate <= 8 / 2000e-6


def test_a_policy_gets_observations_and_gives_actions() -> None:
    seen: list[tuple[int, ...]] = []

    def policy(observations: Any) -> Any:
        seen.append(observations.shape)
        return np.zeros(len(observations), np.int64)

    assert measurer(policy=policy)(Setting(8, 2, 4), 0.005) > 0
    assert set(seen) == {(4, 4)}


def test_pools_that_take_too_long_to_make_are_skipped() -> None:
    short = measurer(longest_s=1e-7)
    assert short(Setting(1, 1, 1), 0.005) > 0
    assert short(Setting(64, 1, 64), 0.005) == 0.0


def test_policies_are_imported_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "my_policy.py").write_text("def act(obs): return obs\nnumber = 3\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert import_policy("my_policy:act")(5) == 5
    for name, message in (
        ("my_policy:act2", "no attribute 'act2'"),
        ("my_policy:number", "expected a function, got int"),
        ("no_such_module:act", "No module named"),
    ):
        with pytest.raises(PolicyError, match=message):
            import_policy(name)
    sys.modules.pop("my_policy", None)
