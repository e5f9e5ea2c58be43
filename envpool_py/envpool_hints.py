"""What a message says where a program that was written for EnvPool stumbles.

Reached on the way to an exception only. The surface itself is `envpool_py.compat.envpool`, which
this module names and does not import.
"""

from __future__ import annotations

from typing import Any

from envpool_py.errors import EnvPoolError, InputTypeError, ResetNeededError

__all__ = ["ADVICE", "ATTRIBUTES", "SETTINGS", "add_advice"]

ADVICE = "programs written for EnvPool run with `import envpool_py.compat.envpool as envpool`"

# Arguments of EnvPool's `make` that ours has not.
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
# Attributes of EnvPool's pools and specs that ours have not.
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
    """Adds the advice to the message of an error that EnvPool's own programs run into.

    These are a step before the first reset, actions as a dict with their ids, and choices that are
    floats.
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
    """Returns what reading an attribute raises that an object has not, with the advice if any."""
    advice = f": it is EnvPool's; {ADVICE}" if name in ATTRIBUTES else ""
    return AttributeError(
        f"'{type(owner).__name__}' object has no attribute '{name}'{advice}", name=name, obj=owner
    )


class AdviceOnly:
    """An attribute that EnvPool's pools have and ours have not: reading it raises AttributeError.

    A class with `__getattr__` would do, but CPython does not cache attributes of such classes: a
    `step` of one environment takes 5 % longer.
    """

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, instance: object | None, owner: type) -> Any:
        raise missing_attribute(owner if instance is None else instance, self._name)
