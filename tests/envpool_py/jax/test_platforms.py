"""Which platforms programs can be compiled for. What runs on a GPU is tested in C++, on a simulated
one; where JAX finds a GPU, all tests of this directory run on it."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np
import pytest

import envpool_py.jax
from envpool_py import _core

ACTIONS = np.ones(3, np.int32)


@pytest.fixture
def env() -> Any:
    with envpool_py.jax.make("CartPole-v1", num_envs=3) as made:
        yield made


@pytest.mark.parametrize("platform", ["cpu", "cuda"])
def test_programs_are_compiled_for(env: Any, platform: str) -> None:
    """Each call becomes a call of the handler, with the buffers in place."""

    def program(state: Any, buffers: Any, t: Any) -> Any:
        made, buffers = env.step_into(state, ACTIONS, buffers, t)
        obs, state = env.reset(state=made.state, mask=made.done)
        return obs, env.recv(env.send(state, ACTIONS)).reward, buffers

    _, state = env.reset(seed=0)
    lowered = jax.jit(program).trace(state, env.buffers(2), 0).lower(lowering_platforms=(platform,))
    text = lowered.as_text()
    for name in ("step", "reset", "send", "recv"):
        assert f"stablehlo.custom_call @envpool_py_{name}(" in text
    assert text.count("output_operand_alias<") == 1


def test_other_platforms_are_refused(env: Any) -> None:
    _, state = env.reset(seed=0)
    traced = jax.jit(lambda state: env.step(state, ACTIONS)).trace(state)
    with pytest.raises(NotImplementedError, match=r"envpool_py_step.*rocm"):
        traced.lower(lowering_platforms=("rocm",))


def test_each_platform_has_all_handlers() -> None:
    handlers = _core.xla_handlers()
    assert list(handlers) == ["cpu", "cuda"]
    assert all(list(by_name) == ["reset", "step", "send", "recv"] for by_name in handlers.values())
