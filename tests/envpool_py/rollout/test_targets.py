"""Arrays of the caller as targets of batches, and their lifetimes."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..lifecycle import Make


def test_freeing_an_array_may_call_the_pool(make: Make) -> None:
    pool = make("Serial", num_envs=4, batch_size=2, num_threads=2)
    core = pool._core
    made: list[Any] = []

    def new_target(make_array: Any = np.zeros) -> Any:
        names = pool.single_observation_space
        return core.make_target({"obs": make_array((8, *names.shape), names.dtype)})

    class CallsThePool(np.ndarray):
        def __del__(self) -> None:
            if self.base is None:
                for _ in range(20):
                    made.append(new_target())
                    core.add_targets(made[-1], 0, 0)

    for _ in range(3):
        core.add_targets(new_target(lambda shape, dtype: CallsThePool(shape, dtype)), 0, 0)
        core.add_targets(new_target(), 0, 0)  # frees the first target
    assert len(made) >= 40
    made.clear()
    target = new_target()
    core.add_targets(target, 0, 4)
    core.async_reset(None, None)
    for batch in range(2):
        core.recv_into(None, target, 2 * batch)
