"""A worker process that writes over the memory it shares with the pool: errors, never a crash.

Values may be wrong then; the pool's process must neither crash nor wait without end.
"""

from __future__ import annotations

import subprocess
import sys
import textwrap

import pytest

PROGRAM = """
import ctypes, random, re, sys

import gymnasium
import numpy as np

import envpool_py
from envpool_py.errors import EnvPoolError

NUM_ENVS = 4


def damage(seed):
    "Overwrites a few bytes of the shared memory, mostly of its state, which comes first."
    chosen = random.Random(seed)
    with open("/proc/self/maps") as maps:
        lines = [line.split() for line in maps if re.search("(memfd:|/dev/shm/)envpool", line)]
    begin, end = (int(text, 16) for text in lines[0][0].split("-"))
    for _ in range(chosen.choice((1, 4, 30))):
        size = chosen.choice((1, 4, 8))
        place = chosen.randrange(6_000 if chosen.random() < 0.9 else 400_000) // size * size
        value = chosen.choice((bytes(size), b"\\xff" * size, chosen.randbytes(size)))
        ctypes.memmove(begin + min(place, end - begin - size), value, size)


class Damaging(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(0, 9, (3,))
    action_space = gymnasium.spaces.Discrete(2**31)

    def reset(self, *, seed=None, options=None):
        return np.ones(3, np.float32), {"note": "x"}

    def step(self, action):
        if action > 0:
            damage(int(action))
        return np.ones(3, np.float32), 1.0, False, False, {"note": "x" * 40}


def play(seed):
    chosen = random.Random(seed)
    batch_size = chosen.choice((NUM_ENVS, 2, 1))
    pool = envpool_py.make_python(
        Damaging,
        num_envs=NUM_ENVS,
        num_workers=2,
        batch_size=batch_size,
        step_timeout=0.3,
        on_error=chosen.choice(("raise", "reset")),
    )
    errors = 0
    try:
        pool.reset()
        for turn in range(6):
            actions = np.zeros(NUM_ENVS, int)
            if turn in (1, 3):
                actions[chosen.randrange(NUM_ENVS)] = chosen.randrange(1, 2**31)
            try:
                if batch_size == NUM_ENVS:
                    pool.step(actions)
                else:
                    pool.send(actions)
                    for _ in range(NUM_ENVS // batch_size):
                        pool.recv(timeout=2.0)
            except EnvPoolError:
                errors += 1
                try:
                    pool.drain() if chosen.random() < 0.3 else pool.reset()
                except EnvPoolError:
                    break
            pool.health(), pool.stats()
    finally:
        try:
            pool.close(timeout=3.0)
        except EnvPoolError:
            pass
    return errors


if __name__ == "__main__":
    import signal

    first, last = map(int, sys.argv[1:])
    errors = 0
    for seed in range(first, last):
        print("seed", seed, flush=True)
        signal.alarm(300)
        errors += play(seed)
    print("errors", errors)
"""


@pytest.mark.parametrize("tries", [12, pytest.param(2_000, marks=pytest.mark.long)])
def test_damaged_memory(tries: int, tmp_path: object) -> None:
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(PROGRAM), "0", str(tries)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-300:] + done.stderr[-3000:]
    assert done.stdout.splitlines()[-1].startswith("errors ")
