"""The stream of a learner on a Ray cluster."""

from __future__ import annotations

from typing import Any

from envpool_py.errors import InputTypeError
from envpool_py.ray.fleet.stream import FragmentStream
from envpool_py.ray.group import ActorGroup
from envpool_py.ray.transport import RayTransport

__all__ = ["RolloutStream"]


class RolloutStream(FragmentStream):
    """A `FragmentStream` from the actors of an `ActorGroup`.

        with ActorGroup(spec, 4) as actors, RolloutStream(actors, weights=weights) as stream:
            for fragment in stream:
                learn(fragment)
                stream.publish(weights)

    The methods are those of `FragmentStream`.
    """

    def __init__(self, actors: ActorGroup, **arguments: Any) -> None:
        """Starts the actors without waiting for them.

        Args:
            actors: the actors, which this stream owns until it is closed.
            **arguments: `in_flight`, `weights`, `max_staleness`, `synchronous`, `framework`,
                `max_failures` and `state`, as for `FragmentStream`.

        Raises:
            InputError, InputTypeError: an argument is not valid, or another stream uses the actors.
            ClosedError: the group of actors is closed.
        """
        if not isinstance(actors, ActorGroup):
            raise InputTypeError(f"actors: expected an ActorGroup, got {type(actors).__name__}")
        transport = RayTransport(actors)
        try:
            super().__init__(
                transport,
                actors.num_actors,
                seed=actors.seed,
                least_resumes=actors.least_resumes,
                **arguments,
            )
        except BaseException:
            transport.close()
            raise
        actors.least_resumes = self._requests.resumes + 1  # other seeds for the next stream
