"""The functions of a pool for compiled programs, independent of the form of their results."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from envpool_py.errors import InputError, InputTypeError
from envpool_py.jax.calls import STATE_SHAPE, Shape, bind
from envpool_py.jax.layout import Layout
from envpool_py.jax.seeds import seeds_of
from envpool_py.pool.base import PoolBase
from envpool_py.pool.core import engine_core_of

__all__ = ["Functions"]

_DTYPES = frozenset(np.dtype(letter) for letter in "?bhilqBHILQfd")
_NO_IDS = np.zeros(0, np.int32)


class Functions:
    """`reset`, `step`, `send` and `recv` of a pool, as functions of a state and arrays.

    The functions depend on the task, its settings and the number of environments, but not on the
    pool, which a state identifies. Results are trees of `layout`.

    Attributes:
        layout: layout of the pool's batches.
        restart: a state with which a reset may begin at any time, uint32 (4,).
    """

    def __init__(self, pool: PoolBase, reset_options: Mapping[str, Any] | None) -> None:
        if not pool.capabilities.can_share_with_xla:
            raise InputTypeError(
                f"pool: {pool!r} cannot be part of a compiled program, because its environments "
                'are written in Python or it has render_mode="rgb_array_list"; call it through '
                "jax.experimental.io_callback"
            )
        core = engine_core_of(pool)
        shared = core.share_with_xla(dict(reset_options or {}))
        task = pool.task.description
        self.layout = Layout(shared, task["observation"])
        self._engine = core
        self.restart = np.array(shared["restart"], np.uint32)
        self._action = task["action"]
        self._num_envs = pool.num_envs
        self._max_seed = int(shared["max_seed"])
        self._batch_size = pool.batch_size

    def state(self) -> jax.Array:
        """Returns the state that the next call of this pool expects."""
        return jnp.asarray(np.array(self._engine.xla_state(), np.uint32))

    def reset(self, state: Any, key: Any, seed: Any, mask: Any, tree: Any) -> tuple[Any, Any]:
        """Resets environments; returns the next state and the results, a row per environment.

        If `state` is None, the reset starts from `restart`.
        """
        seeds = seeds_of(key, seed, self._num_envs, self._max_seed)
        rows = self._num_envs
        if mask is None:
            mask = np.zeros(0, np.bool_)
        elif np.shape(mask) != (self._num_envs,) or jnp.result_type(mask) != np.bool_:
            raise InputError(
                f"mask: expected bool {(self._num_envs,)}, got {jnp.result_type(mask)} "
                f"{np.shape(mask)}"
            )
        state = self.restart if state is None else _checked(state)
        return self._call("reset", [state, seeds, mask], tree, rows)

    def step(self, state: Any, actions: Any, env_id: Any, tree: Any) -> tuple[Any, Any]:
        """Steps environments; returns the next state and the results."""
        leaves, ids, rows = self._actions(actions, env_id)
        args = [_checked(state), *leaves, ids]
        return self._call("step", args, tree, self._step_rows(rows))

    def step_into(
        self, state: Any, actions: Any, env_id: Any, tree: Any, buffers: tuple[Any, Any, Any]
    ) -> tuple[Any, Any, Any]:
        """Steps environments, and writes some results into element t of buffers.

        Args:
            state: the state after the latest call.
            actions: a row per environment.
            env_id: ids, or None.
            tree: tree of the other results.
            buffers: (the tree of the results that go to buffers, the buffers in the same form, t).

        Returns:
            The next state, the other results, and the buffers.
        """
        leaves, ids, rows = self._actions(actions, env_id)
        names, structure = jax.tree.flatten(tree)
        into, arrays, t = buffers
        into_names, into_structure = jax.tree.flatten(into)
        shapes = self.layout.results(into_names, self._step_rows(rows))
        given = [
            _buffer(array, shape)
            for array, shape in zip(into_structure.flatten_up_to(arrays), shapes, strict=True)
        ]
        made = bind(
            "step",
            [_checked(state), *leaves, ids, jnp.asarray(t, np.int32), *given],
            self.layout.stamp,
            self.layout.indices([*names, *into_names]),
            (
                *self.layout.results(names, self._step_rows(rows)),
                *(Shape(array.shape, array.dtype) for array in given),
            ),
            buffers=len(given),
        )
        end = 1 + len(names)
        return (
            made[0],
            jax.tree.unflatten(structure, made[1:end]),
            jax.tree.unflatten(into_structure, made[end:]),
        )

    def _step_rows(self, rows: int) -> int:
        return self._batch_size if self._batch_size < self._num_envs else rows

    def send(self, state: Any, actions: Any, env_id: Any) -> Any:
        """Starts a step of environments; returns the next state."""
        leaves, ids, _ = self._actions(actions, env_id)
        return self._call("send", [_checked(state), *leaves, ids], (), 0)[0]

    def recv(self, state: Any, tree: Any) -> tuple[Any, Any]:
        """Waits for the next results of `send`; returns the next state and the results."""
        return self._call("recv", [_checked(state)], tree, self._batch_size)

    def wide(self, actions: Any) -> bool:
        """Whether infos with the dtype of the actions are float64, as in Python.

        They are, unless the actions are float32 or JAX has no 64-bit types.
        """
        if not jax.config.jax_enable_x64:
            return False
        return any(jnp.result_type(leaf) != np.float32 for leaf in jax.tree.leaves(actions))

    def _call(self, name: str, args: list[Any], tree: Any, rows: int) -> tuple[Any, Any]:
        names, structure = jax.tree.flatten(tree)
        made = bind(
            name,
            args,
            self.layout.stamp,
            self.layout.indices(names),
            self.layout.results(names, rows),
        )
        return made[0], jax.tree.unflatten(structure, made[1:])

    def _actions(self, actions: Any, env_id: Any) -> tuple[list[Any], Any, int]:
        """Returns the leaves of actions, the ids, and the number of rows."""
        ids, rows = _NO_IDS, self._num_envs
        if env_id is not None:
            ids = jnp.asarray(env_id)
            if ids.ndim != 1 or not ids.size or not jnp.issubdtype(ids.dtype, np.integer):
                raise InputError(
                    f"env_id: expected integers (n,), n at least 1, got {ids.dtype} {ids.shape}"
                )
            rows = ids.shape[0]
        leaves: list[Any] = []
        _flatten(self._action, actions, "actions", leaves)
        return [_leaf(value, name, (rows, *shape)) for value, name, shape in leaves], ids, rows


def _checked(state: Any) -> Any:
    if np.shape(state) == STATE_SHAPE and jnp.result_type(state) == np.uint32:
        return state
    raise InputError(
        f"state: expected uint32 {STATE_SHAPE}, as reset returns it, got "
        f"{jnp.result_type(state)} {np.shape(state)}"
    )


def _buffer(array: Any, element: Shape) -> Any:
    array = jnp.asarray(array)
    if array.ndim and array.shape[1:] == element.shape and array.dtype == element.dtype:
        return array
    raise InputError(
        f"buffers: expected {element.dtype} {('T', *element.shape)}, got {array.dtype} "
        f"{array.shape}"
    )


def _flatten(space: Mapping[str, Any], value: Any, name: str, leaves: list[Any]) -> None:
    """Adds (array, name, shape of a row) for each leaf, in the engine's order."""
    kind = space["kind"]
    if kind == "dict":
        for key, child in space["children"]:
            if not isinstance(value, Mapping) or key not in value:
                raise InputTypeError(f'{name}: expected a mapping with "{key}", got {value!r}')
            _flatten(child, value[key], f'{name}["{key}"]', leaves)
    elif kind == "tuple":
        children = space["children"]
        if not isinstance(value, (tuple, list)) or len(value) != len(children):
            raise InputTypeError(f"{name}: expected a tuple of {len(children)}, got {value!r}")
        for index, (child, part) in enumerate(zip(children, value, strict=True)):
            _flatten(child, part, f"{name}[{index}]", leaves)
    else:
        shape = () if kind == "discrete" else tuple(space["shape"])
        leaves.append((value, name, shape))


def _leaf(value: Any, name: str, shape: tuple[int, ...]) -> Any:
    try:
        array = jnp.asarray(value)
    except TypeError as error:
        raise InputTypeError(f"{name}: expected an array, got {value!r}") from error
    if array.shape != shape:
        raise InputError(f"{name}: expected the shape {shape}, got {array.shape}")
    if array.dtype in _DTYPES:
        return array
    if jnp.issubdtype(array.dtype, np.floating):  # a type of at most 16 bits
        return array.astype(np.float32)
    raise InputTypeError(f"{name}: expected numbers, got {array.dtype}")
