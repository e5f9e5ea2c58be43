"""Pools made through Gymnasium: `make_vec`, specs, the registry, and Gymnasium's benchmark."""

from __future__ import annotations

import itertools
from types import SimpleNamespace
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.envs.registration import EnvSpec
from gymnasium.utils import performance
from gymnasium.vector import AutoresetMode

import envpool_py

TASKS = ["CartPole-v1", "Pendulum-v1", "Blackjack-v1"]


# Gymnasium takes the Atari game Blackjack-v5 for a newer version of the card game.
@pytest.mark.filterwarnings("ignore:.*Blackjack-v1 is out of date:DeprecationWarning")
@pytest.mark.parametrize("mode", list(AutoresetMode), ids=lambda mode: mode.value)
@pytest.mark.parametrize("task_id", TASKS)
def test_make_vec_in_the_place_of_gymnasium(
    task_id: str, mode: AutoresetMode, both: SimpleNamespace
) -> None:
    theirs = both.reference(task_id, mode)
    mine: Any = gymnasium.make_vec(
        f"EnvPool/{task_id}",
        num_envs=both.num_envs,
        vectorization_mode="vector_entry_point",
        autoreset_mode=mode,
    )
    assert isinstance(mine, envpool_py.GymnasiumPool)
    try:
        if task_id == "Blackjack-v1" and mode is AutoresetMode.SAME_STEP:
            mine = envpool_py.FinalObsPerEnv(mine)
        both.assert_same(theirs, mine, 450, mode)
    finally:
        mine.close()


@pytest.mark.parametrize("limit", [None, 7, -1])
def test_step_limits_and_specs(limit: int | None) -> None:
    arguments: dict[str, Any] = {} if limit is None else {"max_episode_steps": limit}
    with gymnasium.make_vec("EnvPool/Pendulum-v1", num_envs=2, **arguments) as pool:
        assert pool.spec is not None
        specs = [pool.spec, EnvSpec.from_json(pool.spec.to_json())]
        pools = [pool, *(gymnasium.make_vec(spec) for spec in specs)]
        for each in pools:
            each.reset(seed=3)
        length = {None: 200, 7: 7, -1: 250}[limit]
        for step in range(1, length + 1):
            results = [each.step(np.zeros((2, 1), np.float32)) for each in pools]
            for result in results:
                np.testing.assert_array_equal(result[0], results[0][0])
                assert (result[3] == (step == length and limit != -1)).all()
        for each in pools:
            each.close()


def test_the_registry_names_every_task() -> None:
    envpool_py.register_tasks()  # also registers tasks of modules imported after envpool_py
    for task_id in envpool_py.list_all_envs():
        spec = gymnasium.spec(f"EnvPool/{task_id.replace('/', '.')}")
        assert spec.namespace == "EnvPool"
        assert spec.kwargs == {"task_id": task_id}


@pytest.mark.skipif(
    not hasattr(performance, "benchmark_vector_step"), reason="this Gymnasium has none"
)
@pytest.mark.parametrize("mode", list(AutoresetMode), ids=lambda mode: mode.value)
@pytest.mark.parametrize("task_id", TASKS)
def test_gymnasiums_benchmark(
    task_id: str, mode: AutoresetMode, both: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    ticks = itertools.count()  # a clock that advances by a second per call
    monkeypatch.setattr(performance, "time", SimpleNamespace(time=lambda: float(next(ticks))))
    steps = {}
    for name in ("reference", "pool"):
        envs = getattr(both, name)(task_id, mode, max_episode_steps=3)
        steps[name] = performance.benchmark_vector_step(envs, target_duration=40, seed=1)
    assert steps["pool"] == steps["reference"] > 0
