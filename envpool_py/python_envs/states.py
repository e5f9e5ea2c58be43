"""The saved states of environments in Python: pickles.

An environment whose class has `get_state` and `set_state`, or `clone_state` and `restore_state`,
stays where it is: its pickle has the result of the first method in its place, and a state that is
loaded is passed to the second one. Wrappers, and environments without such methods, are pickled
themselves, and those of a loaded state take the place of the present ones.

`save_state`, `StagedStates` and `restore_state` run in the process of the environments, as
functions of a `MethodCall`.
"""

from __future__ import annotations

import contextlib
import inspect
import io
import pickle
import zlib
from collections.abc import Callable, Sequence
from typing import Any, Protocol

import gymnasium
from gymnasium.utils import EzPickle

from envpool_py.errors import StateError
from envpool_py.python_envs import pickling

__all__ = ["HostedEnv", "StagedStates", "restore_state", "save_state"]

_MAGIC = b"envpool_py state of a Python environment, format 1\n"
_METHODS = (("get_state", "set_state"), ("clone_state", "restore_state"))


class HostedEnv(Protocol):
    """An environment and its place in its episode; `engine/bindings/python_envs/hosted_env.h`."""

    number: int
    environment: Any
    observation: Any
    info: Any

    def save_episode(self) -> bytes:
        """Returns the place; raises a ResetNeededError if there is none."""

    def check_episode(self, episode: bytes, /) -> None:
        """Raises a StateError if the environment cannot be at that place."""

    def restore(self, environment: Any, episode: bytes, observation: Any, info: Any, /) -> None:
        """Puts another environment in this place, with its latest observation and info."""


def save_state(env: gymnasium.Env[Any, Any], hosted: HostedEnv, _: dict[int, Any]) -> bytes:
    """Returns the state of an environment.

    Raises:
        StateError: the environment has no state methods and cannot be pickled.
        ResetNeededError: it was never reset, or has failed.
    """
    place = f"save_states: environment {hosted.number}"
    episode = hosted.save_episode()
    base = env.unwrapped
    methods = _methods_of(base)
    if methods is None and _pickles_only_arguments(base):
        raise StateError(
            f"{place}: {_name(base)} cannot be saved: its pickle has the arguments of its "
            "constructor only (gymnasium.utils.EzPickle), and it has neither get_state and "
            "set_state nor clone_state and restore_state"
        )
    try:
        state = None if methods is None else methods[0]()
        with io.BytesIO() as file:
            _Pickler(file, base if methods is not None else None).dump(
                (env, state, hosted.observation, hosted.info)
            )
            body = file.getvalue()
    except Exception as error:
        raise StateError(
            f"{place}: {_name(base)} cannot be saved: {type(error).__name__}: {error}"
        ) from error
    head = pickle.dumps((_name(base), episode))
    content = len(head).to_bytes(8, "little") + head + body
    return _MAGIC + zlib.crc32(content).to_bytes(4, "little") + content


class StagedStates:
    """Reads the state of each environment, and keeps it for `restore_state`. Changes nothing.

    Args:
        states: states, by the number of the environment.
    """

    def __init__(self, states: dict[int, bytes]) -> None:
        self.states = states

    def __call__(
        self, env: gymnasium.Env[Any, Any], hosted: HostedEnv, staged: dict[int, Any]
    ) -> None:
        """Reads that of one environment.

        Raises:
            StateError: the bytes are not a state, are damaged, or cannot be loaded here.
        """
        base = env.unwrapped
        episode, body = _read(self.states[hosted.number], hosted.number, _name(base))
        hosted.check_episode(episode)
        try:
            loaded = _Unpickler(io.BytesIO(body), base).load()
        except Exception as error:
            raise StateError(
                f"load_states: environment {hosted.number}: the state of {_name(base)} cannot be "
                f"read: {type(error).__name__}: {error}"
            ) from error
        staged[hosted.number] = (*loaded, episode)


def restore_state(env: gymnasium.Env[Any, Any], hosted: HostedEnv, staged: dict[int, Any]) -> None:
    """Continues from the state that `StagedStates` has read."""
    new, state, observation, info, episode = staged.pop(hosted.number)
    base = env.unwrapped
    if new.unwrapped is base:
        methods = _methods_of(base)
        assert methods is not None
        methods[1](state)
    hosted.restore(new, episode, observation, info)
    if new.unwrapped is not base:
        with contextlib.suppress(Exception):
            env.close()


def _read(state: bytes, number: int, name: str) -> tuple[bytes, bytes]:
    """Returns the place in the episode, and the pickle of the environment."""
    place = f"states: environment {number}"
    if not isinstance(state, bytes) or not state.startswith(_MAGIC):
        raise StateError(
            f"{place}: expected bytes of save_states of an environment in Python, got other ones"
        )
    checksum, content = state[len(_MAGIC) : len(_MAGIC) + 4], state[len(_MAGIC) + 4 :]
    if zlib.crc32(content).to_bytes(4, "little") != checksum:
        raise StateError(f"{place}: the bytes are damaged: their checksum differs")
    end = 8 + int.from_bytes(content[:8], "little")
    saved_name, episode = pickle.loads(content[8:end])
    if saved_name != name:
        raise StateError(f"{place}: expected a state of {name}, got one of {saved_name}")
    return episode, content[end:]


def _name(env: Any) -> str:
    return f"{type(env).__module__}.{type(env).__qualname__}"


def _methods_of(base: Any) -> tuple[Callable[[], Any], Callable[[Any], Any]] | None:
    """Returns the functions that save and load the state of an environment without wrappers."""
    for names in _METHODS:
        getter, setter = (getattr(base, name, None) for name in names)
        if not callable(getter) or not callable(setter):
            continue
        if _accepts(getter, "include_rng"):  # ale-py leaves the generator out by default
            return lambda getter=getter: getter(include_rng=True), setter
        if not _required(getter) and len(_required(setter)) == 1:
            return getter, setter
    return None


def _accepts(function: Any, name: str) -> bool:
    try:
        return name in inspect.signature(function).parameters
    except (TypeError, ValueError):
        return False


def _required(function: Any) -> Sequence[str]:
    """Returns the names of the arguments that have no default."""
    kinds = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return ("unknown", "unknown")
    return [
        each.name
        for each in parameters
        if each.default is inspect.Parameter.empty and each.kind not in kinds
    ]


def _pickles_only_arguments(env: Any) -> bool:
    """Whether the pickle of an environment lacks its state, because its class is an EzPickle."""
    kind: Any = type(env)
    return (
        getattr(kind, "__getstate__", None) is EzPickle.__getstate__
        and kind.__reduce_ex__ is object.__reduce_ex__
        and kind.__reduce__ is object.__reduce__
    )


class _Pickler(pickling.Pickler):
    """Puts a mark in the place of the environment that stays where it is."""

    def __init__(self, file: io.BytesIO, stays: Any) -> None:
        super().__init__(file)
        self._stays = stays

    def persistent_id(self, value: Any) -> str | None:
        return "base" if self._stays is not None and value is self._stays else None


class _Unpickler(pickle.Unpickler):
    def __init__(self, file: io.BytesIO, base: Any) -> None:
        super().__init__(file)
        self._base = base

    def persistent_load(self, name: str) -> Any:
        return self._base
