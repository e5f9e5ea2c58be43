"""The engine's handlers as JAX primitives.

A primitive takes the state of a pool and arrays, and returns the next state and arrays. It has a
side effect, so it runs exactly once for each time that the program reaches it. It cannot be
vectorised or differentiated.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir

from envpool_py.errors import InputError
from envpool_py.pool import core

__all__ = ["STATE_SHAPE", "Shape", "bind"]

STATE_SHAPE = (4,)
# XLA's names of JAX's platforms.
_XLA_PLATFORMS = {"cpu": "cpu", "cuda": "CUDA"}


@dataclass(frozen=True)
class Shape:
    """Shape and dtype of a result; hashable."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]


def bind(
    name: str,
    args: Sequence[Any],
    stamp: int,
    fields: tuple[int, ...],
    results: tuple[Shape, ...],
    buffers: int = 0,
) -> list[Any]:
    """Calls a handler.

    Args:
        name: "reset", "step", "send" or "recv".
        args: arguments of the handler; see `engine/xla/handlers.h`. The state is the first one.
        stamp: stamp of the layout of the pool's results.
        fields: the index in the layout of each result after the state.
        results: shapes of these results.
        buffers: number of buffers. They are the last arguments and the last results; the handler
            writes a part of each.

    Returns:
        The next state, then the results.
    """
    if any(isinstance(arg, jax.core.Tracer) for arg in args):
        # A constant without elements in shard_map crashes the compiler of jaxlib 0.11.2. In a
        # program they are made by an operation; otherwise that would take longer than the call.
        args = [jnp.zeros(arg.shape, arg.dtype) if _is_empty(arg) else arg for arg in args]
    primitive = _primitives()[name]
    made: list[Any] = primitive.bind(
        *args, stamp=stamp, fields=fields, results=results, buffers=buffers
    )
    axes = _axes_of(args[0])
    return [_varying(array, axes) for array in made] if axes else made


def _is_empty(arg: Any) -> bool:
    """Whether an argument means "not given"."""
    return isinstance(arg, np.ndarray) and arg.size == 0


@functools.cache
def _primitives() -> dict[str, Primitive]:
    handlers = core.xla_handlers()
    for platform, by_name in handlers.items():
        for name, handler in by_name.items():
            jax.ffi.register_ffi_target(_target(name), handler, platform=_XLA_PLATFORMS[platform])
    return {name: _primitive(name) for name in handlers["cpu"]}


def _target(name: str) -> str:
    return f"envpool_py_{name}"


def _primitive(name: str) -> Primitive:
    primitive = Primitive(_target(name))
    primitive.multiple_results = True
    effects = _side_effect()

    def abstract_eval(
        *args: Any,
        stamp: int,
        fields: tuple[int, ...],
        results: tuple[Shape, ...],
        buffers: int,
    ) -> tuple[list[Any], Any]:
        del args, stamp, fields, buffers
        state = Shape(STATE_SHAPE, np.dtype(np.uint32))
        avals = [jax.core.ShapedArray(made.shape, made.dtype) for made in (state, *results)]
        return avals, effects

    primitive.def_effectful_abstract_eval(abstract_eval)
    primitive.def_impl(functools.partial(_run, primitive))
    for platform in _XLA_PLATFORMS:
        mlir.register_lowering(primitive, functools.partial(_lower, name), platform=platform)
    batching.primitive_batchers[primitive] = functools.partial(_refuse_vmap, name)
    ad.primitive_jvps[primitive] = functools.partial(_refuse_gradient, name)
    return primitive


def _side_effect() -> frozenset[Any]:
    """Returns JAX's effect of foreign calls. JAX allows this effect inside loops and branches."""
    call = jax.ffi.ffi_call(
        _target("step"), jax.ShapeDtypeStruct((), np.float32), has_side_effect=True
    )
    return frozenset(jax.make_jaxpr(call)().effects)


def _axes_of(state: Any) -> tuple[Any, ...]:
    """Returns the axes of the mesh over which a state varies; () outside of shard_map."""
    if not hasattr(jax, "typeof"):
        return ()
    aval = jax.typeof(state)
    kind = getattr(aval, "mat", None)
    return tuple(getattr(aval, "vma", ()) if kind is None else kind.varying)


def _varying(array: Any, axes: tuple[Any, ...]) -> Any:
    if hasattr(jax.lax, "pcast"):
        return jax.lax.pcast(array, axes, to="varying")
    return jax.lax.pvary(array, axes)


def _lower(
    name: str, context: Any, *args: Any, stamp: int, fields: Any, results: Any, buffers: int
) -> Any:
    # XLA places each buffer's result in the memory of its argument.
    same = {len(args) - 1 - i: len(results) - i for i in range(buffers)}
    rule = jax.ffi.ffi_lowering(
        _target(name), has_side_effect=True, operand_output_aliases=same or None
    )
    return rule(context, *args, fields=np.array([stamp, buffers, *fields], np.int64))


def _run(primitive: Primitive, *args: Any, **parameters: Any) -> Any:
    """Evaluates a primitive outside of `jit`, as a separately compiled program."""
    return _compiled(primitive, tuple(sorted(parameters.items())))(*args)


@functools.lru_cache(maxsize=1024)
def _compiled(primitive: Primitive, parameters: tuple[tuple[str, Any], ...]) -> Any:
    return jax.jit(functools.partial(primitive.bind, **dict(parameters)))


def _refuse_vmap(name: str, *_: Any, **__: Any) -> NoReturn:
    raise InputError(
        f"{name}: cannot be called under jax.vmap: a pool already steps its environments "
        "together. Make a pool with more environments, and apply jax.vmap only to functions of "
        "one row, such as the policy"
    )


def _refuse_gradient(name: str, *_: Any, **__: Any) -> NoReturn:
    raise InputError(
        f"{name}: the environments cannot be differentiated. Pass jax.lax.stop_gradient(actions)"
    )
