"""Fixtures that make and compare Gymnasium's vector environments and ours.

These tests run on every version of Gymnasium that the package supports (`make check-gymnasium`).
"""

from __future__ import annotations

import copy
import importlib
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, VectorWrapper

import envpool_py
from envpool_py.tasks import registry

NUM_ENVS = 3
SEED = 17

# Infos that pools have in addition to Gymnasium's.
OWN_INFOS = {"env_id", "elapsed_step"}


def _modules_of(task_id: str) -> tuple[str, ...]:
    family = registry.family_of(task_id)
    return () if family is None else family.needs


class OptionsOfItsOwn(VectorWrapper):  # type: ignore[type-arg]  # generic from Gymnasium 1.4 on
    """Passes a copy of the reset options to `SyncVectorEnv`.

    `SyncVectorEnv` removes "reset_mask" from its options. Without a copy, `RecordEpisodeStatistics`
    would not find the mask afterwards and would restart the episodes of all environments.
    """

    def reset(self, *, seed: Any = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        return self.env.reset(seed=seed, options=None if options is None else dict(options))


def _make_reference(task_id: str, mode: AutoresetMode, **options: Any) -> Any:
    for name in _modules_of(task_id):
        module = pytest.importorskip(name)
        if name == "ale_py":
            gymnasium.register_envs(module)
            module.ALEInterface.setLoggerMode(module.LoggerMode.Error)  # no welcome message
    return OptionsOfItsOwn(
        gymnasium.make_vec(
            task_id,
            num_envs=NUM_ENVS,
            vectorization_mode="sync",
            vector_kwargs={"autoreset_mode": mode},
            **options,
        )
    )


def _make_pool(task_id: str, mode: AutoresetMode, **options: Any) -> Any:
    return envpool_py.make(
        task_id, num_envs=NUM_ENVS, num_threads=2, autoreset_mode=mode, **options
    )


def _play(envs: Any, actions: Callable[[int], Any], steps: int, mode: Any) -> Iterator[Any]:
    """Yields the results of resets and steps; in Disabled mode it resets ended episodes."""
    yield envs.reset(seed=SEED)
    for step in range(steps):
        # Some wrappers write into the actions.
        result = envs.step(copy.deepcopy(actions(step)))
        yield result
        ended = np.asarray(result[2]) | np.asarray(result[3])
        if mode is AutoresetMode.DISABLED and ended.any():
            yield envs.reset(options={"reset_mask": ended})


def _assert_values(theirs: Any, mine: Any, path: str) -> None:
    """Asserts equal structure, dtypes and values; NaN equals NaN."""
    if isinstance(theirs, dict):
        assert isinstance(mine, dict), path
        assert mine.keys() == theirs.keys(), path
        for name in theirs:
            _assert_values(theirs[name], mine[name], f"{path}[{name!r}]")
    elif isinstance(theirs, tuple):
        assert isinstance(mine, tuple), path
        for i, (left, right) in enumerate(zip(theirs, mine, strict=True)):
            _assert_values(left, right, f"{path}[{i}]")
    else:
        assert type(mine) is type(theirs), path
        assert mine.dtype == theirs.dtype, path
        np.testing.assert_array_equal(np.asarray(mine), np.asarray(theirs), err_msg=path)


def _assert_infos(theirs: Any, mine: Any, path: str, of_one: bool = False) -> None:
    """Asserts that infos are equal, except for our additional ones and for times.

    `theirs` and `mine` are dictionaries of a batch, lists of one dictionary per environment, or
    (`of_one`) one of these.
    """
    if isinstance(theirs, list):
        for env, (left, right) in enumerate(zip(theirs, mine, strict=True)):
            _assert_infos(left, right, f"{path}[{env}]", of_one=True)
        return
    names = {name for name in theirs if not name.startswith("_")}
    assert {name for name in mine if not name.startswith("_")} - OWN_INFOS == names, path
    for name in names:
        where = f"{path}[{name!r}]"
        left, right = theirs[name], mine[name]
        mask = theirs.get("_" + name, np.ones(NUM_ENVS, bool))
        if "_" + name in theirs:
            np.testing.assert_array_equal(mine["_" + name], mask, err_msg=where)
        if name == "t":
            assert right.shape == left.shape, where
        elif isinstance(left, dict):
            _assert_infos(left, right, where, of_one)
        elif of_one:
            _assert_row(left, right, where)
        elif name == "final_obs":
            for env in np.flatnonzero(mask):
                _assert_row(left[env], _row(right, env), where)
        elif left.dtype == object:
            for env in np.flatnonzero(mask):
                np.testing.assert_array_equal(right[env], np.asarray(left[env]), err_msg=where)
        else:  # values are undefined where the mask is False
            assert right.dtype == left.dtype, where
            np.testing.assert_array_equal(right[mask], left[mask], err_msg=where)


def _row(nested: Any, env: int) -> Any:
    """Returns one row of every leaf; for an array of objects, one object."""
    if isinstance(nested, dict):
        return {name: _row(child, env) for name, child in nested.items()}
    if isinstance(nested, tuple):
        return tuple(_row(child, env) for child in nested)
    return nested[env]


def _assert_row(theirs: Any, mine: Any, path: str) -> None:
    """Compares as `_assert_values`; an int here may equal an np.int64 of a batch's row."""
    if isinstance(theirs, (dict, tuple)):
        items = theirs.items() if isinstance(theirs, dict) else enumerate(theirs)
        for name, child in items:
            _assert_row(child, mine[name], f"{path}[{name!r}]")
    else:
        assert np.asarray(mine).dtype == np.asarray(theirs).dtype, path
        np.testing.assert_array_equal(np.asarray(mine), np.asarray(theirs), err_msg=path)


def _assert_same(theirs: Any, mine: Any, steps: int, mode: AutoresetMode) -> None:
    """Asserts equal spaces and equal results over `steps` steps, in which episodes must end."""
    for name in (
        "single_observation_space",
        "observation_space",
        "single_action_space",
        "action_space",
    ):
        assert getattr(mine, name) == getattr(theirs, name), name
    theirs.action_space.seed(3)
    actions = [theirs.action_space.sample() for _ in range(steps)]
    ends = 0
    both = zip(
        _play(theirs, actions.__getitem__, steps, mode),
        _play(mine, actions.__getitem__, steps, mode),
        strict=True,
    )
    for number, (left, right) in enumerate(both):
        path = f"result {number}"
        _assert_values(tuple(left[:-1]), tuple(right[:-1]), path)
        _assert_infos(left[-1], right[-1], f"{path}: infos")
        if len(left) == 5:
            ends += int((np.asarray(left[2]) | np.asarray(left[3])).sum())
    assert ends >= 2 * NUM_ENVS


@pytest.fixture
def both() -> Iterator[SimpleNamespace]:
    """Makes Gymnasium's environments and ours, compares them, and closes them after the test."""
    made: list[Any] = []

    def make(maker: Callable[..., Any]) -> Callable[..., Any]:
        def make_and_keep(*arguments: Any, **options: Any) -> Any:
            envs = maker(*arguments, **options)
            made.append(envs)
            return envs

        return make_and_keep

    yield SimpleNamespace(
        reference=make(_make_reference),
        pool=make(_make_pool),
        play=_play,
        assert_same=_assert_same,
        num_envs=NUM_ENVS,
    )
    for envs in made:
        envs.close()


@pytest.fixture
def torch() -> Any:
    """Returns PyTorch; skips the test if it is not installed."""
    try:
        return importlib.import_module("torch")
    except ImportError:
        pytest.skip("PyTorch is not installed")
