"""Other libraries' pools of processes, replaced by fakes: how they are made and driven."""

from __future__ import annotations

import pickle
import sys
import types
from collections.abc import Callable, Iterator
from typing import Any

import gymnasium
import numpy as np
import pytest

from envpool_py.cli.bench import peers, process_peers
from envpool_py.cli.bench.case import Case
from envpool_py.cli.bench.peers import PARTICIPANTS
from envpool_py.cli.bench.process_peers import largest_divisor
from envpool_py.cli.bench.unavailable import UnavailableError
from envpool_py.cli.bench.worker import measure, sample_actions

ID = "BenchTests/Count-v0"
CASE = Case(ID, 4, 4, 2, seed=5, options={"length": 3}, in_python=True)


class Count(gymnasium.Env[Any, Any]):
    """Its episodes have `length` steps; a step after the end fails."""

    observation_space = gymnasium.spaces.Discrete(10)
    action_space = gymnasium.spaces.Discrete(2)

    def __init__(self, length: int) -> None:
        self.length = length
        self.steps = length

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        self.steps = 0
        return 0, {}

    def step(self, action: Any) -> Any:
        assert self.steps < self.length
        self.steps += 1
        return self.steps, 0.0, self.steps == self.length, False, {}


@pytest.fixture(autouse=True)
def registered() -> Iterator[None]:
    gymnasium.register(ID, entry_point=Count)
    yield
    del gymnasium.registry[ID]


class FakePool:
    """The interface that the libraries' pools share; records calls."""

    def __init__(self, env_fns: list[Callable[[], Any]]) -> None:
        # The real pools send the functions to other processes.
        self.envs = [pickle.loads(pickle.dumps(function))() for function in env_fns]
        self.calls: list[Any] = []
        self.action_space: Any = self.envs[0].action_space

    def seed(self, seed: int) -> None:
        self.calls.append(("seed", seed))

    def reset(self, ids: Any = None) -> None:
        ids = range(len(self.envs)) if ids is None else ids
        self.calls.append(("reset", list(ids)))
        for i in ids:
            self.envs[i].reset()

    def step(self, actions: Any) -> Any:
        results = [env.step(action) for env, action in zip(self.envs, actions, strict=True)]
        observations, rewards, terminations, truncations, _ = zip(*results, strict=True)
        return (
            np.array(observations),
            np.array(rewards),
            np.array(terminations),
            np.array(truncations),
            {},
        )

    def close(self) -> None:
        self.calls.append("close")


class FakeSb3(FakePool):
    """Resets ended environments itself."""

    def step(self, actions: Any) -> Any:
        observations, rewards, terminations, _, _ = super().step(actions)
        for env, ended in zip(self.envs, terminations, strict=True):
            if ended:
                env.reset()
        return observations, rewards, terminations, [{}] * len(self.envs)


class FakeTianshou(FakePool):
    """Its `action_space` is a list of spaces."""

    def __init__(self, env_fns: list[Callable[[], Any]]) -> None:
        super().__init__(env_fns)
        self.action_space = [env.action_space for env in self.envs]


class FakePuffer(FakeSb3):
    """Its `reset` takes the seed."""

    def reset(self, seed: int) -> None:
        super().reset()
        self.calls.append(("seed", seed))


@pytest.fixture
def libraries(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Replaces the libraries by fakes; returns the arguments that PufferLib's `make` gets."""
    told: dict[str, Any] = {}

    def make(creator: Any, *, env_kwargs: Any, num_envs: int, **arguments: Any) -> FakePuffer:
        told.update(arguments)
        return FakePuffer([_Creator(creator, env_kwargs)] * num_envs)

    def emulate(*, env_creator: Any, buf: Any = None, seed: int = 0) -> Any:
        assert (buf, seed) == ("memory", 7)
        return env_creator()

    modules = {
        "stable_baselines3.common.vec_env": {"SubprocVecEnv": FakeSb3},
        "tianshou.env": {"ShmemVectorEnv": FakeTianshou},
        "pufferlib.vector": {"make": make, "Multiprocessing": "processes"},
        "pufferlib.emulation": {"GymnasiumPufferEnv": emulate},
    }
    for name, contents in modules.items():
        module = types.ModuleType(name)
        vars(module).update(contents)
        monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: name)
    return told


class _Creator:
    """Calls PufferLib's creator of environments as PufferLib does."""

    def __init__(self, creator: Any, env_kwargs: Any) -> None:
        self.creator, self.env_kwargs = creator, env_kwargs

    def __call__(self) -> Any:
        return self.creator(buf="memory", seed=7, **self.env_kwargs)


@pytest.mark.parametrize("name", ["sb3", "tianshou", "puffer"])
def test_they_are_made_and_stepped(name: str, libraries: dict[str, Any]) -> None:
    driver = PARTICIPANTS[name].start(CASE)
    pool: Any = driver._env  # type: ignore[attr-defined]
    assert [env.unwrapped.length for env in pool.envs] == [3] * 4
    assert ("seed", 5) in pool.calls
    assert driver.action_space() == gymnasium.spaces.Discrete(2)
    actions = sample_actions(driver.action_space(), driver.num_actions, 0)
    sample = measure(driver, actions, 1e-9, 0.0)
    assert sample.rows == 4 * sample.calls
    resets = [call for call in pool.calls if call[0] == "reset"]
    assert resets[0] == ("reset", [0, 1, 2, 3])
    assert (len(resets) > 1) == (name == "tianshou")  # the others autoreset
    driver.close()
    assert pool.calls[-1] == "close"


def test_puffer_has_a_processor_for_each_worker_and_the_caller(
    libraries: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    for processors, workers in [(1, 1), (2, 1), (4, 2), (5, 4), (9, 4)]:
        monkeypatch.setattr(process_peers, "num_processors", lambda n=processors: n)
        PARTICIPANTS["puffer"].start(CASE)
        assert libraries["num_workers"] == workers


def test_equal_parts() -> None:
    assert [largest_divisor(12, most) for most in (1, 2, 5, 12, 20)] == [1, 2, 4, 12, 12]
    assert largest_divisor(7, 6) == 1


@pytest.mark.parametrize("name", ["sb3", "tianshou", "puffer"])
def test_a_library_that_is_missing_is_named(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(UnavailableError, match="is not installed") as missing:
        PARTICIPANTS[name].start(CASE)
    assert missing.value.remedy == PARTICIPANTS[name].install
    # It is measured only on request.
    assert name in peers.PEERS
    assert name not in peers.default_peers(CASE)


def test_a_task_that_gymnasium_lacks(libraries: dict[str, Any]) -> None:
    with pytest.raises(UnavailableError, match="gymnasium has no Lost-v0"):
        PARTICIPANTS["sb3"].start(Case("Lost-v0", 2, 2, 1))
