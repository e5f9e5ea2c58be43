"""What a wheel is used for first: steps of tasks, and of a plug-in that is built against it.

Run by the interpreter of an environment in which only the wheel and what it requires is installed,
in a directory that has the plug-in `walk`.
"""

from __future__ import annotations

import importlib
import platform
import sys

import envpool_py

sys.path.insert(0, ".")
walk = importlib.import_module("walk")

for task_id in ("CartPole-v1", "Walk-v0"):
    with envpool_py.make(task_id, num_envs=64, batch_size=16, seed=1) as envs:
        envs.async_reset()
        for _ in range(100):
            infos = envs.recv()[-1]
            envs.send([1] * 16, infos["env_id"])
        assert envs.stats()["episodes"] > 0
# The modules of families, and the random numbers of NumPy's library.
assert "Pong-v5" in envpool_py.list_all_envs()
assert envpool_py.make_spec("Pong-v5").frame_skip == 4
assert "Ant-v5" in envpool_py.list_all_envs()
with envpool_py.make("LunarLander-v3", num_envs=2, seed=1) as envs:
    assert envs.reset()[0].shape == (2, 8)
print(
    f"Python {platform.python_version()} on {platform.machine()}, {' '.join(platform.libc_ver())}: "
    f"steps CartPole and the plug-in {walk.__name__}"
)
