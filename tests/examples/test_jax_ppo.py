"""PPO in JAX: both engines train equally, and it learns."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
SHORT = ["--num-envs", "4", "--num-steps", "16", "--steps", "1280"]

jax = pytest.importorskip("jax")
pytest.importorskip("optax")


@pytest.fixture
def program(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(EXAMPLES)
    return importlib.import_module("jax_ppo")


def test_trains_as_on_gymnasium(program: Any) -> None:
    """The environments are bit-equal, so the training is too."""
    mine = program.main(SHORT)
    theirs = program.main([*SHORT, "--engine", "gymnasium"])
    returns = [[row[2] for row in record["curve"]] for record in (mine, theirs)]
    assert returns[0] == returns[1]
    assert mine["evaluation"] == theirs["evaluation"]


def test_advantages(program: Any) -> None:
    """Compares with a plain loop over one environment with a terminal and a truncated step."""
    rng = np.random.default_rng(0)
    n = 12
    values, rewards = rng.normal(size=(2, n, 1)).astype(np.float32)
    terminated, done = np.zeros((2, n, 1), np.float32)
    terminated[4] = done[4] = done[8] = 1
    batch = program.Batch(None, None, None, values, rewards, terminated, done, None)
    last = np.float32([0.5])
    settings = program.Settings("", 1, n, 1, 1, 1, 0.0, 1)
    expected, later = np.zeros(n), 0.0
    following = [*values[1:, 0], last[0]]
    for t in reversed(range(n)):
        delta = rewards[t, 0] + 0.99 * following[t] * (1 - terminated[t, 0]) - values[t, 0]
        later = delta + 0.99 * 0.95 * (1 - done[t, 0]) * later
        expected[t] = later
    came = program.advantages_of(batch, last, settings)
    np.testing.assert_allclose(came[:, 0], expected, rtol=1e-5, atol=1e-6)


@pytest.mark.long
def test_learns(program: Any) -> None:
    assert program.main([])["evaluation"]["mean_return"] >= 475
