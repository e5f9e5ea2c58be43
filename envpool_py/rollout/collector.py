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
        self._rollouts: list[Any] = list(rollouts)
        # Rollouts are numbered from 0 over all loops; number n is in `rollouts[n % len(rollouts)]`.
        # A thread changes what it shares by single assignments, and tests them again after it was
        # woken. KeyboardInterrupt, wherever it is raised in a loop, thus leaves a valid state.
        self._num_filled = 0  # changed by the thread alone
        self._num_given = 0  # to loops; changed by loops, as the next one
        self._num_released = 0  # those that the thread may fill again
        self._error: BaseException | None = None
        self._has_raised = False
        self._stops = False
        # `SimpleQueue` alone is atomic for signal handlers, which `Condition` and `Event` are not.
        self._bell_of_thread: Bell = queue.SimpleQueue()
        self._bell_of_loops: Bell = queue.SimpleQueue()
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
        """Stops the thread after its current step, and waits for it.

        Raises:
            Exception: that of the thread, if no loop has raised it and the block has ended without
                another one.
        """
        self._stops = True
        _ring(self._bell_of_thread)
        _ring(self._bell_of_loops)
        if self._thread is not None:
            self._thread.join()
        if exc_type is None and self._error is not None and not self._has_raised:
            self._has_raised = True
            raise self._error

    def __iter__(self) -> Iterator[Any]:
        """Yields full rollouts, without end.

        KeyboardInterrupt does not lose rollouts: another loop continues with the next one.

        Raises:
            InputError: the collector was not entered in a `with` statement, or that has ended.
            Exception: an exception of `act` or of the environments in the thread.
        """
        if self._thread is None:
            raise InputError("Collector: enter it with `with` before iterating")
        while True:
            self._num_released = self._num_given
            _ring(self._bell_of_thread)
            self._await_full()
            number = self._num_given
            rollout = self._rollouts[number % len(self._rollouts)]
            # CPython runs signal handlers after calls, and at the beginnings of functions and
            # loops: none runs between this line and the next.
            self._num_given = number + 1
            yield rollout

    def _await_full(self) -> None:
        """Waits until a rollout is filled that no loop was given."""
        while True:
            if self._stops:
                _ring(self._bell_of_loops)  # for a loop in another thread
                raise InputError("Collector: its `with` block has ended; iterate inside it")
            if self._num_given < self._num_filled:
                return
            if self._error is not None:
                _ring(self._bell_of_loops)
                self._has_raised = True
                raise self._error
            self._bell_of_loops.get()

    def _run(self) -> None:
        try:
            while self._await_free():
                rollout = self._rollouts[self._num_filled % len(self._rollouts)]
                for _ in rollout:
                    self._act(rollout)
                    if self._stops:
                        return
                self._num_filled += 1
                _ring(self._bell_of_loops)
        except BaseException as error:
            self._error = error
            _ring(self._bell_of_loops)

    def _await_free(self) -> bool:
        """Waits until a rollout may be filled; returns False if the thread must end."""
        while not self._stops:
            if self._num_filled - self._num_released < len(self._rollouts):
                return True
            self._bell_of_thread.get()
        return False


Bell = queue.SimpleQueue[None]
"""Wakes a thread that waits for a change of the numbers: an entry says "test them again"."""


def _ring(bell: Bell) -> None:
    if bell.empty():
        bell.put(None)
