"""Dict and tuple actions of C++ environments: in the form of Gymnasium's vector environments,
with the results of the same environment in Python.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import SyncVectorEnv
from gymnasium.vector.utils import batch_space

import envpool_py
from envpool_py.errors import InputError, InputTypeError
from envpool_py.tasks.single_env import SingleEnv

from ..python_envs.comparing import assert_same, assert_same_infos
from ..tree_action import ACTION_SPACE, TreeAction

Make = Callable[..., Any]

NUM_ENVS = 5
STEPS = 80


def sampled(steps: int, num_envs: int = NUM_ENVS, *, float64: bool = False) -> list[Any]:
    """Returns sampled batches of actions; `float64`: two in three have forces of that dtype."""
    space = batch_space(ACTION_SPACE, num_envs)
    space.seed(11)
    rng = np.random.default_rng(12)
    batches = [space.sample() for _ in range(steps)]
    for step, batch in enumerate(batches):
        if float64 and step % 3:  # later float32 steps must not keep float64
            batch["force"] = rng.uniform([-1, -2], [1, 2], (num_envs, 2))
    return batches


def taken(actions: Any, rows: Any) -> Any:
    """Selects some rows of every array."""
    if isinstance(actions, dict):
        return {key: taken(child, rows) for key, child in actions.items()}
    if isinstance(actions, tuple):
        return tuple(taken(child, rows) for child in actions)
    return actions[rows]


def test_spaces_are_those_of_gymnasium(make: Make) -> None:
    pool = make("TreeAction", num_envs=NUM_ENVS)
    assert pool.single_action_space == ACTION_SPACE
    assert pool.action_space == batch_space(ACTION_SPACE, NUM_ENVS)
    assert envpool_py.make_spec("Testing/TreeAction-v0").action_space == ACTION_SPACE


@pytest.mark.parametrize("num_threads", [1, 2])
@pytest.mark.parametrize("float64", [False, True], ids=["float32", "float64"])
@pytest.mark.parametrize("mode", ["NextStep", "SameStep", "Disabled"])
def test_like_sync_vector_env(make: Make, mode: str, float64: bool, num_threads: int) -> None:
    pool = make(
        "TreeAction",
        num_envs=NUM_ENVS,
        num_threads=num_threads,
        autoreset_mode=mode,
        extra_infos=False,
    )
    reference = SyncVectorEnv([TreeAction] * NUM_ENVS, autoreset_mode=mode)
    assert_same(pool.reset(seed=3), reference.reset(seed=3))
    ends = 0
    for step, actions in enumerate(sampled(STEPS, float64=float64)):
        before = copy.deepcopy(actions)
        actual, expected = pool.step(actions), reference.step(actions)
        assert_same(actions, before)
        assert_same(actual[:4], expected[:4], f"step {step}: ")
        assert_same_infos(pool, actual[4], expected[4])
        ended = expected[2] | expected[3]
        ends += ended.sum()
        if mode == "Disabled" and ended.any():
            again = {"reset_mask": ended}
            assert_same(pool.reset(options=dict(again)), reference.reset(options=dict(again)))
    assert ends > NUM_ENVS
    reference.close()


@pytest.mark.parametrize("num_threads", [1, 2])
@pytest.mark.parametrize("float64", [False, True], ids=["float32", "float64"])
def test_first_ready(make: Make, float64: bool, num_threads: int) -> None:
    """Each environment gets its own rows of the actions, in whatever order they are ready."""
    actions = sampled(STEPS, float64=float64)
    reference = SyncVectorEnv([TreeAction] * NUM_ENVS, autoreset_mode="NextStep")
    observations, _ = reference.reset(seed=8)
    expected = [[taken(observations, env)] for env in range(NUM_ENVS)]
    for batch in actions:
        result = reference.step(batch)
        for env in range(NUM_ENVS):
            expected[env].append(taken(result[:4], env))
    reference.close()

    pool = make("TreeAction", num_envs=NUM_ENVS, batch_size=2, num_threads=num_threads, seed=8)
    pool.async_reset()
    seen = np.zeros(NUM_ENVS, int)
    while seen.min() <= STEPS // 4 and seen.max() <= STEPS:
        observations, *results, infos = pool.recv(60)
        ids = infos["env_id"]
        for row, env in enumerate(ids):
            if seen[env] > STEPS:
                continue
            wanted = expected[env][seen[env]]
            if seen[env] == 0:
                assert_same(taken(observations, row), wanted)
            else:
                assert_same(taken((observations, *results), row), wanted)
        rows = [taken(actions[min(seen[env], STEPS - 1)], [env]) for env in ids]
        pool.send(joined(rows), ids)
        seen[ids] += 1
    assert seen.max() > STEPS // 4


def joined(rows: list[Any]) -> Any:
    if isinstance(rows[0], dict):
        return {key: joined([row[key] for row in rows]) for key in rows[0]}
    if isinstance(rows[0], tuple):
        return tuple(joined(list(parts)) for parts in zip(*rows, strict=True))
    return np.concatenate(rows)


def test_steps_of_some_environments(make: Make) -> None:
    pool, twin = (make("TreeAction", num_envs=4, seed=1, num_threads=2) for _ in range(2))
    actions = sampled(1, 4)[0]
    pool.reset()
    twin.reset()
    whole = pool.step(actions)
    ids = np.array([2, 0, 3])
    assert_same(twin.step(taken(actions, ids), ids)[:2], taken(whole[:2], ids))
    twin.send(taken(actions, [1]), [1])
    twin.drain()
    assert_same(pool.step(actions)[:4], twin.step(actions)[:4])


def test_other_forms_of_the_same_action(make: Make) -> None:
    """Lists, non-contiguous views, other integer types, and unknown keys."""
    pool, twin = (make("TreeAction", num_envs=3, seed=4) for _ in range(2))
    pool.reset()
    twin.reset()
    actions = sampled(1, 3)[0]
    wheels, controls = actions["parts"]
    other = {
        "parts": [
            np.repeat(wheels, 2, axis=1)[:, ::2],
            {
                "switches": controls["switches"].astype(bool),
                "dial": controls["dial"].astype(">i8"),
            },
        ],
        "gait": actions["gait"].tolist(),
        "force": actions["force"],
        "comment": "ignored, as in Gymnasium",
    }
    assert_same(twin.step(other)[:4], pool.step(actions)[:4])


def edited(path: tuple[Any, ...], value: Any) -> Any:
    """Returns a valid batch with the value at a path replaced, or removed if MISSING."""
    batch = sampled(1, 2)[0]
    wheels, controls = batch["parts"]
    batch["parts"] = [wheels, controls]  # tuples are immutable
    part = batch
    for key in path[:-1]:
        part = part[key]
    if value is MISSING:
        del part[path[-1]]
    else:
        part[path[-1]] = value
    return {key: tuple(part) if isinstance(part, list) else part for key, part in batch.items()}


MISSING = object()
WRONG: dict[str, tuple[Any, type[Exception], str]] = {
    "no dict": (
        np.zeros(2, int),
        InputTypeError,
        r"actions\['gait'\]: expected an array in actions, got a numpy.ndarray",
    ),
    "None": (None, InputTypeError, r"actions\['gait'\]: .* got a NoneType"),
    "missing key": (
        edited(("force",), MISSING),
        InputTypeError,
        r"actions\['force'\]: expected an array in actions, got a dict with the keys \['gait', ",
    ),
    "missing tuple": (
        edited(("parts",), MISSING),
        InputTypeError,
        r"actions\['parts'\]: expected a tuple in actions, got a dict with the keys",
    ),
    "short tuple": (
        edited(("parts", 1), MISSING),
        InputTypeError,
        r"actions\['parts'\]\[1\]: expected a dict in actions\['parts'\], got a tuple of 1 items",
    ),
    "missing key of an inner dict": (
        edited(("parts", 1, "dial"), MISSING),
        InputTypeError,
        r"actions\['parts'\]\[1\]\['dial'\]: expected an array in .*, got a dict with the keys "
        r"\['switches'\]",
    ),
    "shape": (
        edited(("force",), np.zeros((2, 3))),
        InputError,
        r"actions\['force'\]: expected shape \(2, 2\) .*, got \(2, 3\)",
    ),
    "rows": (
        edited(("parts", 0), np.zeros((3, 2), int)),
        InputError,
        r"actions\['parts'\]\[0\]: expected shape \(2, 2\) \(one row for each of 2 environments\), "
        r"got \(3, 2\)",
    ),
    "many rows": (
        edited(("parts", 0), np.zeros((3000, 2), int)),
        InputError,
        r"actions\['parts'\]\[0\]: expected shape \(2, 2\) .*, got \(3000, 2\)",
    ),
    "scalar": (
        edited(("gait",), 1),
        InputTypeError,
        r"actions\['gait'\]: expected shape \(2,\) .*, got \(\)",
    ),
    "dtype": (
        edited(("gait",), np.zeros(2)),
        InputTypeError,
        r"actions\['gait'\]: expected a dtype that converts to int64 .*, got float64",
    ),
    "text": (
        edited(("parts", 1, "dial"), np.array(["a", "b"])),
        InputTypeError,
        r"actions\['parts'\]\[1\]\['dial'\]: expected an array of numbers, got dtype <U1",
    ),
    "bounds of Discrete": (
        edited(("gait",), np.array([0, 2])),
        InputError,
        r"actions\['gait'\]\[1\] \(environment 1\): expected an integer in \[-1, 1\], got 2",
    ),
    "bounds of Box": (
        edited(("force",), np.array([[0, 0], [0, -2.5]], np.float32)),
        InputError,
        r"actions\['force'\]\[1\] element \[1\] \(environment 1\): expected a value in \[-2, 2\], "
        r"got -2.5",
    ),
    "bounds in float64": (
        edited(("force",), np.array([[0, 0], [np.nextafter(1, 2), 0]])),
        InputError,
        r"actions\['force'\]\[1\] element \[0\]",
    ),
    "NaN": (
        edited(("force",), np.array([[0, np.nan], [0, 0]])),
        InputError,
        r"actions\['force'\]\[0\] element \[1\] .*, got nan",
    ),
    "bounds of MultiDiscrete": (
        edited(("parts", 0), np.array([[0, 0], [0, 5]])),
        InputError,
        r"actions\['parts'\]\[0\]\[1\] element \[1\] .* expected an integer in \[0, 4\], got 5",
    ),
    "bounds of MultiBinary": (
        edited(("parts", 1, "switches"), np.array([[0, 0, 0, 0], [0, 0, 2, 0]], np.int8)),
        InputError,
        r"actions\['parts'\]\[1\]\['switches'\]\[1\] element \[2\]",
    ),
    "an integer that does not fit": (
        edited(("parts", 1, "dial"), np.array([0, 2**16 + 1])),
        InputError,
        r"actions\['parts'\]\[1\]\['dial'\]\[1\] \(environment 1\): expected an integer in "
        r"\[-300, 300\], got 65537",
    ),
}


@pytest.mark.parametrize("batch_size", [2, 1], ids=["ordered", "first-ready"])
@pytest.mark.parametrize("case", WRONG)
def test_wrong_leaves_are_refused_and_change_nothing(
    make: Make, case: str, batch_size: int
) -> None:
    wrong, error, message = WRONG[case]
    pool, twin = (make("TreeAction", num_envs=2, batch_size=batch_size, seed=6) for _ in range(2))
    for each in (pool, twin):
        each.reset()
    for call in (pool.step, pool.send):
        with pytest.raises(error, match=message) as caught:
            call(wrong)
        assert type(caught.value) is error
    assert pool.stats()["steps"] == 0
    good = sampled(1, 2)[0]
    if batch_size == 2:
        assert_same(pool.step(good), twin.step(good))
        return
    for each in (pool, twin):
        each.send(good)
    rows = [sorted((each.recv(60) for _ in range(2)), key=env_of) for each in (pool, twin)]
    assert_same(tuple(map(tuple, rows[0])), tuple(map(tuple, rows[1])))


def env_of(result: Any) -> int:
    return int(result[4]["env_id"][0])


def test_an_exception_of_the_container_is_not_hidden(make: Make) -> None:
    class Interrupted(dict):  # type: ignore[type-arg]
        def __getitem__(self, key: str) -> Any:
            raise KeyboardInterrupt

    pool = make("TreeAction", num_envs=2)
    pool.reset()
    with pytest.raises(KeyboardInterrupt):
        pool.step(Interrupted())


def test_dm_env_takes_nests_and_describes_them(make: Make) -> None:
    import tree

    pool = make("TreeAction", num_envs=NUM_ENVS, env_type="dm", seed=2)
    twin = make("TreeAction", num_envs=NUM_ENVS, seed=2)
    spec = pool.action_spec()
    assert set(spec) == {"gait", "force", "parts"}
    assert [leaf.name for leaf in tree.flatten(spec)] == [
        "force",
        "gait",
        "parts/0",
        "parts/1/dial",
        "parts/1/switches",
    ]
    pool.reset()
    twin.reset()
    for actions in sampled(10):
        tree.map_structure(lambda leaf, values: leaf.validate(values), spec, dict(actions))
        step, expected = pool.step(actions), twin.step(actions)
        assert_same(step.observation.obs, expected[0])
        np.testing.assert_array_equal(step.reward, expected[1])


def test_a_single_environment(testing: Any) -> None:
    """Tests the class of `gymnasium.make("EnvPool/...")`; Gymnasium refuses ids with 2 slashes."""
    env, reference = SingleEnv("Testing/TreeAction-v0"), TreeAction()
    assert env.action_space == ACTION_SPACE
    assert_same(env.reset(seed=9)[0], reference_row(reference.reset(seed=9)[0]))
    env.action_space.seed(1)
    for _ in range(20):
        action = env.action_space.sample()
        actual, expected = env.step(action), reference.step(action)
        assert_same(actual[0], reference_row(expected[0]))
        assert actual[1:3] == expected[1:3]
        if expected[2]:
            env.reset()
            reference.reset()
    with pytest.raises(InputTypeError, match=r"actions\['gait'\]: expected an array in actions"):
        env.step(3)
    env.close()


def reference_row(observation: Any) -> Any:
    """Returns an observation in the form that it has in a batch."""
    space = TreeAction.observation_space
    batch = gymnasium.vector.utils.create_empty_array(space, 1)
    return taken(gymnasium.vector.utils.concatenate(space, [observation], batch), 0)
