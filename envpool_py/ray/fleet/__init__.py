"""Fleets of pools: the parts of actors and learners that do not depend on a transport.

`PoolActor` fills fragments. `FragmentStream` requests fragments from actors, counts them and
replaces actors that die. `sizing` predicts fleets of other sizes. The modules of `envpool_py.ray`
beside this package are the transport, which sends the fragments with Ray.
"""

from envpool_py.ray.fleet.checkpoint import load_checkpoint, save_checkpoint
from envpool_py.ray.fleet.fragment import Fragment, Steps, join
from envpool_py.ray.fleet.messages import Header
from envpool_py.ray.fleet.pool_actor import PoolActor
from envpool_py.ray.fleet.spec import ActorSpec, Policy, Spaces
from envpool_py.ray.fleet.stream import FragmentStream

__all__ = [
    "ActorSpec",
    "Fragment",
    "FragmentStream",
    "Header",
    "Policy",
    "PoolActor",
    "Spaces",
    "Steps",
    "join",
    "load_checkpoint",
    "save_checkpoint",
]
