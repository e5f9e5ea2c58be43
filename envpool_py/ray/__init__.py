"""Pools on many machines, with Ray: actors that fill fragments, and a stream of them.

Imported by programs. `fleet` has the parts that do not depend on Ray; the rest is imported when it
is used, and needs the package ray.

    from envpool_py.ray import ActorGroup, ActorSpec, RolloutStream

    spec = ActorSpec("Pong-v5", num_envs=64, length=32, policy=PongPolicy)
    with ActorGroup(spec, 16) as actors, RolloutStream(actors, weights=weights) as stream:
        for fragment in stream:
            learn(fragment)
            stream.publish(weights)

Each actor owns a pool and a copy of the policy, and fills fragments in place. The learner gets the
fragments through Ray's object store. docs/cluster.md shows the steps from one machine to a cluster.
"""

import importlib
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

_NEED_RAY = {"ActorGroup": "group", "RolloutStream": "stream"}


def __getattr__(name: str) -> Any:
    module = _NEED_RAY.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{module}"), name)
