"""Four threads make random calls on pools for a given time: `python -m tests.stress`.

A round makes a random pool. Its threads call send, recv, step, reset, async_reset, drain, render
and stats; in about half of the rounds, one of them closes the pool at a random time. A call may
only return correct results or raise an error that is possible at that moment (see `model` and
`calls`). At the end of a round, the counts of the environments, the model and `stats` must agree,
no two threads may have been inside one environment at once, and every call on a closed pool must
raise ClosedError. A call that takes more than two minutes fails the run and prints the stacks of
all threads.
"""

from __future__ import annotations

import argparse
import collections
import faulthandler
import os
import sys
import threading
import time
import traceback
from typing import Any

import numpy as np

import envpool_py
from envpool_py import _testing as testing

from .calls import Player
from .model import Model

THREADS = 4
LONGEST_CALL = 120.0  # seconds
# Seconds of a round. Most rounds are short, because closing and first calls are the risky moments.
MEAN_ROUND, LONGEST_ROUND = 1.5, 20.0


class Round:
    """A pool and the threads that call it."""

    def __init__(self, seed: int) -> None:
        rng = np.random.default_rng(seed)
        n = int(rng.integers(1, 33))
        self.settings: dict[str, Any] = {
            "num_envs": n,
            "batch_size": n if rng.random() < 0.4 else int(rng.integers(1, n + 1)),
            "num_threads": int(rng.integers(1, 5)),
            "work": int(rng.choice([0, 5_000, 100_000, 1_000_000])),
        }
        throws = bool(rng.random() < 0.5)
        self.closes = bool(rng.random() < 0.5)
        self.seconds = min(rng.exponential(MEAN_ROUND), LONGEST_ROUND)
        self.pool = envpool_py.make("Testing/Serial-v0", render_mode="rgb_array", **self.settings)
        self.model = Model(n)
        self.players = [
            Player(
                self.pool,
                self.model,
                seed * THREADS + i,
                throws=throws,
                closes=rng.choice([1e-2, 1e-3, 1e-4]) if self.closes else 0.0,
            )
            for i in range(THREADS)
        ]
        self._stop = threading.Event()
        self.failures: list[str] = []

    def run(self, seconds: float) -> None:
        """Runs for the round's own time, but at most `seconds`."""
        self._reset_all()
        threads = [threading.Thread(target=self._play, args=(p,)) for p in self.players]
        for thread in threads:
            thread.start()
        self._watch(threads, min(self.seconds, seconds))
        if not self.failures:
            self._end()

    def _reset_all(self) -> None:
        everything = np.arange(self.pool.num_envs)
        self.model.begin(everything)
        least = self.model.least()
        obs, infos = self.pool.reset()
        self.model.accepted(everything)
        self.model.check_rows(infos["env_id"], obs, least)

    def _play(self, player: Player) -> None:
        try:
            while not self._stop.is_set() and player.play():
                pass
            if self.model.closing.is_set() and self.pool._core.closed:
                player.check_closed()
        except BaseException:
            self.failures.append(traceback.format_exc())
            self._stop.set()

    def _watch(self, threads: list[threading.Thread], seconds: float) -> None:
        end = time.monotonic() + seconds
        seen = [(-1, 0.0)] * THREADS  # number of calls made, and the time of the last change
        while any(thread.is_alive() for thread in threads):
            now = time.monotonic()
            if now >= end:
                self._stop.set()
            for i, player in enumerate(self.players):
                if player.calls != seen[i][0]:
                    seen[i] = player.calls, now
                elif threads[i].is_alive() and now - seen[i][1] > LONGEST_CALL:
                    print(f"a call of thread {i} does not return: {self.settings}", file=sys.stderr)
                    faulthandler.dump_traceback(all_threads=True)
                    os._exit(1)
            for thread in threads:
                thread.join(0.05)
                if thread.is_alive():
                    break

    def _end(self) -> None:
        if not self.model.closing.is_set():
            self.pool.drain()
            before = self.pool.stats()
            pictured = None
            if not self.model.throws.is_set():
                pictured = [
                    np.frombuffer(p.tobytes()[8:16], np.int64)[0] for p in self.pool.render()
                ]
            obs, _ = self.pool.reset()  # cannot be refused, because nothing is in flight
            self.model.check_quiet(obs[:, 1] - 1, before)
            assert pictured is None or (obs[:, 1] - 1 == pictured).all()
            self.model.closing.set()
        self.pool.close(timeout=LONGEST_CALL)
        assert testing.overlaps() == 0, "two threads were inside one environment"


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.stress", description=__doc__)
    parser.add_argument("--seconds", type=float, default=1800.0)
    parser.add_argument("--seed", type=int, default=0, help="of the first round")
    parsed = parser.parse_args(arguments)
    faulthandler.enable()
    end = time.monotonic() + parsed.seconds
    outcomes: collections.Counter[tuple[str, str]] = collections.Counter()
    seed = parsed.seed
    while (left := end - time.monotonic()) > 0:
        # A watchdog for this thread's calls; `_watch` checks the other threads' calls.
        faulthandler.dump_traceback_later(LONGEST_ROUND + 3 * LONGEST_CALL, exit=True)
        round_ = Round(seed)
        try:
            round_.run(left)
        except Exception:
            round_.failures.append(traceback.format_exc())
        if round_.failures:
            print(f"round --seed {seed}, {round_.settings}:", *round_.failures, file=sys.stderr)
            return 1
        outcomes += round_.model.outcomes
        seed += 1
    faulthandler.cancel_dump_traceback_later()
    for (call, outcome), count in sorted(outcomes.items()):
        print(f"{call:12} {outcome:24} {count}")
    print(f"{seed - parsed.seed} rounds, {sum(outcomes.values())} calls")
    return 0


if __name__ == "__main__":
    sys.exit(main())
