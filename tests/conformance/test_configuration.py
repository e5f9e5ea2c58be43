"""Every id: a pool's settings survive spec, JSON, pickle and copy; and closing."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import gymnasium
import pytest
from gymnasium.envs.registration import EnvSpec
from gymnasium.vector import AutoresetMode

import envpool_py
from envpool_py.errors import ClosedError

NUM_ENVS = 3
STEPS = 12
SHORT = 5  # longest episode, in steps


def make(task_id: str, **arguments: Any) -> Any:
    """Makes a pool of settings that are not the defaults, every option spelt out."""
    options = {
        option.name: option.default for option in envpool_py.make_spec(task_id).options.values()
    }
    arguments = {
        "num_envs": NUM_ENVS,
        "num_threads": 2,
        "max_episode_steps": SHORT,
        "seed": [7, None, 9],
        **arguments,
        **options,
    }
    return envpool_py.make(task_id, **arguments)


COPIES: dict[str, Callable[[Any], Any]] = {
    "pickle": lambda pool: pickle.loads(pickle.dumps(pool)),
    "oldest pickle": lambda pool: pickle.loads(pickle.dumps(pool, protocol=0)),
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
}
SPECS: dict[str, Callable[[EnvSpec], EnvSpec]] = {
    "spec": lambda spec: spec,
    "deep copy of spec": copy.deepcopy,
    "pickle of spec": lambda spec: pickle.loads(pickle.dumps(spec)),
    "JSON of spec": lambda spec: EnvSpec.from_json(spec.to_json()),
}


def assert_equal_pools(pool: Any, again: Any, task_id: str, tools: SimpleNamespace) -> None:
    """Asserts equal settings, and equal results from a reset on: of pools that are new."""
    assert type(again) is type(pool)
    assert again is not pool
    assert again.config == pool.config
    assert again.autoreset_mode is pool.autoreset_mode
    assert again.render_mode == pool.render_mode
    with pool, again:
        # One environment has no seed of its own: what the pools draw for it differs.
        first, second = pool.reset([0, 2]), again.reset([0, 2])
        tools.assert_equal(first, second)
        for actions in tools.actions(task_id, STEPS, 2):
            tools.assert_equal(pool.step(actions, [0, 2]), again.step(actions, [0, 2]))


@pytest.mark.parametrize("form", COPIES)
def test_copies(task_id: str, form: str, tools: SimpleNamespace) -> None:
    pool = make(task_id, autoreset_mode="SameStep")
    assert_equal_pools(pool, COPIES[form](pool), task_id, tools)


@pytest.mark.every_id
def test_pickles_of_both_apis(task_id: str, tools: SimpleNamespace) -> None:
    for env_type in ("gymnasium", "dm"):
        pool = make(task_id, env_type=env_type, autoreset_mode="NextStep")
        assert_equal_pools(pool, COPIES["pickle"](pool), task_id, tools)


@pytest.mark.parametrize("form", COPIES)
@pytest.mark.parametrize("env_type", ["gymnasium", "dm"])
def test_copies_are_new_pools(
    task_id: str, env_type: str, form: str, tools: SimpleNamespace
) -> None:
    """What has happened to a pool does not travel: not its episodes, not that it is closed."""
    actions = tools.actions(task_id, STEPS, NUM_ENVS)
    with make(task_id, env_type=env_type, seed=5) as pool, make(task_id, env_type=env_type) as twin:
        expected = twin.reset(seed=5)
        pool.reset()
        for each in actions:
            pool.step(each)
        after_use = COPIES[form](pool)
        pool.close()
        after_closing = COPIES[form](pool)
    for again in (after_use, after_closing):
        with again:
            tools.assert_equal(again.reset(), expected)


@pytest.mark.every_id
@pytest.mark.parametrize("form", SPECS)
def test_specs(task_id: str, form: str, tools: SimpleNamespace) -> None:
    with make(task_id, autoreset_mode="SameStep") as pool:
        spec = SPECS[form](pool.spec)
        assert spec == pool.spec
        assert spec.max_episode_steps == SHORT
        assert_equal_pools(pool, gymnasium.make_vec(spec), task_id, tools)


def test_spec_of_make_vec(task_id: str, tools: SimpleNamespace) -> None:
    """`make_vec` writes a spec of its own: with what it was given, and JSON carries that too."""
    with make(task_id) as pool:
        spec = pool.spec
    pool = gymnasium.make_vec(spec, autoreset_mode=AutoresetMode.SAME_STEP, batch_size=2)
    assert pool.spec.kwargs["autoreset_mode"] == "SameStep"
    again: Any = gymnasium.make_vec(SPECS["JSON of spec"](pool.spec))
    assert (again.batch_size, again.config) == (2, pool.config)
    assert again.autoreset_mode is AutoresetMode.SAME_STEP
    copied = copy.deepcopy(pool)
    assert copied.spec == pool.spec
    for each in (pool, again, copied):
        each.close()


@pytest.mark.every_id(short=True)
def test_task_specs_travel(task_id: str) -> None:
    spec = envpool_py.make_spec(task_id)
    for again in (pickle.loads(pickle.dumps(spec)), copy.deepcopy(spec), copy.copy(spec)):
        assert again == spec
        assert again.action_spec() == spec.action_spec()


@pytest.mark.every_id
@pytest.mark.parametrize("mode", list(AutoresetMode))
def test_metadata(task_id: str, mode: AutoresetMode) -> None:
    task = envpool_py.make_spec(task_id)
    with make(task_id, autoreset_mode=mode) as pool:
        assert pool.metadata["autoreset_mode"] is mode
        if task.render is None:
            assert pool.metadata["render_modes"] == []
            assert "render_fps" not in pool.metadata
        else:
            assert pool.metadata["render_modes"] == ["rgb_array"]
            assert pool.metadata["render_fps"] == task.render.fps
        pool.metadata["render_modes"].append("changed by the caller")
        with make(task_id, autoreset_mode=mode) as other:
            assert "changed by the caller" not in other.metadata["render_modes"]


@pytest.mark.every_id
@pytest.mark.parametrize("env_type", ["gymnasium", "dm"])
def test_closing_twice(task_id: str, env_type: str, tools: SimpleNamespace) -> None:
    pool = make(task_id, env_type=env_type)
    actions = tools.actions(task_id, 1, NUM_ENVS)[0]
    pool.reset()
    result = pool.step(actions)
    leaves = tools.leaves(tuple(result))
    before = [leaf.copy() for leaf in leaves]
    assert not pool.closed
    pool.close()
    assert pool.closed
    pool.close()
    for leaf, copied in zip(leaves, before, strict=True):  # what came back stays
        assert (leaf.tobytes(), leaf.dtype) == (copied.tobytes(), copied.dtype)
    for call in (
        pool.reset,
        pool.async_reset,
        pool.recv,
        pool.drain,
        lambda: pool.step(actions),
        lambda: pool.send(actions),
        lambda: pool.recv(timeout=0.0),
    ):
        with pytest.raises(ClosedError):
            call()
