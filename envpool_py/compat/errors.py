"""Errors of EnvPool's API: each is also an error of this package and what EnvPool raises."""

from __future__ import annotations

from envpool_py.errors import (
    EnvPoolError,
    InputError,
    InputTypeError,
    OptionError,
    RenderModeError,
    UnknownTaskError,
)

__all__ = [
    "ActionError",
    "ActionTypeError",
    "ConfigError",
    "ConfigNameError",
    "ConfigTypeError",
    "ConfigValueError",
    "NotSupportedError",
    "PictureError",
    "UnknownIdError",
]


class UnknownIdError(UnknownTaskError, AssertionError):
    """No task has that id; EnvPool raises AssertionError."""


class ConfigError(InputError, AssertionError):
    """A setting is out of range; EnvPool raises AssertionError in `make`."""


class ConfigValueError(InputError):
    """A setting has a wrong value; EnvPool raises ValueError."""


class ConfigTypeError(InputTypeError, AssertionError):
    """A setting is of the wrong type."""


class ConfigNameError(OptionError, TypeError):
    """The task has no such setting, or does not support its value; EnvPool raises TypeError."""


class ActionError(InputError, RuntimeError):
    """An action has the wrong shape or keys; EnvPool raises RuntimeError."""


class ActionTypeError(InputTypeError, RuntimeError):
    """An action has the wrong dtype; EnvPool raises RuntimeError."""


class PictureError(RenderModeError, RuntimeError):
    """`render` does not support these arguments; EnvPool raises RuntimeError."""


class NotSupportedError(EnvPoolError, RuntimeError):
    """EnvPool has this function and the compat module does not; the message says what to use."""
