"""Advice in error messages for programs that were written for EnvPool.

Used only when an exception is raised. EnvPool's API is in `envpool_py.compat.envpool`; this module
only mentions it and does not import it.
"""

from __future__ import annotations

from typing import Any

from envpool_py.errors import EnvPoolError, InputTypeError, ResetNeededError

__all__ = ["ADVICE", "ATTRIBUTES", "SETTINGS", "add_advice"]

ADVICE = "programs written for EnvPool run with `import envpool_py.compat.envpool as envpool`"

# Arguments of EnvPool's `make` that ours does not have.
SETTINGS = frozenset(
    {
        "base_path",
        "env_seed",
        "from_pixels",
        "gym_reset_return_info",
        "max_num_players",
        "render_camera_id",
        "render_env_id",
        "render_height",
        "render_width",
        "reward_threshold",
        "thread_affinity_offset",
    }
)
# Attributes of EnvPool's pools and specs that ours do not have.
ATTRIBUTES = frozenset(
    {
        "action_array_spec",
        "config",
        "gen_config",
        "gymnasium_action_space",
        "gymnasium_observation_space",
        "is_vector_env",
        "seed",
        "state_array_spec",
        "xla",
    }
)


def add_advice(error: EnvPoolError, actions: Any) -> None:
    """Adds the advice to the message of an error that is typical of programs for EnvPool.

    Typical are a step before the first reset, actions in a dict with ids, and float actions for a
    discrete space.
    """
    message = str(error)
    if isinstance(error, ResetNeededError):
        theirs = "has not been reset yet" in message
    elif isinstance(error, InputTypeError):
        theirs = "(an integer dtype)" in message
        theirs |= isinstance(actions, dict) and "action" in actions
    else:
        theirs = False
    if theirs:
        error.args = (f"{message} ({ADVICE})", *error.args[1:])


def missing_attribute(owner: object, name: str) -> AttributeError:
    """Returns the AttributeError for a missing attribute, with the advice if EnvPool has it."""
    advice = f": it is EnvPool's; {ADVICE}" if name in ATTRIBUTES else ""
    return AttributeError(
        f"'{type(owner).__name__}' object has no attribute '{name}'{advice}", name=name, obj=owner
    )


class AdviceOnly:
    """An attribute that only EnvPool's pools have: reading it raises AttributeError.

    `__getattr__` would be simpler, but CPython does not cache attributes of classes that define it,
    and a `step` of one environment would take 5 % longer.
    """

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, instance: object | None, owner: type) -> Any:
        raise missing_attribute(owner if instance is None else instance, self._name)
