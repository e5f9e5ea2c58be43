"""The exceptions that calls of envpool_py raise.

All derive from `EnvPoolError` and from the built-in (or Gymnasium) class that a caller would catch
without knowing this package. The extension module looks the classes up here by name. A message
names the argument, the expected value and the actual value. A call that raises leaves the pool
unchanged, with three exceptions. After `EnvironmentFailedError` the other environments of the batch
have stepped, and the error's `batch` holds their results. After `CloseTimeoutError` the pool is
closed. If another thread drains, receives from or closes the pool while a `step` waits, the `step`
raises `NothingInFlightError` or `ClosedError` after its actions were sent.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from gymnasium.error import ClosedEnvironmentError, ResetNeeded, UnsupportedMode

__all__ = [
    "ActorLostError",
    "BatchMemoryError",
    "CheckFailedError",
    "CloseTimeoutError",
    "ClosedError",
    "EnvIdError",
    "EnvPoolError",
    "EnvironmentFailedError",
    "ForkedError",
    "FragmentTimeoutError",
    "InputError",
    "InputTypeError",
    "InternalError",
    "MissingPackageError",
    "NoAttributeError",
    "NothingInFlightError",
    "OptionError",
    "OptionTypeError",
    "OutOfMemoryError",
    "PluginError",
    "RanksDifferError",
    "RecvTimeoutError",
    "ReentryError",
    "RenderModeError",
    "ReplayError",
    "ResetNeededError",
    "ResourceError",
    "RomError",
    "SpaceMismatchError",
    "StateError",
    "UnknownOptionError",
    "UnknownTaskError",
    "WorkerError",
]


class EnvPoolError(Exception):
    """Base class of all errors of this package."""


class UnknownTaskError(EnvPoolError, LookupError):
    """No environment of that id is registered."""


class OptionError(EnvPoolError, ValueError):
    """An option or reset option has an unknown name or a value out of range."""


class UnknownOptionError(OptionError, TypeError):
    """A keyword is neither an option of the environment nor an argument of the function."""


class OptionTypeError(EnvPoolError, TypeError):
    """An option or reset option has a value of the wrong type."""


class InputError(EnvPoolError, ValueError):
    """An argument, action, seed or mask has the wrong shape or a value out of range."""


class InputTypeError(EnvPoolError, TypeError):
    """An argument, action, seed or mask has the wrong type or dtype."""


class EnvIdError(InputError):
    """An environment id is out of range, given twice, or its environment is in flight."""


class ResetNeededError(EnvPoolError, ResetNeeded):
    """A step before the first reset, after a failure, or (Disabled mode) after an episode's end."""


class NothingInFlightError(EnvPoolError, RuntimeError):
    """A `recv` that could never complete: too few environments are in flight for a batch."""


class BatchMemoryError(EnvPoolError, MemoryError):
    """`max_live_batches` blocks of batch memory are in use, most of them by kept arrays."""


class RenderModeError(InputError, UnsupportedMode):
    """A `render_mode` that the task does not have, or `render` of a pool made without one."""


class RanksDifferError(EnvPoolError, RuntimeError):
    """The parameters of the processes of a data-parallel learner are not equal."""


class RecvTimeoutError(EnvPoolError, TimeoutError):
    """`recv(timeout=...)` ran out; the environments stay in flight."""


class ClosedError(EnvPoolError, ClosedEnvironmentError):
    """The pool is closed."""


class CloseTimeoutError(EnvPoolError, TimeoutError):
    """`close(timeout=...)` ran out: the pool is closed, and is freed when its last step ends."""


class ReentryError(EnvPoolError, RuntimeError):
    """A signal handler or an environment used a pool inside whose call it runs (not `close`)."""


class ResourceError(EnvPoolError, RuntimeError):
    """The system refuses a resource, such as threads; the message says how much was requested."""


class OutOfMemoryError(ResourceError, MemoryError):
    """The system refuses the memory of a pool; the message says for how many environments."""


class ForkedError(EnvPoolError, RuntimeError):
    """The pool was made in another process, and its threads do not exist in this one."""


class MissingPackageError(EnvPoolError, ImportError):
    """A package that a family of tasks, or an adapter, needs is not installed."""


class PluginError(EnvPoolError, ImportError):
    """A plug-in cannot be built, is built for another version, or one of its tasks is refused."""


class NoAttributeError(EnvPoolError, AttributeError):
    """A training library asked for an attribute that environments in the engine do not have."""


class SpaceMismatchError(EnvPoolError, RuntimeError):
    """An environment in Python has spaces that differ, not only in bounds, from environment 0's."""


class StateError(EnvPoolError, ValueError):
    """The bytes are not a state of this task with these options, or the task cannot save states."""


class ReplayError(EnvPoolError, RuntimeError):
    """A run is not the recorded one that it repeats, or a log of batches ends or is none."""


class WorkerError(EnvPoolError, RuntimeError):
    """A worker process could not be started, or could not make its environments."""


class RomError(EnvPoolError, RuntimeError):
    """A game's ROM is missing, or is not the one that the game's rules are written for."""


class ActorLostError(EnvPoolError, RuntimeError):
    """An actor of a fleet died too often in a row, and is not replaced again."""


class FragmentTimeoutError(EnvPoolError, TimeoutError):
    """No fragment came from the actors of a fleet in time; the stream may be used further."""


class InternalError(EnvPoolError, RuntimeError):
    """A bug in the engine or in a plug-in, never in the caller."""


class EnvironmentFailedError(EnvPoolError, RuntimeError):
    """One or more environments raised an exception in a step or reset; the others are unaffected.

    A failed environment needs a `reset` before it steps again. If the message says so, environments
    in Python have not failed, but an info of theirs that does not fit those of others was left out.

    Attributes:
        env_ids: ids of the environments that failed, in the order of `causes`.
        causes: the message of each one's exception.
        batch: what the call would have returned, for the whole batch; the rows of the failed
            environments are zero.
    """

    env_ids: list[int]
    causes: list[str]
    batch: Any

    def __init__(
        self, message: str, env_ids: Iterable[int], causes: Iterable[str], batch: Any
    ) -> None:
        super().__init__(message)
        self.env_ids = [int(env_id) for env_id in env_ids]
        self.causes = list(causes)
        self.batch = batch

    def __reduce__(self) -> tuple[Any, ...]:
        # The default would call the class with `args` alone, which contain only the message.
        return type(self), (self.args[0], self.env_ids, self.causes, self.batch)


class CheckFailedError(EnvironmentFailedError):
    """With `check_outputs=True`: an environment wrote what its spec does not describe."""


_LONGEST_MISTAKE = 200
"""Longer names are no misspelt ones. Comparing them would take seconds."""


def suggestion(name: str, known: Sequence[str]) -> str:
    """Returns `; did you mean "x"?` for the nearest of `known`, or `""` if none is near."""
    import difflib  # needed only for an exception

    if len(name) > _LONGEST_MISTAKE:
        return ""
    lowered = {candidate.lower(): candidate for candidate in known}
    nearest = difflib.get_close_matches(name.lower(), list(lowered), n=1, cutoff=0.5)
    return f'; did you mean "{lowered[nearest[0]]}"?' if nearest else ""


EXTRAS: Mapping[str, tuple[str, ...]] = {
    "atari": ("ale-py>=0.11",),
    "authoring": ("watchfiles>=0.21",),
    "dm-control": ("dm-control==1.0.50", "mujoco>=3.17.0,<4"),
    "jax": ("jax>=0.6",),
    "metaworld": ("metaworld==3.1.1", "mujoco>=3.3.0,<=4.0.0"),
    "mpe2": ("mpe2==1.1.1",),
    "mujoco": ("mujoco>=3.3.0,<=4.0.0",),
    "pettingzoo": ("pettingzoo>=1.25",),
    "pictures": ("gymnasium[classic-control,toy-text]", "gymnasium[box2d]"),
    "procgen": ("procgen-gym==0.1.1",),
    "ray": ("ray>=2.40", "prometheus_client>=0.20"),
    "robotics": ("gymnasium-robotics==1.4.2", "mujoco>=3.3.0,<=4.0.0"),
    "metrics": ("prometheus_client>=0.20",),
    "torch": ("torch>=2.5",),
    "video": ("pillow>=10", "imageio-ffmpeg>=0.5"),
}
"""The packages that the extras of this package install, as in pyproject.toml."""


def install_command(extra: str) -> str:
    """Returns the command that installs the packages of an extra.

    `pip install '.[extra]'` would compile this package again.
    """
    return "pip install " + " ".join(f"'{package}'" for package in EXTRAS[extra])
