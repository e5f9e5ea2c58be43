"""Leaves, rows and comparison of results and actions of any space."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from envpool_py.pool import trees
from envpool_py.tasks.spec import make_spec

__all__ = [
    "Actions",
    "assert_equal",
    "assert_layout",
    "bounds_of",
    "info_row",
    "leaves",
    "rounds_of_recv",
    "row",
    "rows",
    "with_characters",
]

_LONGEST = 1024  # characters of a text
_MOST_ROUNDS = 100_000

# Replaces the bounds of unbounded boxes.
_WIDEST = 1e6


def leaves(nested: Any, *, texts: bool = True) -> dict[str, Any]:
    """Returns the arrays of a result by their path, depth first.

    If `texts` is set, texts are included as arrays of their characters, (n, longest).
    """
    return {
        "".join(f"[{key!r}]" for key in path): (
            _characters(leaf, _LONGEST) if trees.is_texts(leaf) else leaf
        )
        for path, leaf in trees.leaves(nested)
        if texts or not trees.is_texts(leaf)
    }


def _characters(texts: tuple[str, ...], length: int) -> NDArray[np.uint8]:
    return np.array(texts, f"S{length}").view(np.uint8).reshape(len(texts), length)


def with_characters(space: Any, observation: Any) -> Any:
    """Returns a batch in which texts are arrays of characters, as `env_type="dm"` has them."""
    if isinstance(space, spaces.Dict):
        return {
            name: with_characters(child, observation[name]) for name, child in space.spaces.items()
        }
    if isinstance(space, spaces.Tuple):
        return tuple(map(with_characters, space.spaces, observation))
    if isinstance(space, spaces.Text):
        return _characters(observation, space.max_length)
    return observation


def row(nested: Any, index: Any) -> tuple[bytes, ...]:
    """Returns one row of every leaf, as bytes."""
    return tuple(np.ascontiguousarray(leaf[index]).tobytes() for leaf in leaves(nested).values())


def rows(nested: Any, index: Any) -> Any:
    """Returns some rows of every leaf, in the same structure."""
    return trees.map_leaves(
        lambda leaf: tuple(np.array(leaf, object)[index]) if trees.is_texts(leaf) else leaf[index],
        nested,
    )


def info_row(infos: dict[str, Any], index: Any) -> tuple[tuple[str, bytes], ...]:
    """Returns the infos that the environment of a row has set, as names and bytes."""
    apart = {"env_id", "final_obs", "final_info"}
    return tuple(
        (name, np.ascontiguousarray(infos[name][index]).tobytes())
        for name in sorted(infos)
        if not name.startswith("_") and name not in apart and infos["_" + name][index]
    )


def assert_equal(left: Any, right: Any, what: str) -> None:
    """Asserts that two results are equal; the message names the first path that differs."""
    ours, theirs = leaves(left), leaves(right)
    if ours.keys() != theirs.keys():
        only = sorted(ours.keys() ^ theirs.keys())
        raise AssertionError(f"{what}: only one of the two results has {', '.join(only)}")
    for place, a in ours.items():
        b = theirs[place]
        if a.dtype != b.dtype or a.shape != b.shape:
            raise AssertionError(f"{what}: {place} is {a.dtype} {a.shape} and {b.dtype} {b.shape}")
        same = (a == b) | ((a != a) & (b != b))
        if not same.all():
            index = tuple(int(number[0]) for number in np.nonzero(~same))
            raise AssertionError(
                f"{what}: {place}{list(index)} is {a[index]} and {b[index]} "
                f"({int((~same).sum())} of {same.size} elements differ)"
            )


def assert_layout(space: gymnasium.Space[Any], observation: Any, count: int) -> None:
    """Asserts nesting, dtypes and shapes of a batch with `count` rows."""
    _assert_layout(space, observation, count, "observation")


def _assert_layout(space: Any, value: Any, count: int, place: str) -> None:
    if isinstance(space, spaces.Dict):
        assert type(value) is dict, f"{place}: expected a dict, got {type(value).__name__}"
        assert value.keys() == space.spaces.keys(), f"{place}: {[*value]}, {[*space.spaces]}"
        for name, child in space.spaces.items():
            _assert_layout(child, value[name], count, f"{place}[{name!r}]")
    elif isinstance(space, spaces.Tuple):
        assert type(value) is tuple, f"{place}: expected a tuple, got {type(value).__name__}"
        assert len(value) == len(space.spaces), f"{place}: {len(value)} parts"
        for index, (child, part) in enumerate(zip(space.spaces, value, strict=True)):
            _assert_layout(child, part, count, f"{place}[{index}]")
    elif isinstance(space, spaces.Text):
        assert type(value) is tuple, f"{place}: expected a tuple, got {type(value).__name__}"
        kinds = [type(text).__name__ for text in value]
        assert kinds == ["str"] * count, f"{place}: expected {count} str, got {kinds}"
    else:
        assert type(value) is np.ndarray, f"{place}: expected an array, got {type(value).__name__}"
        expected = (space.dtype, (count, *space.shape))
        assert (value.dtype, value.shape) == expected, (
            f"{place}: expected {expected[0]} {expected[1]}, got {value.dtype} {value.shape}"
        )


class Actions:
    """Valid random actions for some environments over some steps, as arrays of the space's dtype.

    Each leaf of the action space has an array (steps, num_envs, ...), or (steps, num_envs,
    num_players, ...) if the task has players. An index selects from all of these arrays;
    `actions[step]` is a batch for all environments.
    """

    def __init__(self, task_id: str, steps: int, num_envs: int, seed: int = 0) -> None:
        rng = np.random.default_rng(seed)
        self._steps = steps
        spec = make_spec(task_id)
        shape = (steps, num_envs) if spec.players is None else (steps, num_envs, spec.num_players)
        self._all = _sample(spec.action_space, shape, rng)

    def __getitem__(self, index: Any) -> Any:
        return rows(self._all, index)

    def __iter__(self) -> Iterator[Any]:
        return (self[step] for step in range(self._steps))


def _sample(space: Any, shape: tuple[int, ...], rng: np.random.Generator) -> Any:
    # Gymnasium's `sample` overflows for bounds at the ends of int64.
    if isinstance(space, spaces.Dict):
        return {name: _sample(child, shape, rng) for name, child in space.spaces.items()}
    if isinstance(space, spaces.Tuple):
        return tuple(_sample(child, shape, rng) for child in space.spaces)
    low, high = bounds_of(space)
    whole = (*shape, *low.shape)
    if low.dtype.kind == "f":
        wide = np.maximum(low, -_WIDEST).astype(float), np.minimum(high, _WIDEST).astype(float)
        return np.clip(rng.uniform(*wide, whole).astype(low.dtype), low, high)
    if low.dtype == np.bool_:
        return (rng.random(whole) < 0.5) & high | low
    return rng.integers(low, high, whole, dtype=low.dtype.type, endpoint=True)


def bounds_of(space: Any) -> tuple[NDArray[Any], NDArray[Any]]:
    """Returns the inclusive bounds of a space without children, as arrays of its dtype."""
    if isinstance(space, spaces.Box):
        return space.low, space.high
    if isinstance(space, spaces.Discrete):
        return (
            np.asarray(space.start, space.dtype),
            np.asarray(int(space.start) + int(space.n) - 1, space.dtype),
        )
    if isinstance(space, spaces.MultiDiscrete):
        start = np.asarray(space.start)
        return start, start + space.nvec - 1
    assert isinstance(space, spaces.MultiBinary), f"{space} is no space of a task"
    return np.zeros(space.shape, space.dtype), np.ones(space.shape, space.dtype)


def rounds_of_recv(least: int, steps: NDArray[Any]) -> Iterator[None]:
    """Yields `least` times or more, until every environment has a step in `steps`.

    On a loaded machine a worker may not run while the others step their environments many times.
    """
    for number in range(_MOST_ROUNDS):
        if number >= least and steps.min() >= 1:
            return
        yield
