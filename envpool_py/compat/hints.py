"""Advice in error messages for programs that were written for EnvPool.

EnvPool's API is in `envpool_py.compat.envpool`; this module only mentions it. It imports nothing,
so any module may use it where it makes an error that such programs meet. The engine adds `ADVICE`
to two kinds of errors (`engine/bindings/errors.cc`): a step before the first reset, and an action
whose dtype or structure EnvPool accepts.
"""

from __future__ import annotations

from typing import Any

__all__ = ["ADVICE", "SETTINGS", "EnvPoolNames", "missing_attribute", "missing_task"]

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
# Attributes of EnvPool's pools and specs that ours do not have. Pools have "config".
_ATTRIBUTES = frozenset(
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


# The tasks of EnvPool that this package lacks.
_VIZDOOM = frozenset(
    [
        "Basic",
        "BasicAudio",
        "BasicNotifications",
        "Cig",
        "D1Basic",
        "D2Navigation",
        "D3Battle",
        "D4Battle2",
        "DeadlyCorridor",
        "Deathmatch",
        "DefendTheCenter",
        "DefendTheLine",
        "HealthGathering",
        "HealthGatheringSupreme",
        "MultiDuel",
        "MyWayHome",
        "PredictPosition",
        "RocketBasic",
        "SimplerBasic",
        "TakeCover",
        "VizdoomCustom",
    ]
)


def missing_task(task_id: str) -> str:
    """Returns a clause about a task of a family that only EnvPool has; "" for other ids."""
    if task_id.rpartition("-v")[0] in _VIZDOOM:
        return "EnvPool's ViZDoom tasks are not in this package"
    return ""


def missing_attribute(owner: object, name: str) -> AttributeError:
    """Returns the AttributeError for a missing attribute, with the advice if EnvPool has it."""
    advice = f": it is EnvPool's; {ADVICE}" if name in _ATTRIBUTES else ""
    return AttributeError(
        f"'{type(owner).__name__}' object has no attribute '{name}'{advice}", name=name, obj=owner
    )


class _AdviceOnly:
    """An attribute that only EnvPool's pools have: reading it raises AttributeError.

    `__getattr__` would be simpler, but CPython does not cache attributes of classes that define it,
    and a `step` of one environment would take 5 % longer.
    """

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, instance: object | None, owner: type) -> Any:
        raise missing_attribute(owner if instance is None else instance, self._name)


class EnvPoolNames:
    """Base class of pools: reading an attribute that only EnvPool's pools have gives the advice."""

    def __dir__(self) -> list[str]:
        absent = {name for name, value in vars(EnvPoolNames).items() if type(value) is _AdviceOnly}
        return sorted(set(super().__dir__()) - absent)


for _name in _ATTRIBUTES - {"config"}:
    setattr(EnvPoolNames, _name, _AdviceOnly(_name))
