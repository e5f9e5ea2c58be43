"""The Python functions that the engine calls in the process of the environments.

`PythonHosting` in `engine/bindings/python_envs/python_group.h` lists the functions. All of them run
with the GIL, in the thread that steps.
"""

from __future__ import annotations

import contextlib
import copy
import pickle
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

from envpool_py.errors import InputError, InputTypeError
from envpool_py.python_envs import pickling
from envpool_py.python_envs.infos import add_info
from envpool_py.python_envs.overlap import OverlapJudge, gil_is_disabled
from envpool_py.python_envs.returned import shown, unexpected
from envpool_py.python_envs.space_trees import Tree, tree_of
from envpool_py.python_envs.states import HostedEnv

__all__ = [
    "OTHER_SPACES",
    "EnvFn",
    "Hosting",
    "LocalHosting",
    "MethodCall",
    "check_env",
    "class_names",
    "describe",
]

EnvFn = Callable[[], gymnasium.Env[Any, Any]]


@dataclass(frozen=True)
class MethodCall:
    """A call of a method of environments, or reading or setting one of their attributes.

    Attributes:
        name: name as for `gymnasium.Env.get_wrapper_attr`.
        args, kwargs: arguments of the method.
        values: the new values of the attribute, one per environment of the pool. None: a call, or
            reading the attribute.
        function: function to call with the environment, instead of a method.
        on_state: function of `envpool_py.python_envs.states` to call instead of a method.
    """

    name: str
    args: tuple[Any, ...] = ()
    kwargs: dict[str, Any] | None = None
    values: Sequence[Any] | None = None
    function: Callable[[gymnasium.Env[Any, Any]], Any] | None = None
    on_state: Callable[[gymnasium.Env[Any, Any], HostedEnv, dict[int, Any]], Any] | None = None


OTHER_SPACES = MethodCall("")
"""The call whose result is an environment's (observation space, action space) if they are not those
of environment 0, otherwise None."""


class Hosting:
    """The environments of one process, and the engine's functions."""

    def __init__(
        self,
        env_fns: Sequence[EnvFn] | dict[int, EnvFn],
        observation_space: gymnasium.Space[Any],
        action_space: gymnasium.Space[Any],
        *,
        made: dict[int, gymnasium.Env[Any, Any]] | None = None,
    ) -> None:
        """Keeps the functions; the engine calls `make` for each of its environments.

        Args:
            env_fns: functions that make environments, by the environment's id.
            observation_space: the observation space of environment 0.
            action_space: the action space of environment 0.
            made: environments that exist already, by id.
        """
        self._env_fns = env_fns
        self._observation_space = observation_space
        self._action_space = action_space
        self._made = dict(made or {})
        self._envs: dict[int, gymnasium.Env[Any, Any]] = {}
        self._other_spaces: dict[int, tuple[gymnasium.Space[Any], gymnasium.Space[Any]]] = {}
        self._staged_states: dict[int, Any] = {}  # of `StagedStates`
        self.load = pickle.loads
        self.describe = describe
        self.add_info = add_info

    def make(self, env_id: int) -> gymnasium.Env[Any, Any]:
        """Returns the environment of that id; makes it if it does not exist yet."""
        env = self._made.pop(env_id, None)
        if env is None:
            env = self._env_fns[env_id]()
            check_env(env, env_id)
        self._envs[env_id] = env
        spaces = (env.observation_space, env.action_space)
        if spaces != (self._observation_space, self._action_space):
            self._other_spaces[env_id] = spaces
        return env

    @staticmethod
    def copy(value: Any) -> Any:
        """Returns a deep copy; the value itself if it cannot be copied, such as a generator."""
        try:
            return copy.deepcopy(value)
        except Exception:
            return value

    @staticmethod
    def store(value: Any, out: NDArray[Any]) -> None:
        """Writes an observation that is not an array of the space's dtype, as Gymnasium does."""
        np.stack([value], axis=0, out=out)

    def call(
        self, env_id: int, env: gymnasium.Env[Any, Any], call: MethodCall, hosted: HostedEnv
    ) -> tuple[bool, Any]:
        """Calls a method; returns (True, its result) or (False, the exception that it raised)."""
        if call == OTHER_SPACES:
            return True, self._other_spaces.get(env_id)
        try:
            if call.values is not None:
                env.set_wrapper_attr(call.name, call.values[env_id])
                return True, None
            if call.on_state is not None:
                result = call.on_state(env, hosted, self._staged_states)
                self._envs[env_id] = hosted.environment
                return True, result
            if call.function is not None:
                return True, call.function(env)
            attribute = env.get_wrapper_attr(call.name)
            if not callable(attribute):
                return True, attribute
            return True, attribute(*call.args, **(call.kwargs or {}))
        except Exception as error:
            return False, error

    def close(self) -> None:
        """Closes all environments, in reverse order, even if closing some of them fails.

        Raises:
            Exception: that of the last `close` that failed; its context has the earlier ones.
        """
        with contextlib.ExitStack() as stack:
            for _ in range(len(self._envs) + len(self._made)):
                stack.callback(self._close_last)

    def _close_last(self) -> None:
        # Another thread, or a signal handler, may close environments, too. Each is taken out, and
        # closed, by one of them.
        for environments in (self._made, self._envs):
            try:
                _, env = environments.popitem()
            except KeyError:
                continue
            env.close()
            return


def check_env(env: Any, env_id: int) -> None:
    """Checks what a function of `env_fns` has returned.

    Raises:
        InputTypeError: it is not an environment, or lacks a space.
    """
    place = f"environment {env_id}"
    if not all(callable(getattr(env, name, None)) for name in ("reset", "step")):
        raise InputTypeError(unexpected(place, "a gymnasium.Env", env))
    for name in ("observation_space", "action_space"):
        space = getattr(env, name, None)
        if not isinstance(space, gymnasium.Space):
            raise InputTypeError(unexpected(f"{place}: {name}", "a gymnasium.Space", space))


def class_names(env: gymnasium.Env[Any, Any]) -> set[str]:
    """Returns the full names of the classes of an environment's wrappers, with their bases."""
    names = set()
    while isinstance(env, gymnasium.Wrapper):
        names |= {f"{kind.__module__}.{kind.__qualname__}" for kind in type(env).__mro__}
        env = env.env
    return names


def describe(error: BaseException) -> str:
    """Returns an exception in one line, followed by its traceback.

    Lone surrogates, as in names of files that are not UTF-8, are escaped: the engine's texts are
    UTF-8.
    """
    return _text_of(error).encode(errors="backslashreplace").decode()


def _text_of(error: BaseException) -> str:
    summary = "".join(traceback.format_exception_only(type(error), error)).strip()
    frames = error.__traceback__
    if frames is None:
        return summary
    return f"{summary}\n{''.join(traceback.format_exception(type(error), error, frames)).strip()}"


class LocalHosting(Hosting):
    """Hosting in the process that uses the pool."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._packer = Packer(self._action_space)
        self.judge_overlap = None if gil_is_disabled() else OverlapJudge()

    def pack(self, actions: Any) -> list[bytes]:
        """Returns the actions of a batch as one bytes object per environment."""
        return self._packer.pack(actions)

    @staticmethod
    def dump(objects: Any) -> bytes:
        """Returns a call, or the options of a reset, as bytes for workers."""
        return pickling.dumps(objects)


class Packer:
    """Splits the actions of a space that is not a tree of arrays."""

    def __init__(self, action_space: gymnasium.Space[Any]) -> None:
        self._tree = tree_of(action_space)

    def pack(self, actions: Any) -> list[bytes]:
        """Returns the pickled action of each environment.

        Raises:
            InputError, InputTypeError: a part is missing, or has another form or number of rows.
        """
        return [_pickled(action) for action in _rows(self._tree, actions, "actions")]


def _pickled(action: Any) -> bytes:
    try:
        return pickle.dumps(action, protocol=pickle.HIGHEST_PROTOCOL)
    except Exception as error:
        raise InputTypeError(
            f"actions: expected values that can be pickled, got {shown(action)}: {error}"
        ) from error


def _rows(tree: Tree, actions: Any, place: str) -> Sequence[Any]:
    """Returns a part of the action of each environment.

    Args:
        tree: the part of the space.
        actions: the part of the batched actions.
        place: its name in messages.
    """
    kind = tree[0]
    if kind == "leaf":
        return _rows_of_array(tree[2], actions, place)
    if kind == "object":
        if isinstance(actions, Sequence) and not isinstance(actions, (str, bytes)):
            return actions
        if isinstance(actions, np.ndarray) and actions.ndim > 0:
            return list(actions)
        expected = "a list or tuple with an action for each environment"
        raise InputTypeError(unexpected(place, expected, actions))
    children = tree[1] if kind == "dict" else list(enumerate(tree[1]))
    columns = []
    for key, child in children:
        name = f"{place}[{key!r}]"
        try:
            part = actions[key]
        except (LookupError, TypeError):
            expected = (
                f"a dict with the key {key!r}" if kind == "dict" else "a tuple with this part"
            )
            raise InputTypeError(unexpected(name, expected, actions)) from None
        columns.append(_rows(child, part, name))
        if len(columns[-1]) != len(columns[0]):
            raise InputError(
                f"{name}: expected {len(columns[0])} rows as in the other parts of the action, got "
                f"{len(columns[-1])}"
            )
    if kind == "tuple":
        return list(zip(*columns, strict=True))
    keys = [key for key, _ in children]
    return [dict(zip(keys, row, strict=True)) for row in zip(*columns, strict=True)]


def _rows_of_array(shape: tuple[int, ...], actions: Any, place: str) -> Sequence[Any]:
    try:
        array = np.asarray(actions)
    except ValueError:  # rows of different lengths
        raise InputTypeError(unexpected(place, "an array", actions)) from None
    if array.dtype.kind not in "biufc":
        raise InputTypeError(f"{place}: expected an array of numbers, got dtype {array.dtype}")
    if array.ndim == 0 or array.shape[1:] != shape:
        rows = ", ".join(map(str, ("n", *shape))) + ("" if shape else ",")
        raise (InputError if array.ndim > 0 else InputTypeError)(
            f"{place}: expected shape ({rows}) (one row for each of n environments), got "
            f"{array.shape}"
        )
    return list(array)
