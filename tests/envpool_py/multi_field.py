"""A model of Testing/MultiField-v0: the expected observations and infos, field by field."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from gymnasium import spaces

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
    """Returns the shape, the dtype, and the least and greatest elements of a leaf space."""
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
        """Returns the info fields that this frame has."""
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
    marked: bool = True  # whether the masks of infos mark this row's own fields


class MultiFieldModel:
    """Simulates one environment of MultiField-v0 in one of the autoreset modes."""

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
    """Compares infos with `rows`, the fields of each row and their values.

    `marked` tells for each row whether the masks mark its fields; None: they mark all.
    """
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
