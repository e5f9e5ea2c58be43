"""Rollouts compared with explicit steps and with Gymnasium, in the three autoreset modes."""

from __future__ import annotations

import functools
import tracemalloc
from collections.abc import Callable, Iterator
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

import envpool_py
from envpool_py.errors import (
    EnvironmentFailedError,
    InputError,
    InputTypeError,
)
from envpool_py.pool.trees import leaves
from envpool_py.rollout import Rollout
from envpool_py.rollout.trees import assign_tree

from ..lifecycle import GATE_WORK, Make, zeros
from ..waiting import ctrl_c_during, escorting
from . import oracles
from .tasks import TASKS
from .tasks import make as make_task

MODES = ["NextStep", "SameStep", "Disabled"]
N = 5


def actions_of(envs: Any, seed: int) -> Iterator[Any]:
    """Yields actions that do not depend on observations."""
    envs.action_space.seed(seed)
    while True:
        yield envs.action_space.sample()


def assert_trees_equal(one: Any, other: Any) -> None:
    left, right = dict(leaves(one)), dict(leaves(other))
    assert left.keys() == right.keys()
    for name, leaf in left.items():
        np.testing.assert_array_equal(leaf, right[name], err_msg=name)


def value_of(observations: Any) -> Any:
    """Returns a number per observation; its rounding does not depend on the batch."""
    (_, leaf) = next(leaves(observations))
    rows = np.asarray(leaf).reshape(len(leaf), -1).astype(np.float64)
    return (rows * np.linspace(0.1, 1.0, rows.shape[1])).sum(axis=1)


def fill(rollout: Rollout, act: Callable[[int], None]) -> None:
    for t in rollout:
        act(t)


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("copies", [False, True], ids=["in place", "copied"])
def test_it_has_what_steps_return(task: str, copies: bool) -> None:
    """Covers two successive rollouts; a wrapper's observations are copied."""
    pool = make_task(task, num_envs=N, num_threads=2)
    envs: Any = gymnasium.wrappers.vector.RecordEpisodeStatistics(pool) if copies else pool
    rollout = Rollout(envs, 13, seed=3)
    with pool, envpool_py.make(task, num_envs=N, num_threads=1) as other:
        observations, _ = other.reset(seed=3)
        actions = actions_of(other, 1)
        for _ in range(2):
            results = [observations]
            for t in rollout:
                assert_observations(rollout.obs, observations)
                action = next(actions)
                rollout.act(action)
                observations, rewards, terminated, truncated, infos = other.step(action)
                results.append(observations)
                np.testing.assert_array_equal(rollout.rewards[t], rewards.astype(np.float32))
                np.testing.assert_array_equal(rollout.terminated[t], terminated)
                np.testing.assert_array_equal(rollout.truncated[t], truncated)
                np.testing.assert_array_equal(rollout.infos["elapsed_step"], infos["elapsed_step"])
                assert_trees_equal(at(rollout.actions, t), action)
            assert rollout.is_full
            for t, result in enumerate(results):
                assert_observations(at(rollout.observations, t), result)


def at(tree: Any, t: int) -> Any:
    if isinstance(tree, dict):
        return {name: at(part, t) for name, part in tree.items()}
    return tuple(at(part, t) for part in tree) if isinstance(tree, tuple) else tree[t]


def assert_observations(stored: Any, returned: Any) -> None:
    if isinstance(returned, dict):
        for name in returned:
            assert_observations(stored[name], returned[name])
    elif isinstance(returned, tuple) and isinstance(returned[0], str):
        assert stored.dtype == np.uint8
        texts = tuple(bytes(row).rstrip(b"\0").decode() for row in stored)
        assert texts == returned
    elif isinstance(returned, tuple):
        for part, other in zip(stored, returned, strict=True):
            assert_observations(part, other)
    else:
        assert stored.dtype == returned.dtype
        np.testing.assert_array_equal(stored, returned)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("task", ["CartPole-v1", "Blackjack-v1"])
def test_it_equals_a_rollout_of_gymnasium(task: str, mode: str) -> None:
    """Runs the same program on Gymnasium's environments; episodes end in both ways."""
    limit = 12
    kwargs: dict[str, Any] = {"max_episode_steps": limit} if task == "CartPole-v1" else {}
    reference = gymnasium.make_vec(
        task,
        num_envs=N,
        vectorization_mode="sync",
        vector_kwargs={"autoreset_mode": AutoresetMode(mode)},
        **kwargs,
    )
    pool = envpool_py.make(task, num_envs=N, autoreset_mode=mode, **kwargs)
    ours, theirs = Rollout(pool, 50, seed=5), Rollout(reference, 50, seed=5)
    actions = actions_of(pool, 2)
    for _ in range(2):
        for _, _ in zip(ours, theirs, strict=True):
            action = next(actions)
            values = {"values": np.arange(N), "log_probs": -np.arange(N)}
            ours.act(action, **values)
            theirs.act(action, **values)
        for name in ("rewards", "terminated", "truncated", "valid"):
            np.testing.assert_array_equal(getattr(ours, name), getattr(theirs, name), name)
        assert_trees_equal(ours.actions, theirs.actions)
        for (_, left), (_, right) in zip(
            leaves((ours.observations, ours.final_observations)),
            leaves((theirs.observations, theirs.final_observations)),
            strict=True,
        ):
            np.testing.assert_allclose(left, right, rtol=1e-6)
        np.testing.assert_array_equal(ours.final_steps, theirs.final_steps)
        for one, other in zip(
            ours.gae(value_of, gamma=0.9, lam=0.8),
            theirs.gae(value_of, gamma=0.9, lam=0.8),
            strict=True,
        ):
            np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-5)
    if task == "CartPole-v1":
        assert ours.truncated.any()
        assert ours.terminated.any()
        assert ours.valid.all() == (mode != "NextStep")
    pool.close()
    reference.close()


@pytest.mark.parametrize("mode", ["SameStep", "Disabled"])
def test_final_observations_of_a_tree(testing: Any, mode: str) -> None:
    """The space has nested dicts and tuples; Gymnasium orders the keys differently."""
    pools = [
        envpool_py.make("Testing/MultiField-v0", num_envs=N, autoreset_mode=mode, seed=4)
        for _ in range(2)
    ]
    rollout = Rollout(pools[0], 30, seed=4)
    pools[1].reset(seed=4)
    for _ in rollout:
        rollout.act(zeros(N))
    expected = []
    for t in range(30):
        obs, _, term, trunc, infos = pools[1].step(zeros(N))
        final = infos.get("final_obs", obs)
        expected += [
            (t * N + env, at(final, env)) for env in np.flatnonzero(trunc & ~term).tolist()
        ]
        if mode == "Disabled" and (term | trunc).any():
            pools[1].reset(np.flatnonzero(term | trunc))
    assert len(expected) == 4 * N  # 4 truncations each; the time limit is 7
    assert rollout.final_steps.tolist() == [step for step, _ in expected]
    for row, (_, final) in enumerate(expected):
        assert_trees_equal(at(rollout.final_observations, row), final)
    for pool in pools:
        pool.close()


@pytest.mark.parametrize("num_workers", [0, 2], ids=["in the caller", "in processes"])
def test_environments_in_python(num_workers: int) -> None:
    """In the caller, environments write in place; the rows of worker processes are copied."""
    make_env = functools.partial(gymnasium.make, "CartPole-v1")
    reference = envpool_py.make("CartPole-v1", num_envs=N)
    pool = envpool_py.make_python(make_env, N, num_workers=num_workers)
    with pool, reference:
        ours, theirs = Rollout(pool, 20, seed=5), Rollout(reference, 20, seed=5)
        actions = actions_of(reference, 2)
        for _ in range(2):
            for _, _ in zip(ours, theirs, strict=True):
                action = next(actions)
                ours.act(action)
                theirs.act(action)
            for name in ("observations", "rewards", "terminated", "truncated", "valid"):
                np.testing.assert_array_equal(getattr(ours, name), getattr(theirs, name), name)


def policy(observations: np.ndarray, step: np.ndarray) -> np.ndarray:
    """Balances the pole for 9 steps, then lets it fall; depends only on the episode."""
    leans = observations[:, 2] + 0.3 * observations[:, 3]
    return np.where(step < 9, leans > 0, np.arange(len(step)) % 2).astype(np.int64)


def steps_of(mode: str) -> list[list[tuple[Any, ...]]]:
    """Returns per environment its steps with next values and advantages, over two rollouts."""
    pool = envpool_py.make("CartPole-v1", num_envs=N, autoreset_mode=mode, max_episode_steps=17)
    found: list[list[tuple[Any, ...]]] = [[] for _ in range(N)]
    with pool:
        rollout = Rollout(pool, 60, seed=11)
        step = np.zeros(N, int)
        for _ in range(2):
            for t in rollout:
                rollout.act(policy(rollout.obs, step), values=value_of(rollout.obs))
                ended = rollout.terminated[t] | rollout.truncated[t]
                step = np.where(ended | ~rollout.valid[t], 0, step + 1)
            next_values = rollout.next_values(value_of)
            advantages, _ = rollout.gae(value_of, gamma=0.9, lam=0.7)
            for env in range(N):
                for t in np.flatnonzero(rollout.valid[:, env]):
                    place = (t, env)
                    found[env].append(
                        (
                            rollout.observations[place].tobytes(),
                            int(rollout.actions[place]),
                            float(rollout.rewards[place]),
                            bool(rollout.terminated[place]),
                            bool(rollout.truncated[place]),
                            float(next_values[place]),
                            float(advantages[place]),
                        )
                    )
    return found


def test_truncation_bootstraps_alike_in_all_modes() -> None:
    """Steps, next values, and the advantages of complete episodes do not depend on the mode."""
    by_mode = {mode: steps_of(mode) for mode in MODES}
    assert by_mode["SameStep"] == by_mode["Disabled"]  # both have the same rows
    truncations = terminations = 0
    for same, following in zip(by_mode["SameStep"], by_mode["NextStep"], strict=True):
        count = len(following)  # NextStep has fewer steps, because some of its rows only reset
        assert count < len(same) == 120
        for one, other in zip(same[:count], following, strict=True):
            assert one[:-1] == other[:-1]
            truncations += one[4]
            terminations += one[3]
        # Compare the advantages of episodes that lie within one rollout in both modes.
        begin = 0
        for end in [i + 1 for i in range(count) if same[i][3] or same[i][4]]:
            if end <= 50:
                assert [s[-1] for s in same[begin:end]] == [s[-1] for s in following[begin:end]]
            begin = end
    assert truncations > 5
    assert terminations > 2


@pytest.mark.parametrize("mode", MODES)
def test_gae_and_vtrace_are_their_definitions(mode: str) -> None:
    pool = envpool_py.make("CartPole-v1", num_envs=N, autoreset_mode=mode, max_episode_steps=17)
    with pool:
        rollout = Rollout(pool, 40, seed=1)
        actions = actions_of(pool, 3)
        for _ in rollout:
            rollout.act(next(actions), values=value_of(rollout.obs))
        known = {
            "rewards": rollout.rewards,
            "values": rollout.columns["values"],
            "next_values": rollout.next_values(value_of),
            "terminated": rollout.terminated,
            "truncated": rollout.truncated,
            "valid": rollout.valid,
        }
        advantages, returns = rollout.gae(value_of, gamma=0.9, lam=0.8)
        expected = oracles.gae(known, 0.9, 0.8)
        np.testing.assert_allclose(advantages, expected, rtol=1e-4, atol=1e-4)
        np.testing.assert_allclose(returns, expected + known["values"], rtol=1e-4, atol=1e-4)
        rng = np.random.default_rng(0)
        log_ratios = rng.normal(scale=0.3, size=(40, N)).astype(np.float32)
        values = value_of(rollout.observations[:-1].reshape(-1, 4)).reshape(40, N)
        found = rollout.vtrace(value_of, log_ratios, values, gamma=0.9, clip_rho=1.2)
        wanted = oracles.vtrace(known, log_ratios, 0.9, 1.0, (1.2, 1.0, 1.0))
        for one, other in zip(found, wanted, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-4)


def test_environments_write_in_place(make: Make) -> None:
    """The engine's observations are views of the rollout, and it allocates no large block."""
    pool = make("Wide", num_envs=8, width=65_536, num_threads=2)
    rollout = Rollout(pool, 6)
    core = pool._core
    observations = core.reset_into(None, None, None, None, rollout._rows.target, 0)[0]
    assert np.shares_memory(observations, rollout.observations)
    observations = core.step_into(zeros(8), None, rollout._rows.target, 8)[0]
    assert observations.ctypes.data == rollout.observations[1].ctypes.data
    del observations
    address = rollout.observations.ctypes.data
    for _ in range(3):
        for _ in rollout:
            rollout.act(zeros(8))
    assert rollout.observations.ctypes.data == address


@pytest.mark.unsanitized
def test_nothing_is_allocated_for_a_step(make: Make) -> None:
    """During a rollout, Python and NumPy allocate only small objects."""
    pool = make("Wide", num_envs=64, width=65_536, num_threads=2)  # 4 MB of observations per step
    rollout = Rollout(pool, 16)
    action = zeros(64)

    def fill() -> None:
        for _ in rollout:
            rollout.act(action)

    for _ in range(3):
        fill()
    blocks = pool.stats()["blocks"]
    tracemalloc.start()
    try:
        fill()
        start = tracemalloc.get_traced_memory()[0]
        tracemalloc.reset_peak()
        fill()
        now, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak - start < 100_000
    assert now - start < 20_000
    assert pool.stats()["blocks"] == blocks


def test_columns(make: Make) -> None:
    pool = envpool_py.make("CartPole-v1", num_envs=N)
    rollout = Rollout(pool, 3, columns={"state": ((2, 3), np.float64), "note": ((), np.int32)})
    for t in rollout:
        rollout.act(zeros(N), state=np.full((N, 2, 3), t + 0.5), note=np.arange(N) + t)
    assert rollout.columns["state"].shape == (3, N, 2, 3)
    assert rollout.columns["note"].dtype == np.int32
    np.testing.assert_array_equal(rollout.columns["note"][2], np.arange(N) + 2)
    flat = rollout.flat()
    assert flat["observations"].shape == (3 * N, 4)
    assert np.shares_memory(flat["observations"], rollout.observations)
    np.testing.assert_array_equal(flat["state"][:, 0, 0], np.repeat([0.5, 1.5, 2.5], N))
    with pytest.raises(InputError, match='has no column "values"'):
        rollout.gae(value_of, gamma=0.9, lam=0.9)
    pool.close()


def test_episode_statistics() -> None:
    pool = envpool_py.make("CartPole-v1", num_envs=N, record_episode_statistics=True)
    with pool:
        rollout = Rollout(pool, 60, seed=0)
        actions = actions_of(pool, 0)
        lengths: list[int] = []
        for _ in range(3):
            for _ in rollout:
                rollout.act(next(actions))
                if "episode" in rollout.infos:
                    ended = rollout.infos["_episode"]
                    lengths += rollout.infos["episode"]["l"][ended].tolist()
            assert rollout.episode_lengths == lengths
            assert rollout.episode_returns == [float(length) for length in lengths]
            assert lengths
            lengths = []


# --- Errors --------------------------------------------------------------------------------------


def test_steps_that_do_not_fit_the_loop_are_refused() -> None:
    with envpool_py.make("CartPole-v1", num_envs=2) as pool:
        rollout = Rollout(pool, 3)
        with pytest.raises(InputError, match="call it inside a loop"):
            rollout.act(zeros(2))
        with pytest.raises(InputError, match="it was called 0 times before step 1"):
            fill(rollout, lambda _: None)
        for _ in rollout:
            rollout.act(zeros(2))
        with pytest.raises(InputError, match="all 3 steps are made"):
            rollout.act(zeros(2))

        def twice(_: int) -> None:
            rollout.act(zeros(2))
            rollout.act(zeros(2))

        with pytest.raises(InputError, match="2 times before step 1"):
            fill(rollout, twice)


def test_values_of_another_shape_are_refused() -> None:
    with envpool_py.make("CartPole-v1", num_envs=2) as pool:
        rollout = Rollout(pool, 3, seed=0)
        fill(rollout, lambda _: rollout.act(zeros(2), values=np.zeros(2, np.float32)))
        expected = r"value_of: expected float32 of shape \(2,\), got float64 of shape \(3, 1\)"
        with pytest.raises(InputError, match=expected):
            rollout.next_values(lambda _: np.zeros((3, 1)))
        with pytest.raises(InputError, match=r"values: expected float32 of shape \(2, 2\)"):
            rollout.next_values(value_of, np.zeros((3, 5)))


def test_actions_of_another_shape_in_a_tree_are_refused() -> None:
    room = {"turn": np.zeros((2, 3), np.float32), "push": (np.zeros(2, np.int64),)}
    expected = r'actions\["turn"\]: expected float32 of shape \(2, 3\), got float32 of shape \(4,\)'
    with pytest.raises(InputError, match=expected):
        assign_tree(room, {"turn": np.zeros(4, np.float32), "push": (np.zeros(2, int),)}, "actions")
    expected = r'actions\["push"\]\[0\]: expected int64 of shape \(2,\), got float64'
    with pytest.raises(InputError, match=expected):
        assign_tree(room, {"turn": room["turn"], "push": (np.zeros(2),)}, "actions")


def test_a_loop_that_is_left_early_goes_on_from_there() -> None:
    with envpool_py.make("CartPole-v1", num_envs=2) as pool:
        rollout = Rollout(pool, 8, seed=0)
        for t in rollout:
            rollout.act(zeros(2))
            if t == 4:
                break
        latest = rollout.obs.copy()
        with pytest.raises(InputError, match="only 5 of 8 steps are made"):
            rollout.next_values(value_of)
        for t in rollout:
            if t == 0:
                np.testing.assert_array_equal(rollout.obs, latest)
                assert rollout.infos["elapsed_step"].tolist() == [5, 5]
            rollout.act(zeros(2))


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"length": 0}, InputError, "length: expected at least 1, got 0"),
        ({"length": 2.0}, InputTypeError, r"length: expected an integer, got 2\.0"),
        ({"framework": "jax"}, InputError, 'framework: expected "numpy" or "torch", got \'jax\''),
        ({"columns": {"actions": ()}}, InputError, "expected names that are identifiers other"),
        ({"columns": {"a b": ()}}, InputError, "got 'a b'"),
        ({"columns": {"a": 3}}, InputTypeError, r"columns\['a'\]: expected the shape of a row"),
    ],
)
def test_wrong_arguments(arguments: dict[str, Any], error: type[Exception], message: str) -> None:
    with (
        envpool_py.make("CartPole-v1", num_envs=2) as pool,
        pytest.raises(error, match=message),
    ):
        Rollout(pool, **{"length": 4, **arguments})


def test_wrong_environments() -> None:
    with pytest.raises(InputTypeError, match=r"envs: expected a gymnasium\.vector\.VectorEnv"):
        Rollout(gymnasium.make("CartPole-v1"), 4)
    with (
        envpool_py.make("CartPole-v1", num_envs=4, batch_size=2) as pool,
        pytest.raises(InputError, match="FirstReadyRollout"),
    ):
        Rollout(pool, 4)


def test_what_does_not_fit_a_step_is_refused_and_nothing_is_stepped() -> None:
    with envpool_py.make("CartPole-v1", num_envs=3) as pool:
        rollout = Rollout(pool, 2, seed=0)
        for t in rollout:
            for wrong, values, message in [
                (zeros(2), {}, r"actions: expected int64 of shape \(3,\), got int64 of shape \(2,"),
                (zeros(3), {"values": zeros(2)}, r"values: expected float32 of shape \(3,\), got"),
                (zeros(3), {"valuse": zeros(3)}, "got 'valuse'; did you mean \"values\""),
                (np.full(3, 2), {}, "actions"),
            ]:
                with pytest.raises(InputError, match=message):
                    rollout.act(wrong, **values)
            assert pool.stats()["steps"] == 3 * t
            rollout.act(zeros(3))


def test_a_failing_environment(make: Make) -> None:
    pool = make("Failing", num_envs=3)
    rollout = Rollout(pool, 4, seed=0)
    with pytest.raises(EnvironmentFailedError, match="told to fail"):
        fill(rollout, lambda t: rollout.act(np.array([0, t == 2, 0], np.int64)))
    with pytest.raises(InputError, match="call it inside a loop"):
        rollout.act(zeros(3))
    for _ in rollout:
        rollout.act(zeros(3))
    assert rollout.is_full
    np.testing.assert_array_equal(rollout.observations[:, :, 0].T, [[0, 1, 2, 3, 4]] * 3)


def test_ctrl_c_during_a_step(make: Make, testing: Any) -> None:
    """The next loop starts anew; the interrupted step does not write into its rows."""
    pool = make("Gate", num_envs=2, num_threads=2, work=GATE_WORK)
    rollout = Rollout(pool, 8)
    for t in rollout:
        if t == 6:
            break
        rollout.act(zeros(2))
    with (
        escorting(testing),
        ctrl_c_during(rollout.act, testing, 1),
        pytest.raises(KeyboardInterrupt),
    ):
        rollout.act(np.ones(2, np.int64))
    assert testing.gate_waiting() == 1
    with pytest.raises(InputError, match="call it inside a loop"):
        rollout.act(zeros(2))
    testing.open_gate()
    fill(rollout, lambda _: rollout.act(zeros(2)))
    assert rollout.observations[:, :, 0].T.tolist() == [list(range(9))] * 2
    assert pool.stats()["steps"] == 30


def test_a_closed_pool() -> None:
    pool = envpool_py.make("CartPole-v1", num_envs=2)
    rollout = Rollout(pool, 3)
    for _ in rollout:
        rollout.act(zeros(2))
    kept = rollout.observations.copy()
    pool.close()
    np.testing.assert_array_equal(rollout.observations, kept)
    with pytest.raises(envpool_py.errors.ClosedError):
        fill(rollout, lambda _: rollout.act(zeros(2)))
