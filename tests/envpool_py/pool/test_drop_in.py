"""Features of Gymnasium's vector environments that programs use besides stepping."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gymnasium
import gymnasium.wrappers.vector as wrappers
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

import envpool_py
from envpool_py.errors import (
    ClosedError,
    EnvIdError,
    InputError,
    InputTypeError,
    NoAttributeError,
    OptionError,
    OutOfMemoryError,
    UnknownTaskError,
)

Make = Callable[..., Any]
RunScript = Callable[..., str]


# --- Seeds ----------------------------------------------------------------------------------------


def test_np_random_seed_as_in_gymnasium() -> None:
    theirs: Any = gymnasium.make_vec("CartPole-v1", 3, vectorization_mode="sync")
    with envpool_py.make("CartPole-v1", num_envs=3) as pool:
        assert pool.np_random_seed == (-1, -1, -1)
        mask = np.array([False, True, False])
        calls: list[dict[str, Any]] = [
            {"seed": 5},
            {},
            {"seed": [1, None, 2**64 - 1]},
            {"seed": 9, "options": {"reset_mask": mask}},
            {"seed": [7, 8, None], "options": {"reset_mask": mask}},
        ]
        for call in calls:
            # Gymnasium removes the mask from the options.
            theirs.reset(**{**call, "options": dict(call.get("options") or {}) or None})
            pool.reset(**call)
            assert pool.np_random_seed == theirs.np_random_seed
        pool.reset([2, 0], seed=20)
        assert pool.np_random_seed == (20, 8, 22)
        pool.reset([2, 0], seed=[3, None])
        assert pool.np_random_seed == (20, 8, 3)
        with pytest.raises(InputError):
            pool.reset(seed=-4)
        assert pool.np_random_seed == (20, 8, 3)
        with pytest.raises(NoAttributeError, match=r"np_random: .*np_random_seed"):
            _ = pool.np_random
    with envpool_py.make("CartPole-v1", num_envs=2, batch_size=1, seed=11) as pool:
        assert pool.np_random_seed == (11, 12)
        pool.async_reset(seed=30)
        assert pool.np_random_seed == (30, 31)
    theirs.close()


def test_a_seed_in_the_place_of_ids() -> None:
    with envpool_py.make("CartPole-v1", num_envs=2) as pool:
        with pytest.raises(InputError, match=r"env_id: .*\(reset\(seed=42\) seeds\)"):
            pool.reset(42)
        with pytest.raises(EnvIdError) as caught:
            pool.reset([42])
        assert "seed" not in str(caught.value)


# --- Exceptions of __array__ ----------------------------------------------------------------------


class Refusing:
    """An array-like whose conversion fails."""

    def __init__(self, error: BaseException) -> None:
        self.error = error

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise self.error


@pytest.mark.parametrize("call", ["step", "send"])
def test_the_cause_of_a_refused_action(call: str) -> None:
    with envpool_py.make("CartPole-v1", num_envs=2) as pool:
        pool.reset()
        cause = TypeError("use Tensor.cpu() first")
        with pytest.raises(InputTypeError, match="actions: expected an array") as caught:
            getattr(pool, call)(Refusing(cause))
        assert caught.value.__cause__ is cause
        for passed in (KeyboardInterrupt(), MemoryError("no room"), SystemExit(3)):
            with pytest.raises(type(passed)) as raised:
                getattr(pool, call)(Refusing(passed))
            assert raised.value is passed
        with pytest.raises(InputTypeError, match="env_id: expected an array") as caught:
            pool.step(np.zeros(2, int), Refusing(cause))
        assert caught.value.__cause__ is cause
        pool.step(np.zeros(2, int))


def test_an_array_of_the_wrong_shape_is_not_copied() -> None:
    with envpool_py.make("Pendulum-v1", num_envs=2) as pool:
        pool.reset()
        for dtype in ("<f8", ">f8", "f4", "f2", ">i4"):  # a copy would have up to 8 TB
            huge = np.broadcast_to(np.ones((), dtype), (10**6, 10**6))
            with pytest.raises(InputError, match=r"actions: expected shape \(2, 1\)"):
                pool.step(huge)
        with pytest.raises(InputTypeError, match="expected an array of numbers"):
            pool.step(np.broadcast_to(np.ones((), "c8"), (10**6, 10**6)))


# --- Attributes of environments -------------------------------------------------------------------


def test_get_attr_call_and_set_attr() -> None:
    with envpool_py.make("Pendulum-v1", num_envs=2, g=9.5, render_mode="rgb_array") as pool:
        assert pool.get_attr("g") == (9.5, 9.5)
        assert pool.call("g") == (9.5, 9.5)
        assert pool.get_attr("render_mode") == ("rgb_array", "rgb_array")
        assert pool.get_attr("action_space") == (pool.single_action_space,) * 2
        assert "autoreset_mode" not in pool.get_attr("metadata")[0]
        pool.reset(seed=3)
        assert pool.get_attr("np_random_seed") == (3, 4)
        np.testing.assert_array_equal(pool.call("render"), pool.render())
        with pytest.raises(NoAttributeError, match=r"torque: .* they have .*g, "):
            pool.get_attr("torque")
        pool.set_attr("g", 3.0)
        assert pool.call("g") == (3.0, 3.0)
        with pytest.raises(NoAttributeError, match="is an argument of make"):
            pool.set_attr("render_mode", None)
        with pytest.raises(InputError, match="expected no arguments"):
            pool.call("render", 3)
        with pytest.raises(NoAttributeError, match="not Python objects"):
            pool.call("reset_to")


def test_metadata_belongs_to_one_pool() -> None:
    with envpool_py.make("CartPole-v1") as pool, envpool_py.make("CartPole-v1") as other:
        pool.metadata["render_modes"].append("ansi")
        pool.metadata["mine"] = 1
        assert other.metadata["render_modes"] == ["rgb_array"]
        assert "mine" not in other.metadata
        assert "mine" not in type(pool).metadata


def test_a_mask_without_a_true_is_refused_as_in_gymnasium() -> None:
    theirs = gymnasium.make_vec("CartPole-v1", 2, vectorization_mode="sync")
    with envpool_py.make("CartPole-v1", num_envs=2) as pool:
        for envs in (theirs, pool):
            envs.reset(seed=1)
            with pytest.raises(ValueError, match="at least one True"):
                envs.reset(options={"reset_mask": np.zeros(2, np.bool_)})
    theirs.close()


# --- Infos ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("task_id", ["CartPole-v1", "Taxi-v4", "Blackjack-v1"])
@pytest.mark.parametrize("mode", list(AutoresetMode), ids=lambda mode: mode.value)
def test_infos_of_gymnasium(task_id: str, mode: AutoresetMode) -> None:
    theirs = gymnasium.make_vec(
        task_id, 3, vectorization_mode="sync", vector_kwargs={"autoreset_mode": mode}
    )
    mine: Any = envpool_py.make(task_id, num_envs=3, autoreset_mode=mode, extra_infos=False)
    assert gymnasium.make_vec(mine.spec).spec.kwargs["extra_infos"] is False  # type: ignore[union-attr]
    envs = envpool_py.FinalObsPerEnv(mine)
    left: Any = theirs.reset(seed=1)
    right: Any = envs.reset(seed=1)
    _assert_same_infos(left[1], right[1])
    theirs.action_space.seed(2)
    finals = 0
    for _ in range(120):
        actions = theirs.action_space.sample()
        left, right = theirs.step(actions), envs.step(actions)
        _assert_same_infos(left[4], right[4])
        finals += "final_info" in right[4]
        if mode is AutoresetMode.DISABLED and (left[2] | left[3]).any():
            mask = left[2] | left[3]
            left = theirs.reset(options={"reset_mask": mask})
            right = envs.reset(options={"reset_mask": mask})
            _assert_same_infos(left[1], right[1])
    assert (finals > 0) == (mode is AutoresetMode.SAME_STEP and task_id != "Taxi-v4")
    theirs.close()
    envs.close()


def _assert_same_infos(theirs: Any, mine: Any) -> None:
    assert mine.keys() == theirs.keys()
    for name, value in theirs.items():
        if isinstance(value, dict):
            _assert_same_infos(value, mine[name])
        elif name == "final_obs":
            for left, right in zip(value, mine[name], strict=True):
                assert (left is None) == (right is None)
                if left is not None:
                    np.testing.assert_array_equal(np.asarray(right), np.asarray(left))
        else:
            mask = theirs["_" + name] if "_" + name in theirs else slice(None)
            np.testing.assert_array_equal(mine[name][mask], value[mask])


def test_infos_are_checked() -> None:
    with pytest.raises(InputTypeError, match="extra_infos: expected a bool, got str 'gym'"):
        envpool_py.make("CartPole-v1", extra_infos="gym")  # type: ignore[call-overload]
    with pytest.raises(InputError, match=r'extra_infos: .*infos\["env_id"\]'):
        envpool_py.make("CartPole-v1", num_envs=2, batch_size=1, extra_infos=False)
    with pytest.raises(InputError, match="extra_infos: expected True with env_type 'dm'"):
        envpool_py.make("CartPole-v1", "dm", extra_infos=False)


# --- Wrappers and pictures ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "wrap",
    [
        wrappers.RecordEpisodeStatistics,
        wrappers.NormalizeObservation,
        wrappers.NormalizeReward,
        wrappers.DictInfoToList,
        wrappers.ClipAction,
    ],
)
@pytest.mark.parametrize("batch_size", [1, 2])
def test_gymnasiums_wrappers_around_a_first_ready_pool(wrap: Any, batch_size: int) -> None:
    """They need a row for every environment; none of them is silently wrong."""
    with envpool_py.make("Pendulum-v1", num_envs=4, batch_size=batch_size) as pool:
        wrapped = wrap(pool)
        wrapped.reset(seed=1)

        def two_steps() -> None:
            for _ in range(2):
                wrapped.step(np.zeros((4, 1), np.float32))

        with pytest.raises((IndexError, ValueError, AssertionError)):
            two_steps()
        pool.drain()
        pool.reset(seed=1)

        class Own(gymnasium.vector.VectorWrapper):
            """A user's wrapper, which may support first-ready batches."""

        Own(pool).reset(seed=1)


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
@pytest.mark.parametrize("extra_infos", [True, False])
def test_lists_of_pictures(mode: str, extra_infos: bool) -> None:
    pytest.importorskip("pygame")
    theirs: Any = gymnasium.make_vec(
        "CartPole-v1",
        2,
        vectorization_mode="sync",
        vector_kwargs={"autoreset_mode": AutoresetMode(mode)},
        render_mode="rgb_array_list",
    )
    ours: Any = envpool_py.make(
        "CartPole-v1",
        num_envs=2,
        autoreset_mode=mode,
        render_mode="rgb_array_list",
        extra_infos=extra_infos,
    )
    assert ours.render_mode == theirs.render_mode
    for envs in (theirs, ours):
        envs.reset(seed=3)
    for step in range(25):
        actions = np.array([0, 1])
        theirs.step(actions)
        result = ours.step(actions)
        assert ("env_id" in result[4]) == extra_infos
        if step % 11 == 0:
            left, right = theirs.render(), ours.render()
            assert [len(frames) for frames in left] == [len(frames) for frames in right]
            np.testing.assert_array_equal(np.concatenate(left), np.concatenate(right))
    ours.reset(options={"reset_mask": np.array([False, True])})
    assert [len(frames) for frames in ours.render([1])] == [1]
    for wrong, kind, message in [
        ([2], EnvIdError, r"env_id\[0\]: expected a value in \[0, 1\], got 2"),
        ([1, 1], EnvIdError, r"env_id\[1\]: environment 1 is named more than once"),
        ([0.0], InputTypeError, "env_id: expected an integer dtype, got float64"),
        (1, InputError, r"env_id: expected shape \(n,\) with n >= 1, got \(\)"),
        ([], InputError, r"env_id: expected shape \(n,\) with n >= 1, got \(0,\)"),
    ]:
        with pytest.raises(kind, match=message):
            ours.render(wrong)
    theirs.close()
    ours.close()
    with pytest.raises(ClosedError, match="the pool is closed"):
        ours.render()


def test_lists_of_pictures_of_first_ready_batches() -> None:
    pytest.importorskip("pygame")
    with envpool_py.make(
        "CartPole-v1", num_envs=3, batch_size=1, render_mode="rgb_array_list"
    ) as pool:
        pool.async_reset(seed=1)
        counts = np.zeros(3, int)
        for _ in range(9):
            *_, infos = pool.recv(60)
            env = int(infos["env_id"][0])
            counts[env] += 1
            pool.send([0], [env])
        pool.drain()
        assert [len(frames) for frames in pool.render()] == counts.tolist()
        assert [len(frames) for frames in pool.render()] == [0, 0, 0]
    with pytest.raises(InputError, match=r"render_mode: .*env_type 'dm'"):
        envpool_py.make("CartPole-v1", "dm", render_mode="rgb_array_list")


# --- Unknown ids ----------------------------------------------------------------------------------

SUGGESTED = [
    ("CartPole-v2", 'did you mean "CartPole-v1"?'),
    ("cartpole", 'did you mean "CartPole-v'),
    ("Cheetah-v5", 'did you mean "HalfCheetah-v5"?'),
    ("Brekout-v5", 'did you mean "Breakout-v5"?'),
    ("ALE/Brekout-v5", 'did you mean "ALE/Breakout-v5"?'),
    ("CoinrunEazy-v0", 'did you mean "CoinrunEasy-v0"?'),
    ("D1Basic-v1", "; EnvPool's ViZDoom tasks are not in this package"),
    ("x" * 100_000, '..."; envpool_py.list_all_envs() gives all'),
    # Neither this package nor Gymnasium has these.
    ("VizdoomBasic-v1", "list_all_envs"),
    ("DoorKey-v3", "list_all_envs"),
    ("", "list_all_envs"),
]


@pytest.mark.parametrize(("task_id", "expected"), SUGGESTED)
def test_suggestions(task_id: str, expected: str) -> None:
    with pytest.raises(UnknownTaskError) as caught:
        envpool_py.make(task_id)
    assert expected in str(caught.value)
    assert ("did you mean" in str(caught.value)) == ("did you mean" in expected)


EARLIER = [
    ("PongNoFrameskip-v4", "ALE/Pong-v5", "frameskip=1, repeat_action_probability=0.0"),
    ("Pong-v0", "ALE/Pong-v5", "frameskip=(2, 5), repeat_action_probability=0.25"),
    ("PongDeterministic-v4", "ALE/Pong-v5", "frameskip=4, repeat_action_probability=0.0"),
    ("SpaceInvadersDeterministic-v4", "ALE/SpaceInvaders-v5", "frameskip=3"),
    (
        "Pong-ram-v4",
        "ALE/Pong-v5",
        "frameskip=(2, 5), repeat_action_probability=0.0, obs_type='ram'",
    ),
    ("Breakout-ramNoFrameskip-v4", "ALE/Breakout-v5", "frameskip=1"),
]


@pytest.mark.parametrize(("task_id", "today", "options"), EARLIER)
def test_earlier_ids_of_atari_games(task_id: str, today: str, options: str) -> None:
    with pytest.raises(UnknownTaskError) as caught:
        envpool_py.make(task_id)
    assert f'make("{today}", {options}' in str(caught.value)


# --- Values without a float64 or UTF-8 form -------------------------------------------------------


def test_huge_numbers_and_odd_texts() -> None:
    with pytest.raises(OptionError, match='"g": expected a number that a 64-bit float can hold'):
        envpool_py.make("Pendulum-v1", g=10**400)
    with pytest.raises(OptionError, match="name: expected text with a UTF-8 form"):
        envpool_py.make("Pendulum-v1", **{"\ud800": 1.0})  # type: ignore[call-overload]
    with envpool_py.make("CartPole-v1", num_envs=1) as pool:
        with pytest.raises(OptionError, match='"low": expected a number'):
            pool.reset(options={"low": 10**400})
        with pytest.raises(OptionError, match="name: expected text"):
            pool.reset(options={"\ud800": 1.0})
        pool.async_reset()
        pool.recv(10**400)  # waits as long as necessary
        with pytest.raises(InputError, match="timeout: expected seconds >= 0"):
            pool.recv(-(10**400))


# MuJoCo allocates the memory of its environments itself.
@pytest.mark.unsanitized
@pytest.mark.parametrize(
    ("task_id", "num_envs", "package"),
    [("CartPole-v1", 2**30, "gymnasium"), ("HalfCheetah-v5", 100_000, "mujoco")],
)
def test_running_out_of_memory_says_for_what(
    run_script: RunScript, task_id: str, num_envs: int, package: str
) -> None:
    pytest.importorskip(package)
    assert issubclass(OutOfMemoryError, MemoryError)
    printed = run_script(
        f"""
        import resource
        import envpool_py
        from envpool_py.errors import OutOfMemoryError

        envpool_py.make("{task_id}").close()
        kilobytes = int(open("/proc/self/status").read().split("VmSize:")[1].split()[0])
        resource.setrlimit(resource.RLIMIT_AS, ((kilobytes << 10) + (256 << 20),) * 2)
        try:
            envpool_py.make("{task_id}", num_envs={num_envs}, num_threads=1)
        except OutOfMemoryError as error:
            print(error)
        """
    )
    assert f"the memory of {num_envs} environments of {task_id}" in printed
