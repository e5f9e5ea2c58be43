"""Pools on many machines, with Ray. Needs the package ray.

    from envpool_py.ray import ActorGroup, ActorSpec, RolloutStream

    spec = ActorSpec("Pong-v5", num_envs=64, length=32, policy=PongPolicy)
    with ActorGroup(spec, 16) as actors, RolloutStream(actors, weights=weights) as stream:
        for fragment in stream:
            learn(fragment)
            stream.publish(weights)

Each actor owns a pool and a copy of the policy, and fills fragments in place. The learner gets the
fragments through Ray's object store. docs/cluster.md shows the steps from one machine to a cluster.
`envpool_py.ray.fleet`, and what comes from it, needs no Ray.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from envpool_py.ray.fleet import (
    ActorSpec,
    Fragment,
    Header,
    Policy,
    PoolActor,
    Spaces,
    Steps,
    join,
    load_checkpoint,
    save_checkpoint,
)

if TYPE_CHECKING:
    from envpool_py.ray.group import ActorGroup
    from envpool_py.ray.stream import RolloutStream

__all__ = [
    "ActorGroup",
    "ActorSpec",
    "Fragment",
    "Header",
    "Policy",
    "PoolActor",
    "RolloutStream",
    "Spaces",
    "Steps",
    "join",
    "load_checkpoint",
    "save_checkpoint",
]

# The names whose modules import Ray.
_NEED_RAY = {"ActorGroup": "envpool_py.ray.group", "RolloutStream": "envpool_py.ray.stream"}


def __getattr__(name: str) -> Any:
    if name not in _NEED_RAY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_NEED_RAY[name]), name)
