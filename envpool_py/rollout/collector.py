"""A ring of rollouts: a thread fills one while the program learns from another."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar

from envpool_py.errors import InputError
from envpool_py.rollout.first_ready import FirstReadyRollout
from envpool_py.rollout.rollout import Rollout

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["Collector", "make_rollouts"]

AnyRollout = TypeVar("AnyRollout", Rollout, FirstReadyRollout)


def make_rollouts(envs: Any, length: int, count: int, **arguments: Any) -> list[Any]:
    """Returns rollouts of the same environments.

    Each of them continues where the most recently filled one ended.

    Args:
        envs: the environments. For a first-ready pool, the results are `FirstReadyRollout`s.
        length: number of steps, or batches, of each rollout.
        count: number of rollouts, at least 1.
        **arguments: other arguments of `Rollout`.

    Raises:
        InputError, InputTypeError, MissingPackageError: as `Rollout`.
    """
    if count < 1:
        raise InputError(f"count: expected at least 1, got {count}")
    first_ready = getattr(getattr(envs, "unwrapped", envs), "is_async", False)
    kind = FirstReadyRollout if first_ready else Rollout
    first = kind(envs, length, **arguments)
    return [first, *(first.empty_copy() for _ in range(count - 1))]


class Collector:
    """Fills rollouts in a separate thread, while the program learns from full ones.

        def act(rollout):
            actions, log_probs = policy(rollout.obs)
            rollout.act(actions, log_probs=log_probs)

        with Collector(make_rollouts(envs, 32, count=2), act) as rollouts:
            for rollout in rollouts:
                learn(rollout)

    With two rollouts, the thread fills the second while the program learns from the first; with
    more rollouts, the thread may be further ahead. The policy that filled a rollout may thus be
    older than the learned policy, by up to `len(rollouts) - 1` updates; V-trace corrects for this.
    If the program changes parameters that `act` reads, `act` should read a copy of them.

    The loop yields rollouts in the order in which they were filled. A rollout may be used until the
    loop requests the next one, or another loop begins; then the thread fills it again.
    """

    def __init__(self, rollouts: Sequence[AnyRollout], act: Callable[[AnyRollout], None]) -> None:
        """Keeps the rollouts; `with` starts the thread.

        Args:
            rollouts: rollouts of `make_rollouts`, at least two.
            act: function that the thread calls for every step. It must call the rollout's `act`
                once.

        Raises:
            InputError: there are fewer than two rollouts, or they are of different environments.
        """
        if len(rollouts) < 2:
            raise InputError(f"rollouts: expected at least 2, got {len(rollouts)}")
        if any(rollout._state is not rollouts[0]._state for rollout in rollouts):
            raise InputError("rollouts: make all of them with one call of make_rollouts")
        self._act: Callable[[Any], None] = act
        self._free: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._full: queue.SimpleQueue[Any] = queue.SimpleQueue()
        for rollout in rollouts:
            self._free.put(rollout)
        self._left: queue.SimpleQueue[Any] = queue.SimpleQueue()  # in use when a loop was left
        self._stops = threading.Event()
        self._thread: threading.Thread | None = None

    def __enter__(self) -> Self:
        """Starts the thread.

        Raises:
            InputError: the thread was started before.
        """
        if self._thread is not None:
            raise InputError("Collector: already entered; make another one")
        self._thread = threading.Thread(target=self._run, name="envpool-collector", daemon=True)
        self._thread.start()
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc_value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Stops the thread after its current step, and waits for it."""
        self._stops.set()
        self._free.put(None)
        if self._thread is not None:
            self._thread.join()
        self._full.put(_ended())  # for a loop in another thread that waits

    def __iter__(self) -> Iterator[Any]:
        """Yields full rollouts, without end.

        Raises:
            InputError: the collector was not entered in a `with` statement, or that has ended.
            Exception: an exception of `act` or of the environments in the thread.
        """
        if self._thread is None:
            raise InputError("Collector: enter it with `with` before iterating")
        while not self._left.empty():
            self._free.put(self._left.get())
        while True:
            if self._stops.is_set():
                raise _ended()
            filled = self._full.get()
            if isinstance(filled, BaseException):
                self._full.put(filled)  # so that another loop raises it too
                raise filled
            try:
                yield filled
            except GeneratorExit:  # the program may use it until it begins another loop
                self._left.put(filled)
                raise
            self._free.put(filled)

    def _run(self) -> None:
        try:
            while True:
                rollout = self._free.get()
                if rollout is None:
                    return
                for _ in rollout:
                    self._act(rollout)
                    if self._stops.is_set():
                        return
                self._full.put(rollout)
        except BaseException as error:
            self._full.put(error)


def _ended() -> InputError:
    return InputError("Collector: its `with` block has ended; iterate inside it")
