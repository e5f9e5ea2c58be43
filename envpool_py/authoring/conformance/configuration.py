"""Checks that spec, JSON, pickle and copy keep a pool's settings; and checks of closing."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable, Mapping
from typing import Any

import gymnasium
from gymnasium.envs.registration import EnvSpec
from gymnasium.vector import AutoresetMode

from envpool_py.authoring.conformance.kit import check, expect, raises
from envpool_py.authoring.conformance.pools import stepping
from envpool_py.authoring.conformance.values import Actions, assert_equal, leaves
from envpool_py.errors import ClosedError
from envpool_py.tasks.make import make as make_pool
from envpool_py.tasks.spec import make_spec

__all__ = [
    "closing_twice",
    "copies",
    "copies_are_new_pools",
    "metadata",
    "pickles_of_both_apis",
    "spec_of_make_vec",
    "specs",
    "task_specs_pickle",
]

NUM_ENVS = 3
STEPS = 12
SHORT = 5  # longest episode, in steps


def make(task_id: str, **arguments: Any) -> Any:
    """Makes a pool with settings that are not the defaults, and gives every option explicitly."""
    options = {option.name: option.default for option in make_spec(task_id).options.values()}
    arguments = {
        "num_envs": NUM_ENVS,
        "num_threads": 2,
        "max_episode_steps": SHORT,
        "seed": [7, None, 9],
        **arguments,
        **options,
    }
    return make_pool(task_id, **arguments)


_COPIES: Mapping[str, Callable[[Any], Any]] = {
    "pickle": lambda pool: pickle.loads(pickle.dumps(pool)),
    "oldest_pickle": lambda pool: pickle.loads(pickle.dumps(pool, protocol=0)),
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
}
_SPECS: Mapping[str, Callable[[EnvSpec], EnvSpec]] = {
    "spec": lambda spec: spec,
    "deepcopy": copy.deepcopy,
    "pickle": lambda spec: pickle.loads(pickle.dumps(spec)),
    "json": lambda spec: EnvSpec.from_json(spec.to_json()),
}


def assert_equal_pools(pool: Any, again: Any, task_id: str) -> None:
    """Asserts that two new pools have equal settings, and equal results from a reset on."""
    assert type(again) is type(pool)
    assert again is not pool
    assert again.config == pool.config, f"settings: {again.config} and {pool.config}"
    assert again.autoreset_mode is pool.autoreset_mode
    assert again.render_mode == pool.render_mode
    with pool, again:
        pool, again = stepping(pool), stepping(again)
        # Environment 1 has no seed, so it differs between the pools.
        first, second = pool.reset([0, 2]), again.reset([0, 2])
        assert_equal(first, second, "first reset of a pool and of its copy")
        for actions in Actions(task_id, STEPS, 2):
            ours, theirs = pool.step(actions, [0, 2]), again.step(actions, [0, 2])
            assert_equal(ours, theirs, "step of a pool and of its copy")


@check(form=[*_COPIES])
def copies(task_id: str, form: str) -> None:
    """A copy of a pool is an equal pool."""
    pool = make(task_id, autoreset_mode="SameStep")
    assert_equal_pools(pool, _COPIES[form](pool), task_id)


@check(every_id="long")
def pickles_of_both_apis(task_id: str) -> None:
    """A pool of either API can be pickled."""
    for env_type in ("gymnasium", "dm"):
        pool = make(task_id, env_type=env_type, autoreset_mode="NextStep")
        assert_equal_pools(pool, _COPIES["pickle"](pool), task_id)


@check(form=[*_COPIES], env_type=["gymnasium", "dm"])
def copies_are_new_pools(task_id: str, form: str, env_type: str) -> None:
    """A copy starts anew: it has no episodes of the original, and it is not closed."""
    actions = Actions(task_id, STEPS, NUM_ENVS)
    with make(task_id, env_type=env_type, seed=5) as pool, make(task_id, env_type=env_type) as twin:
        expected = twin.reset(seed=5)
        stepped = stepping(pool)
        stepped.reset()
        for each in actions:
            stepped.step(each)
        after_use = _COPIES[form](pool)
        pool.close()
        after_closing = _COPIES[form](pool)
    for again in (after_use, after_closing):
        with again:
            assert_equal(again.reset(), expected, "first reset of a copy and of a new pool")


@check(every_id="long", form=[*_SPECS])
def specs(task_id: str, form: str) -> None:
    """`gymnasium.make_vec` makes an equal pool from a pool's spec."""
    with make(task_id, autoreset_mode="SameStep") as pool:
        spec = _SPECS[form](pool.spec)
        assert spec == pool.spec, f"{spec} and {pool.spec}"
        assert spec.max_episode_steps == SHORT
        assert_equal_pools(pool, gymnasium.make_vec(spec), task_id)


@check()
def spec_of_make_vec(task_id: str) -> None:
    """The spec of a pool of `make_vec`, and its JSON, have the arguments given to `make_vec`."""
    with make(task_id) as pool:
        spec = pool.spec
    made: Any = gymnasium.make_vec(spec, autoreset_mode=AutoresetMode.SAME_STEP, batch_size=2)
    assert made.spec.kwargs["autoreset_mode"] == "SameStep"
    again: Any = gymnasium.make_vec(_SPECS["json"](made.spec))
    assert (again.batch_size, again.config) == (2, made.config)
    assert again.autoreset_mode is AutoresetMode.SAME_STEP
    copied = copy.deepcopy(made)
    assert copied.spec == made.spec
    for each in (made, again, copied):
        each.close()


@check(every_id="always")
def task_specs_pickle(task_id: str) -> None:
    """The description of a task can be pickled and copied."""
    spec = make_spec(task_id)
    for again in (pickle.loads(pickle.dumps(spec)), copy.deepcopy(spec), copy.copy(spec)):
        assert again == spec
        assert again.action_spec() == spec.action_spec()


@check(every_id="long", mode=[*AutoresetMode])
def metadata(task_id: str, mode: AutoresetMode) -> None:
    """`metadata` names the autoreset mode and the render modes, and is the pool's own."""
    task = make_spec(task_id)
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


@check(every_id="long", env_type=["gymnasium", "dm"])
def closing_twice(task_id: str, env_type: str) -> None:
    """Closing twice is allowed, arrays stay valid, and calls of a closed pool raise an error."""
    pool = stepping(make(task_id, env_type=env_type))
    actions = Actions(task_id, 1, NUM_ENVS)[0]
    pool.reset()
    result = pool.step(actions)
    arrays = leaves(tuple(result))
    before = {place: leaf.copy() for place, leaf in arrays.items()}
    assert not pool.closed
    pool.close()
    assert pool.closed
    pool.close()
    for place, leaf in arrays.items():  # returned arrays stay valid
        expect(leaf.tobytes() == before[place].tobytes(), f"closing changed {place} of a result")
    calls: Mapping[str, Callable[[], Any]] = {
        "reset()": pool.reset,
        "async_reset()": pool.async_reset,
        "recv()": pool.recv,
        "drain()": pool.drain,
        "step()": lambda: pool.step(actions),
        "send()": lambda: pool.send(actions),
        "recv(timeout=0.0)": lambda: pool.recv(timeout=0.0),
    }
    for text, call in calls.items():
        with raises(ClosedError, f"{text} of a closed pool"):
            call()
