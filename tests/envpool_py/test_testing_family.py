"""Spaces, dtypes, infos, options and actions of every kind, against values computed in Python."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces

import envpool_py
from envpool_py.errors import (
    InputError,
    InputTypeError,
    OptionError,
    OptionTypeError,
    UnknownTaskError,
)

Make = Callable[..., Any]

MASK64 = 2**64 - 1
INT64_MAX = 2**63 - 1

# Leaves of MultiField-v0 in the order of the engine's columns.
LEAVES: list[tuple[Any, ...]] = [
    ("float32",),
    ("float64",),
    ("signed", "int8"),
    ("signed", "int16"),
    ("signed", "int32"),
    ("signed", "int64"),
    ("unsigned", 0),
    ("unsigned", 1, 0),
    ("unsigned", 1, 1),
    ("unsigned", 2),
    ("flags",),
    ("discrete",),
    ("multi_discrete",),
    ("multi_binary",),
]


def at(tree: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        tree = tree[key]
    return tree


def pattern(token: int, step: int, column: int, element: int) -> int:
    bits = (
        token
        + step * 0x9E3779B97F4A7C15
        + column * 0xC2B2AE3D27D4EB4F
        + element * 0x165667B19E3779F9
    ) & MASK64
    bits ^= bits >> 33
    bits = bits * 0xFF51AFD7ED558CCD & MASK64
    return bits ^ bits >> 29


def pattern_within(dtype: np.dtype[Any], low: Any, high: Any, bits: int) -> Any:
    if dtype.kind == "b":
        return low if low == high else bool(bits & 1)
    if dtype.kind == "f":
        if np.isinf(low) or np.isinf(high):
            signed = (bits & 0xFFFFFFFF) - (2**32 if bits & 0x80000000 else 0)
            return signed / 16.0
        return float(low) + (float(high) - float(low)) * ((bits >> 40) / 2.0**24)
    return int(low) + bits % (int(high) - int(low) + 1)


def bounds(space: Any) -> tuple[tuple[int, ...], np.dtype[Any], list[Any], list[Any]]:
    """Shape, dtype, least and greatest elements of a leaf space."""
    if isinstance(space, spaces.Discrete):
        return (), np.dtype(space.dtype), [space.start], [space.start + space.n - 1]
    if isinstance(space, spaces.MultiDiscrete):
        count = space.nvec.size
        return space.shape, np.dtype(space.dtype), [0] * count, list(space.nvec.ravel() - 1)
    if isinstance(space, spaces.MultiBinary):
        count = int(np.prod(space.shape))
        return space.shape, np.dtype(space.dtype), [0] * count, [1] * count
    return space.shape, np.dtype(space.dtype), list(space.low.ravel()), list(space.high.ravel())


@dataclass
class Frame:
    token: int
    step: int
    after_reset: bool

    def leaf(self, column: int, space: Any) -> np.ndarray:
        shape, dtype, low, high = bounds(space)
        values = [
            pattern_within(dtype, low[i], high[i], pattern(self.token, self.step, column, i))
            for i in range(len(low))
        ]
        return np.array(values, dtype=dtype).reshape(shape)

    def infos(self) -> dict[str, Any]:
        """The fields that are present in this frame."""
        float32, int16 = np.dtype("float32"), np.dtype("int16")
        fields: dict[str, Any] = {
            "token": self.token,
            "elapsed_step": self.step,
            "vector": [
                pattern_within(float32, -1, 1, pattern(self.token, self.step, 101, i))
                for i in range(3)
            ],
        }
        if self.step % 2 == 0:
            fields["even_matrix"] = np.reshape(
                [
                    pattern_within(int16, -32768, 32767, pattern(self.token, self.step, 102, i))
                    for i in range(4)
                ],
                (2, 2),
            )
        if self.after_reset:
            fields["reset_only"] = INT64_MAX
        if ((self.token + self.step) & MASK64) % 7 == 0:
            fields["rare"] = [i == self.step % 4 for i in range(4)]
        return fields


INFO_LAYOUT: dict[str, tuple[str, tuple[int, ...]]] = {
    "token": ("uint64", ()),
    "vector": ("float32", (3,)),
    "even_matrix": ("int16", (2, 2)),
    "reset_only": ("int64", ()),
    "rare": ("bool", (4,)),
    "never": ("float64", (2,)),
    "elapsed_step": ("int32", ()),
    "env_id": ("int32", ()),
}


@dataclass
class Row:
    frame: Frame
    reward: float = 0.0
    terminated: bool = False
    truncated: bool = False
    final: Frame | None = None
    marked: bool = True  # its own fields are, in the masks of infos


class MultiFieldModel:
    """One environment of MultiField-v0 in one of the autoreset modes, written plainly."""

    def __init__(self, seed: int, mode: str, episode_length: int, limit: int) -> None:
        self._bits = np.random.default_rng(seed).bit_generator
        self._mode, self._episode_length, self._limit = mode, episode_length, limit
        self._over = False
        self.frame = Frame(0, 0, True)

    def reset(self) -> Row:
        self.frame = Frame(int(self._bits.random_raw()), 0, True)  # type: ignore[attr-defined]
        self._over = False
        return Row(self.frame)

    def step(self) -> Row:
        if self._over:
            assert self._mode == "NextStep"
            return self.reset()
        frame = Frame(self.frame.token, self.frame.step + 1, False)
        row = Row(
            frame,
            float(frame.step),
            frame.step == self._episode_length,
            frame.step == self._limit,
        )
        self.frame = frame
        self._over = row.terminated or row.truncated
        if self._over and self._mode == "SameStep":
            row.final, row.frame = frame, self.reset().frame
        return row

    @property
    def over(self) -> bool:
        return self._over


def check_observation(space: Any, obs: Any, frames: list[Frame | None]) -> None:
    for column, path in enumerate(LEAVES):
        leaf_space, leaf = at(space, path), at(obs, path)
        shape, dtype, _, _ = bounds(leaf_space)
        expected = np.stack(
            [
                np.zeros(shape, dtype) if frame is None else frame.leaf(column, leaf_space)
                for frame in frames
            ]
        )
        assert leaf.dtype == expected.dtype, path
        np.testing.assert_array_equal(leaf, expected, err_msg=str(path))


def check_infos(
    infos: dict[str, Any], rows: list[dict[str, Any]], marked: list[bool] | None = None
) -> None:
    """`rows`: per row the fields that are present, with their values; `marked`: all, if None."""
    marked = [True] * len(rows) if marked is None else marked
    always = {"env_id", "elapsed_step"}
    present = {
        name
        for row, marks in zip(rows, marked, strict=True)
        for name in row
        if marks or name in always
    }
    assert set(infos) == present | {f"_{name}" for name in present}
    for name in present:
        dtype, shape = INFO_LAYOUT[name]
        expected = np.zeros((len(rows), *shape), dtype)
        mask = np.zeros(len(rows), bool)
        for i, row in enumerate(rows):
            if name in row:
                expected[i], mask[i] = row[name], marked[i] or name in always
        assert infos[name].dtype == expected.dtype, name
        np.testing.assert_array_equal(infos[name], expected, err_msg=name)
        np.testing.assert_array_equal(infos[f"_{name}"], mask, err_msg=f"_{name}")
        assert infos[f"_{name}"].dtype == np.bool_


def check_rows(pool: Any, result: tuple[Any, ...], rows: list[Row]) -> None:
    obs, reward, terminated, truncated, infos = result
    infos = dict(infos)
    check_observation(pool.single_observation_space, obs, [row.frame for row in rows])
    for array, expected in (
        (reward, np.array([row.reward for row in rows], np.float64)),
        (terminated, np.array([row.terminated for row in rows], bool)),
        (truncated, np.array([row.truncated for row in rows], bool)),
    ):
        assert array.dtype == expected.dtype
        np.testing.assert_array_equal(array, expected)
    ended = np.array([row.final is not None for row in rows])
    assert ("final_obs" in infos) == ("final_info" in infos) == bool(ended.any())
    if ended.any():
        finals = [row.final for row in rows]
        check_observation(pool.single_observation_space, infos.pop("final_obs"), finals)
        np.testing.assert_array_equal(infos.pop("_final_obs"), ended)
        np.testing.assert_array_equal(infos.pop("_final_info"), ended)
        check_infos(
            infos.pop("final_info"),
            [{} if final is None else final.infos() for final in finals],
        )
    check_infos(
        infos,
        [{"env_id": i, **row.frame.infos()} for i, row in enumerate(rows)],
        [row.marked for row in rows],
    )


@pytest.mark.parametrize("num_threads", [1, 3])
@pytest.mark.parametrize("mode", ["NextStep", "SameStep", "Disabled"])
@pytest.mark.parametrize(("episode_length", "limit"), [(9, 7), (7, 7), (4, 7), (0, 1), (3, -1)])
def test_multi_field(
    make: Make, mode: str, num_threads: int, episode_length: int, limit: int
) -> None:
    num_envs = 5
    pool = make(
        "MultiField",
        num_envs=num_envs,
        num_threads=num_threads,
        autoreset_mode=mode,
        episode_length=episode_length,
        max_episode_steps=limit,
    )
    models = [MultiFieldModel(70 + i, mode, episode_length, limit) for i in range(num_envs)]
    obs, infos = pool.reset(seed=70)
    zeros, falses = np.zeros(num_envs), np.zeros(num_envs, bool)
    check_rows(pool, (obs, zeros, falses, falses, infos), [model.reset() for model in models])
    for step in range(40):
        if models[0].over and mode == "Disabled":
            mask = np.arange(num_envs) % 2 == 0
            for reset_mask in (mask, ~mask):
                obs, infos = pool.reset(options={"reset_mask": reset_mask})
                rows = [
                    model.reset()
                    if reset
                    else Row(Frame(model.frame.token, model.frame.step, False), marked=False)
                    for model, reset in zip(models, reset_mask, strict=True)
                ]
                check_rows(pool, (obs, zeros, falses, falses, infos), rows)
        result = pool.step(np.full(num_envs, step % 2))
        check_rows(pool, result, [model.step() for model in models])


def test_multi_field_subset_out_of_order(make: Make) -> None:
    pool = make("MultiField", num_envs=6)
    models = [MultiFieldModel(i, "NextStep", 9, 7) for i in range(6)]
    pool.reset(seed=0)
    for model in models:
        model.reset()
    ids = np.array([4, 0, 3], np.int32)
    for _ in range(12):
        obs, reward, _, _, infos = pool.step(np.zeros(3, np.int64), ids)
        rows = [models[i].step() for i in ids]
        check_observation(pool.single_observation_space, obs, [row.frame for row in rows])
        np.testing.assert_array_equal(reward, [row.reward for row in rows])
        check_infos(
            infos,
            [{"env_id": i, **row.frame.infos()} for i, row in zip(ids, rows, strict=True)],
        )
    # The others have not moved.
    obs, infos = pool.reset(options={"reset_mask": np.arange(6) == 4})
    np.testing.assert_array_equal(
        infos["elapsed_step"], [models[0].frame.step, 0, 0, models[3].frame.step, 0, 0]
    )


def test_multi_field_spaces(make: Make) -> None:
    pool = make("MultiField", num_envs=3)
    space = pool.single_observation_space
    assert isinstance(space, spaces.Dict)
    int64 = space["signed"]["int64"]
    np.testing.assert_array_equal(int64.low, np.array([-(2**63), INT64_MAX - 4, -1]))
    np.testing.assert_array_equal(int64.high, np.array([INT64_MAX, INT64_MAX, 1]))
    assert int64.low.dtype == int64.dtype == np.int64
    uint64 = space["unsigned"][2]
    assert uint64.high.dtype == np.uint64
    assert [int(bound) for bound in uint64.high] == [MASK64] * 2
    assert space["flags"].dtype == np.bool_
    assert space["float64"].shape == ()
    assert space["discrete"] == spaces.Discrete(5, start=-2)
    assert space["multi_discrete"] == spaces.MultiDiscrete([3, 1, 1_000_000_007])
    assert space["multi_binary"] == spaces.MultiBinary(6)
    np.testing.assert_array_equal(space["float32"].low, [[-1.0, 0.0], [-8.0, 0.25]])
    obs, _ = pool.reset(seed=1)
    assert obs in pool.observation_space
    for _ in range(10):
        assert pool.step(pool.action_space.sample())[0] in pool.observation_space


def test_every_array_is_writable_aligned_and_contiguous(make: Make) -> None:
    pool = make("MultiField", num_envs=3, autoreset_mode="SameStep", episode_length=1)
    pool.reset(seed=0)

    def arrays(tree: Any) -> list[np.ndarray]:
        if isinstance(tree, np.ndarray):
            return [tree]
        values = tree.values() if isinstance(tree, dict) else tree
        return [array for value in values for array in arrays(value)]

    found = arrays(pool.step(np.zeros(3, np.int64)))
    assert len(found) > 40
    for array in found:
        assert array.flags.writeable
        assert array.flags.c_contiguous
        assert array.ctypes.data % 64 == 0
        array[...] = array.dtype.type(1)
    for i, array in enumerate(found):
        for other in found[:i]:
            assert not np.shares_memory(array, other)


BOX_LOW = np.array([[-1.0, -2.0, 0.0], [0.5, -1e300, -0.0]])
BOX_HIGH = np.array([[1.0, 2.0, 0.0], [0.75, 1e300, 1e-300]])

# Task, actions of one environment that must come back exactly.
ECHOES: list[tuple[str, list[Any], str]] = [
    ("MultiDiscreteAction", [[0, 0, 0], [2, 0, 4_999_999_999], [1, 0, 2**32 + 5]], "int64"),
    (
        "BoxAction",
        [BOX_LOW, BOX_HIGH, (BOX_LOW + BOX_HIGH) / 3 * [[1, 1, 1], [1.5, 1, 1]]],
        "float64",
    ),
    ("BoxClip", [[0.0, -1.0, 1.0], [5.0, -7.5, 1e30], [np.inf, -np.inf, 0.1]], "float32"),
    ("BoxInt", [[10, 200, 11, 199], [128, 127, 10, 10]], "uint8"),
    ("BoxLong", [[-(2**63), -3], [INT64_MAX, INT64_MAX - 1], [2**53 + 1, -1]], "int64"),
    ("MultiBinaryAction", [[0, 1, 0, 1, 1], [1, 1, 1, 1, 1]], "int8"),
    ("DiscreteStart", [-3, -2, -1, 0], "int64"),
]


@pytest.mark.parametrize("batch_size", [None, 2], ids=["ordered", "first-ready"])
@pytest.mark.parametrize(("name", "values", "dtype"), ECHOES, ids=[echo[0] for echo in ECHOES])
def test_actions_arrive_exactly(
    make: Make, name: str, values: list[Any], dtype: str, batch_size: int | None
) -> None:
    pool = make(name, num_envs=4, batch_size=batch_size, num_threads=2)
    pool.reset()
    actions = np.array([values[i % len(values)] for i in range(4)], dtype)
    ids = np.array([2, 0], np.int32)
    if batch_size is None:
        obs = pool.step(actions)[0]
        assert obs.dtype == np.dtype(dtype)
        np.testing.assert_array_equal(obs, actions)
        # As bytes: -0.0 and 0.0 differ.
        assert obs.tobytes() == actions.tobytes()
        np.testing.assert_array_equal(pool.step(actions[:2], ids)[0], actions[:2])
        # A view that is not contiguous is read element by element.
        wide = np.repeat(actions, 2, axis=0)[::2]
        np.testing.assert_array_equal(pool.step(wide)[0], actions)
        np.testing.assert_array_equal(pool.step(actions[::-1])[0], actions[::-1])
    else:
        pool.send(actions[:2], ids)
        obs, _, _, _, infos = pool.recv(60)
        for row, env_id in enumerate(infos["env_id"]):
            np.testing.assert_array_equal(obs[row], actions[list(ids).index(env_id)])
    if name == "DiscreteStart":
        return
    assert pool.single_action_space == pool.single_observation_space


def test_a_list_is_an_action_too(make: Make) -> None:
    pool = make("DiscreteStart", num_envs=2)
    pool.reset()
    np.testing.assert_array_equal(pool.step([-3, 0])[0], [-3, 0])
    pool = make("BoxAction", num_envs=1)
    pool.reset()
    np.testing.assert_array_equal(pool.step([BOX_LOW.tolist()])[0], [BOX_LOW])


def edited(values: Any, dtype: str, index: Any, value: Any) -> np.ndarray:
    array = np.array([values, values], dtype)
    array[(1, *np.atleast_1d(index))] = value
    return array


BAD_ACTIONS: list[tuple[str, Any, type[Exception]]] = [
    ("MultiDiscreteAction", edited([0, 0, 0], "int64", 0, 3), InputError),
    ("MultiDiscreteAction", edited([0, 0, 0], "int64", 1, 1), InputError),
    ("MultiDiscreteAction", edited([0, 0, 0], "int64", 2, 5_000_000_000), InputError),
    ("MultiDiscreteAction", edited([0, 0, 0], "int64", 2, -1), InputError),
    ("MultiDiscreteAction", np.zeros((2, 2), np.int64), InputError),
    ("MultiDiscreteAction", np.zeros((3, 3), np.int64), InputError),
    ("MultiDiscreteAction", np.zeros((2, 3), np.float64), InputTypeError),
    ("BoxAction", edited(BOX_LOW, "float64", (0, 0), -1.0000000000000002), InputError),
    ("BoxAction", edited(BOX_LOW, "float64", (0, 2), 5e-324), InputError),
    ("BoxAction", edited(BOX_LOW, "float64", (1, 0), 0.7500000000000001), InputError),
    ("BoxAction", edited(BOX_LOW, "float64", (1, 1), np.inf), InputError),
    ("BoxAction", edited(BOX_LOW, "float64", (1, 1), np.nan), InputError),
    ("BoxAction", np.zeros((2, 3, 2)), InputError),
    ("BoxAction", np.zeros((2, 6)), InputError),
    ("BoxAction", np.array([["a"] * 3] * 2), InputTypeError),
    ("BoxAction", np.zeros((2, 2, 3), np.complex128), InputTypeError),
    ("BoxClip", edited([0, 0, 0], "float32", 1, np.nan), InputError),
    ("BoxInt", edited([10] * 4, "uint8", 3, 9), InputError),
    ("BoxInt", edited([10] * 4, "uint8", 3, 201), InputError),
    ("BoxLong", edited([0, 0], "int64", 1, INT64_MAX), InputError),
    ("BoxLong", edited([0, 0], "int64", 1, -4), InputError),
    ("MultiBinaryAction", edited([0] * 5, "int8", 4, 2), InputError),
    ("MultiBinaryAction", edited([0] * 5, "int8", 4, -1), InputError),
    ("DiscreteStart", np.array([0, 1]), InputError),
    ("DiscreteStart", np.array([0, -4]), InputError),
    ("DiscreteStart", np.array([0, -(2**63)]), InputError),
    ("DiscreteStart", np.array([0.0, -1.0]), InputTypeError),
    ("DiscreteStart", np.zeros((2, 1), np.int64), InputError),
    ("DiscreteStart", np.int64(0), InputError),
    ("DiscreteStart", "ab", InputTypeError),
    ("DiscreteStart", None, InputTypeError),
    ("DiscreteStart", np.array([0, None]), InputTypeError),
]


@pytest.mark.parametrize(
    ("name", "actions", "error"),
    BAD_ACTIONS,
    ids=[f"{name}-{i}" for i, (name, _, _) in enumerate(BAD_ACTIONS)],
)
def test_bad_actions_change_nothing(
    make: Make, name: str, actions: Any, error: type[Exception]
) -> None:
    good = next(values[0] for echo, values, _ in ECHOES if echo == name)
    dtype = next(dtype for echo, _, dtype in ECHOES if echo == name)
    pool = make(name, num_envs=2)
    pool.reset()
    before = pool.stats()["steps"]
    for call in (pool.step, pool.send):
        with pytest.raises(error, match="action") as caught:
            call(actions)
        assert type(caught.value) is error
    assert pool.stats()["steps"] == before
    rows = np.array([good, good], dtype)
    np.testing.assert_array_equal(pool.step(rows)[0], rows)


def test_options_of_every_type(make: Make) -> None:
    pool = make(
        "Counter",
        num_envs=2,
        episode_length=5,
        draws=False,
        scale=2,  # an int is taken for a float
        sign="negative",
        label="größe",
        increments=np.array([1, 10]),
        weights=(0.5, 0.25),
    )
    pool.reset(seed=0)
    counts = []
    for step in range(1, 6):
        obs, reward, terminated, _, infos = pool.step([0, 1])
        counts.append(int(obs[0, 0]))
        np.testing.assert_array_equal(reward, [-2.0 * counts[-1] + 0.75] * 2)
        np.testing.assert_array_equal(terminated, [step == 5] * 2)
        np.testing.assert_array_equal(infos["label_bytes"], [len("größe".encode())] * 2)
        np.testing.assert_array_equal(obs[:, 2], [0, 0])
    assert counts == [1, 11, 12, 22, 23]


@pytest.mark.parametrize("one", [0.5, 2], ids=str)
def test_one_number_for_a_list(make: Make, one: float) -> None:
    pools = [make("Counter", weights=weights) for weights in (one, [one])]
    for pool in pools:
        pool.reset(seed=0)
    rewards = [pool.step([0])[1] for pool in pools]
    np.testing.assert_array_equal(rewards, [[1.0 + one]] * 2)


@pytest.mark.parametrize("mode", ["NextStep", "SameStep", "Disabled"])
@pytest.mark.parametrize(
    ("options", "length", "ends"),
    [
        ({"truncates_at": 4}, 4, (False, True)),
        ({"truncates_at": 4, "episode_length": 4}, 4, (True, True)),
        ({"truncates_at": 4, "max_episode_steps": 4}, 4, (False, True)),
        ({"truncates_at": 4, "max_episode_steps": 3}, 3, (False, True)),
        ({"truncates_at": 12}, 10, (True, False)),
    ],
    ids=str,
)
def test_an_environment_truncates_by_itself(
    make: Make, mode: str, options: dict[str, Any], length: int, ends: tuple[bool, bool]
) -> None:
    pool = make("Counter", num_envs=2, autoreset_mode=mode, **options)
    pool.reset(seed=0)
    for _ in range(2):
        for step in range(1, length + 1):
            _, _, terminated, truncated, infos = pool.step([0, 0])
            assert (terminated[0], truncated[0]) == (ends if step == length else (False, False))
        if mode == "NextStep":
            infos = pool.step([0, 0])[4]
        elif mode == "Disabled":
            infos = pool.reset()[1]
        else:
            assert infos["final_info"]["elapsed_step"].tolist() == [length] * 2
        assert infos["elapsed_step"].tolist() == [0, 0]
    assert pool.stats()["episodes"] == 4


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"episode_lenght": 3}, OptionError, ["episode_lenght", "episode_length"]),
        ({"episode_length": -1}, OptionError, ["episode_length", "-1"]),
        ({"episode_length": 10**13}, OptionError, ["episode_length"]),
        ({"episode_length": 10**30}, OptionError, ["episode_length"]),
        ({"episode_length": 1.0}, OptionTypeError, ["episode_length", "int", "float"]),
        ({"episode_length": True}, OptionTypeError, ["episode_length", "int", "bool"]),
        ({"episode_length": None}, OptionTypeError, ["episode_length"]),
        ({"draws": 1}, OptionTypeError, ["draws", "bool"]),
        ({"scale": True}, OptionTypeError, ["scale", "float"]),
        ({"scale": "1"}, OptionTypeError, ["scale", "float"]),
        ({"scale": 100.5}, OptionError, ["scale", "100"]),
        ({"scale": float("nan")}, OptionError, ["scale"]),
        ({"sign": "negativ"}, OptionError, ["sign", "negative"]),
        ({"label": b"bytes"}, OptionTypeError, ["label", "str"]),
        ({"label": "\ud800"}, OptionError, ["label"]),
        ({"increments": [1, -2]}, OptionError, ["increments", "-2"]),
        ({"increments": [1, 2.5]}, OptionTypeError, ["increments"]),
        ({"increments": []}, OptionError, ["increments"]),
        ({"increments": 3}, OptionTypeError, ["increments"]),
        ({"episode_length": np.array([1, 2])}, OptionTypeError, ["episode_length", "list of int"]),
        ({"episode_length": np.array(1.0)}, OptionTypeError, ["episode_length"]),
        ({"weights": np.array(["a"])}, OptionTypeError, ["weights"]),
        ({"weights": ["a"]}, OptionTypeError, ["weights"]),
        ({"weights": "a"}, OptionTypeError, ["weights", "float or list of float"]),
        ({"weights": True}, OptionTypeError, ["weights", "float or list of float", "bool"]),
        ({"weights": float("nan")}, OptionError, ["weights"]),
        ({"weights": [1.0, float("nan")]}, OptionError, ["weights"]),
    ],
    ids=str,
)
def test_bad_options(
    make: Make, options: dict[str, Any], error: type[Exception], words: list[str]
) -> None:
    with pytest.raises(error) as caught:
        make("Counter", **options)
    assert type(caught.value) is error
    for word in words:
        assert word in str(caught.value)


def test_reset_options(make: Make) -> None:
    pool = make("Counter", num_envs=8, episode_length=2)
    obs, _ = pool.reset(seed=3, options={"low": 5, "high": 7})
    expected = [np.random.default_rng(3 + i).integers(5, 7, endpoint=True) for i in range(8)]
    np.testing.assert_array_equal(obs[:, 1], expected)
    # An autoreset takes the defaults, as Gymnasium's does.
    for _ in range(3):
        obs, *_ = pool.step(np.zeros(8, np.int64))
    assert obs[:, 1].max() > 7
    obs, _ = pool.reset(env_id=[1], seed=[9], options={"low": -4, "high": -4})
    np.testing.assert_array_equal(obs[:, 1], [-4])


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"lo": 1}, OptionError, ["lo", "low"]),
        ({"low": 1.5}, OptionTypeError, ["low", "int"]),
        ({"low": 9, "high": 8}, OptionError, ["low", "high"]),
        ({1: 2}, OptionTypeError, []),
    ],
    ids=str,
)
def test_bad_reset_options_change_nothing(
    make: Make, options: dict[Any, Any], error: type[Exception], words: list[str]
) -> None:
    pools = [make("Counter", num_envs=3) for _ in range(2)]
    for pool in pools:
        pool.reset(seed=1)
    with pytest.raises(error) as caught:
        pools[0].reset(seed=2, options=options)
    for word in words:
        assert word in str(caught.value)
    for _ in range(4):
        a, b = (pool.step(np.zeros(3, np.int64))[0] for pool in pools)
        np.testing.assert_array_equal(a, b)


def test_infos_of_a_reset_by_mask_are_marked_where_it_resets(make: Make) -> None:
    pool = make("Counter", num_envs=3, label="four", autoreset_mode="Disabled")
    pool.reset()
    mask = np.array([False, True, False])
    infos = pool.reset(options={"reset_mask": mask})[1]
    np.testing.assert_array_equal(infos["_label_bytes"], mask)
    np.testing.assert_array_equal(infos["label_bytes"], [4, 4, 4])
    np.testing.assert_array_equal(infos["_env_id"], [True] * 3)
    assert pool.step([0, 0, 0])[4]["_label_bytes"].all()


def test_counter_draws_what_numpy_draws(make: Make) -> None:
    pool = make("Counter", num_envs=3, episode_length=4)
    obs, _ = pool.reset(seed=[2**64 - 1, None, 17])
    pool.reset(env_id=[1], seed=[5])
    rngs = [np.random.default_rng(seed) for seed in (2**64 - 1, 5, 17)]
    at_reset = [rng.integers(0, 1_000_000, endpoint=True) for rng in rngs]
    np.testing.assert_array_equal(obs[[0, 2], 1], [at_reset[0], at_reset[2]])
    for step in range(1, 11):
        obs, *_ = pool.step([0, 0, 0])
        if step % 5 == 0:  # four steps, then the reset of NextStep
            at_reset = [rng.integers(0, 1_000_000, endpoint=True) for rng in rngs]
            drawn = [0, 0, 0]
        else:
            drawn = [int(rng.integers(2**62)) for rng in rngs]
        np.testing.assert_array_equal(obs, np.stack([[step % 5] * 3, at_reset, drawn], axis=1))


def test_plug_in_tasks_are_like_any_other(testing: Any) -> None:
    del testing  # importing it has registered them
    tasks = envpool_py.list_all_envs()
    assert "Testing/Counter-v0" in tasks
    assert tasks == sorted(tasks)
    with pytest.raises(UnknownTaskError, match="Testing/Counter-v0"):
        envpool_py.make("Testing/Conter-v0")
    with envpool_py.make("Testing/Counter-v0", num_envs=2, seed=4) as pool:
        assert pool.spec.reward_threshold == 42.5
        assert isinstance(pool, gymnasium.vector.VectorEnv)
