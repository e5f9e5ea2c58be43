"""A failing environment: the caller's error; other environments are unaffected."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from envpool_py.errors import EnvironmentFailedError, EnvPoolError, ResetNeededError

Make = Callable[..., Any]
RunScript = Callable[..., str]

GUARD = 120.0  # seconds until a blocked `recv` fails its test

# Actions of Failing-v0.
FINE, IN_STEP, INT_IN_STEP, IN_OBSERVE, IN_INFO, BYTES_IN_STEP, TERMINATE, IN_NEXT_RESET = range(8)

NUM_ENVS = 6


@pytest.fixture(autouse=True)
def instances(testing: Any) -> Iterator[None]:
    """Asserts that no instance leaks or is destroyed twice, whatever fails."""
    testing.fail_constructions(0)
    yield
    testing.fail_constructions(0)


def acts(**by_env: int) -> np.ndarray:
    """Returns the action FINE for all environments but those given, as in `e2=IN_STEP`."""
    actions = np.full(NUM_ENVS, FINE)
    for name, action in by_env.items():
        actions[int(name[1:])] = action
    return actions


def assert_rows_equal(a: tuple[Any, ...], b: tuple[Any, ...], rows: Any) -> None:
    """Asserts equal results in `rows`, including masks and infos."""
    for x, y in zip(a[:4], b[:4], strict=True):
        np.testing.assert_array_equal(x[rows], y[rows])
    for name in ("env_id", "elapsed_step", "steps", "_steps"):
        np.testing.assert_array_equal(a[4][name][rows], b[4][name][rows], err_msg=name)


@pytest.mark.parametrize("mode", ["NextStep", "SameStep", "Disabled"])
@pytest.mark.parametrize("num_threads", [1, 3])
@pytest.mark.parametrize(
    ("action", "cause"),
    [
        (IN_STEP, "told to fail"),
        (INT_IN_STEP, "not a std::exception"),
        (IN_OBSERVE, "told to fail"),
        (IN_INFO, "told to fail"),
        (BYTES_IN_STEP, "bytes"),
    ],
)
def test_one_fails_and_the_others_are_unharmed(
    make: Make, action: int, cause: str, num_threads: int, mode: str
) -> None:
    pool, twin = (
        make("Failing", num_envs=NUM_ENVS, num_threads=num_threads, autoreset_mode=mode)
        for _ in range(2)
    )
    others = np.arange(NUM_ENVS) != 2
    for each in (pool, twin):
        each.reset(seed=0)
        each.step(acts())
    with pytest.raises(EnvironmentFailedError) as caught:
        pool.step(acts(e2=action))
    error = caught.value
    assert error.env_ids == [2]
    assert len(error.causes) == 1
    assert cause in error.causes[0]
    assert "environment 2" in str(error)
    assert cause in str(error)
    expected = twin.step(acts())
    assert_rows_equal(error.batch, expected, others)
    obs, reward, terminated, truncated, infos = error.batch
    for array in (obs, reward, terminated, truncated, infos["steps"], infos["_steps"]):
        assert not array[2].any()
    assert infos["env_id"].tolist() == list(range(NUM_ENVS))
    assert pool.stats()["failures"] == 1
    assert twin.stats()["failures"] == 0

    # The failed environment needs a reset; the others continue.
    ids = np.flatnonzero(others)
    for _ in range(3):
        with pytest.raises(ResetNeededError, match="environment 2"):
            pool.step(acts())
        with pytest.raises(ResetNeededError, match="environment 2"):
            pool.send(acts())
        with pytest.raises(ResetNeededError, match="environment 2"):
            pool.step([FINE, FINE], [0, 2])
        with pytest.raises(ResetNeededError, match="environment 2"):
            pool.send([FINE], [2])
        assert_rows_equal(pool.step(acts()[ids], ids), twin.step(acts()[ids], ids), slice(None))

    # A reset makes it usable again.
    obs, infos = pool.reset(env_id=[2], seed=[99])
    expected_obs, _ = twin.reset(env_id=[2], seed=[99])
    np.testing.assert_array_equal(obs, expected_obs)
    for _ in range(3):
        assert_rows_equal(pool.step(acts()), twin.step(acts()), slice(None))


@pytest.mark.parametrize("heal", ["all", "mask", "ids", "async"])
def test_every_kind_of_reset_heals(make: Make, heal: str) -> None:
    pool = make("Failing", num_envs=NUM_ENVS)
    pool.reset(seed=0)
    with pytest.raises(EnvironmentFailedError):
        pool.step(acts(e1=IN_STEP, e4=INT_IN_STEP))
    if heal == "all":
        pool.reset()
    elif heal == "mask":
        with pytest.raises(ResetNeededError, match="4"):
            pool.reset(options={"reset_mask": np.arange(NUM_ENVS) == 1})
        pool.reset(options={"reset_mask": np.isin(np.arange(NUM_ENVS), [1, 4])})
    elif heal == "ids":
        pool.reset(env_id=[4, 1])
    else:
        pool.async_reset()
        pool.recv(GUARD)
    obs, *_ = pool.step(acts())
    kept = 1 if heal in ("all", "async") else 2
    np.testing.assert_array_equal(obs[:, 0], [kept, 1, kept, kept, 1, kept])


def test_several_fail_at_once(make: Make) -> None:
    pool = make("Failing", num_envs=NUM_ENVS, num_threads=2, message="größer als nötig " * 9)
    pool.reset(seed=0)
    with pytest.raises(EnvironmentFailedError) as caught:
        pool.step(acts(e0=INT_IN_STEP, e3=IN_STEP, e5=IN_OBSERVE))
    error = caught.value
    assert error.env_ids == [0, 3, 5]
    assert "not a std::exception" in error.causes[0]
    assert error.causes[1] == error.causes[2] == "größer als nötig " * 9
    np.testing.assert_array_equal(error.batch[0][:, 0], [0, 1, 1, 0, 1, 0])
    assert pool.stats()["failures"] == 3
    copy = pickle.loads(pickle.dumps(error))
    assert (copy.env_ids, copy.causes) == (error.env_ids, error.causes)
    np.testing.assert_array_equal(copy.batch[0], error.batch[0])


def test_all_fail(make: Make) -> None:
    pool = make("Failing", num_envs=300, num_threads=2, fail_at_step=2)
    pool.reset(seed=0)
    pool.step(np.zeros(300, np.int64))
    with pytest.raises(EnvironmentFailedError) as caught:
        pool.step(np.zeros(300, np.int64))
    assert caught.value.env_ids == list(range(300))
    assert caught.value.causes == ["told to fail"] * 300
    assert not caught.value.batch[0].any()
    assert len(str(caught.value)) < 2000  # short enough to read
    pool.reset(seed=0)
    pool.step(np.zeros(300, np.int64))


def receive(pool: Any) -> tuple[tuple[Any, ...], list[int]]:
    """Returns the next batch and the ids of the environments that failed in it."""
    try:
        return pool.recv(GUARD), []
    except EnvironmentFailedError as error:
        return error.batch, error.env_ids


@pytest.mark.parametrize("action", [IN_STEP, INT_IN_STEP, IN_OBSERVE, IN_INFO, BYTES_IN_STEP])
@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_first_ready(make: Make, action: int, mode: str) -> None:
    pool, twin = (
        make("Failing", num_envs=NUM_ENVS, batch_size=batch, num_threads=2, autoreset_mode=mode)
        for batch in (2, NUM_ENVS)
    )
    for each in (pool, twin):
        each.reset(seed=0)
    pool.send(acts(e3=action))
    rows: dict[int, Any] = {}
    failed: list[int] = []
    for _ in range(3):
        result, ids = receive(pool)
        failed += ids
        for row in np.flatnonzero(np.isin(result[4]["env_id"], ids)):
            for array in (*result[:4], result[4]["steps"], result[4]["_steps"]):
                assert not array[row].any()
        for row, env_id in enumerate(result[4]["env_id"]):
            rows[int(env_id)] = result[0][row].copy()
    assert failed == [3]
    assert sorted(rows) == list(range(NUM_ENVS))
    expected = twin.step(acts())[0]
    for env_id in (0, 1, 2, 4, 5):
        np.testing.assert_array_equal(rows[env_id], expected[env_id])
    with pytest.raises(ResetNeededError, match="environment 3"):
        pool.send([FINE, FINE], [1, 3])
    pool.async_reset([3], seed=[5])
    twin.reset(env_id=[3], seed=[5])
    pool.send([FINE], [1])
    expected = twin.step([FINE], [1])[0]
    obs, *_, infos = pool.recv(GUARD)
    assert sorted(infos["env_id"]) == [1, 3]
    np.testing.assert_array_equal(obs[infos["env_id"] == 1], expected)
    obs, *_, infos = pool.step([FINE, FINE], [3, 1])
    expected = twin.step([FINE, FINE], infos["env_id"])[0]
    np.testing.assert_array_equal(obs, expected)


def test_a_batch_that_is_drained_may_hold_failures(make: Make) -> None:
    pool = make("Failing", num_envs=4, batch_size=2)
    pool.reset(seed=0)
    pool.send([FINE, IN_STEP, FINE], [0, 1, 2])
    pool.drain()
    assert pool.stats()["failures"] == 1
    with pytest.raises(ResetNeededError, match="environment 1"):
        pool.send([FINE], [1])
    pool.reset(env_id=[1])
    pool.send([FINE] * 4)
    pool.drain()
    assert pool.stats()["failures"] == 1


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
@pytest.mark.parametrize("batch_size", [3, NUM_ENVS])
def test_a_failure_in_an_autoreset(make: Make, mode: str, batch_size: int) -> None:
    pool = make(
        "Failing", num_envs=NUM_ENVS, batch_size=batch_size, num_threads=2, autoreset_mode=mode
    )
    pool.reset(seed=0)

    def step(actions: np.ndarray) -> list[int]:
        """Steps all environments; returns the ids of those that failed."""
        if batch_size == NUM_ENVS:
            try:
                pool.step(actions)
            except EnvironmentFailedError as error:
                return error.env_ids
            return []
        pool.send(actions)
        failed = []
        for _ in range(NUM_ENVS // batch_size):
            failed += receive(pool)[1]
        return failed

    ended = step(acts(e1=IN_NEXT_RESET, e2=TERMINATE))
    if mode == "NextStep":
        assert ended == []
        assert step(acts()) == [1]
    else:
        assert ended == [1]
    pool.reset(env_id=[1])
    assert step(acts()) == []
    stats = pool.stats()
    assert stats["failures"] == 1
    assert stats["episodes"] == 2
    assert stats["resets"] == NUM_ENVS + 2  # one autoreset, one explicit reset


def test_a_reset_that_fails(make: Make) -> None:
    pool, twin = (make("Failing", num_envs=NUM_ENVS) for _ in range(2))
    for each in (pool, twin):
        each.reset(seed=0)
    with pytest.raises(EnvironmentFailedError) as caught:
        pool.reset(env_id=[4, 0], options={"fail": True})
    assert sorted(caught.value.env_ids) == [0, 4]
    obs, infos = caught.value.batch
    assert not obs.any()
    assert infos["env_id"].tolist() == [4, 0]
    ids = [1, 2, 3, 5]
    np.testing.assert_array_equal(pool.step([0] * 4, ids)[0], twin.step([0] * 4, ids)[0])
    with pytest.raises(ResetNeededError):
        pool.step([0], [4])
    with pytest.raises(EnvironmentFailedError):
        pool.reset(options={"fail": True})
    for each in (pool, twin):
        each.reset(seed=3)
    np.testing.assert_array_equal(pool.step(acts())[0], twin.step(acts())[0])


def test_dm_api_fails_alike(testing: Any) -> None:
    del testing
    import envpool_py

    with envpool_py.make_dm("Testing/Failing-v0", num_envs=3, seed=0) as pool:
        pool.reset()
        with pytest.raises(EnvironmentFailedError) as caught:
            pool.step(np.array([FINE, IN_STEP, FINE]))
        assert caught.value.env_ids == [1]
        assert caught.value.causes == ["told to fail"]


def test_a_construction_that_fails(make: Make, testing: Any) -> None:
    alive = testing.failing_instances()
    testing.fail_constructions(1)
    with pytest.raises(RuntimeError, match="no room") as caught:
        make("Failing", num_envs=NUM_ENVS, num_threads=2, message="no room")
    del caught
    assert testing.failing_instances() == alive
    pool = make("Failing", num_envs=NUM_ENVS, num_threads=2)
    assert testing.failing_instances() == alive + NUM_ENVS
    pool.reset()
    pool.close()
    assert testing.failing_instances() == alive


def test_exceptions_do_not_pass_through_other_packages(run_script: RunScript) -> None:
    """pybind11 has one list of functions that translate exceptions, for all modules of an ABI."""
    pytest.importorskip("mujoco")
    printed = run_script(
        """
        import mujoco
        import envpool_py
        from envpool_py import _testing
        _testing.fail_constructions(1)
        try:
            envpool_py.make("Testing/Failing-v0", num_envs=2, message="no room")
        except RuntimeError as error:
            print(error)
        """
    )
    assert printed == "no room\n"


def test_a_failed_environment_that_cannot_be_made_again(make: Make, testing: Any) -> None:
    alive = testing.failing_instances()
    pool = make("Failing", num_envs=NUM_ENVS)
    pool.reset(seed=0)
    with pytest.raises(EnvironmentFailedError):
        pool.step(acts(e2=IN_STEP))
    testing.fail_constructions(2)
    for _ in range(2):
        with pytest.raises(EnvironmentFailedError) as caught:
            pool.reset(env_id=[2])
        assert caught.value.env_ids == [2]
        with pytest.raises(ResetNeededError, match="environment 2"):
            pool.step(acts())
    obs, _ = pool.reset(env_id=[2])
    assert obs[0, 0] == 0
    pool.step(acts())
    assert testing.failing_instances() == alive + NUM_ENVS
    with pytest.raises(EnvironmentFailedError):
        pool.step(acts(e2=IN_STEP, e3=IN_STEP))
    testing.fail_constructions(1)
    with pytest.raises(EnvironmentFailedError):
        pool.reset(env_id=[2])
    pool.close()
    assert testing.failing_instances() == alive


def test_long_runs_of_failures_and_healing(make: Make, testing: Any) -> None:
    alive = testing.failing_instances()
    pool = make("Failing", num_envs=NUM_ENVS, num_threads=2)
    pool.reset(seed=0)
    rng = np.random.default_rng(0)
    counts = np.zeros(NUM_ENVS, np.int64)
    failures = 0
    for _ in range(300):
        actions = np.where(rng.random(NUM_ENVS) < 0.2, rng.integers(1, 6, NUM_ENVS), FINE)
        bad = np.flatnonzero(actions)
        counts += 1
        if len(bad) == 0:
            np.testing.assert_array_equal(pool.step(actions)[0][:, 0], counts)
            continue
        with pytest.raises(EnvironmentFailedError) as caught:
            pool.step(actions)
        failures += len(bad)
        assert caught.value.env_ids == bad.tolist()
        counts[bad] = 0
        np.testing.assert_array_equal(caught.value.batch[0][:, 0], counts)
        pool.reset(env_id=bad)
    assert failures > 100
    assert pool.stats()["failures"] == failures
    assert testing.failing_instances() == alive + NUM_ENVS


def test_it_is_an_error_of_this_package(make: Make) -> None:
    pool = make("Failing", num_envs=1)
    pool.reset()
    with pytest.raises(EnvPoolError):
        pool.step([IN_STEP])
