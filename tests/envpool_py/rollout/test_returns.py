"""GAE and V-trace in NumPy, PyTorch and JAX, compared with their definitions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from envpool_py.errors import InputError
from envpool_py.rollout import gae, vtrace

from . import oracles

GAMMA, LAM = 0.97, 0.9
CLIPS = (1.3, 0.8, 1.1)


def convert(framework: str, column: np.ndarray) -> Any:
    if framework == "numpy":
        return column
    if framework == "torch":
        return pytest.importorskip("torch").from_numpy(column)
    return pytest.importorskip("jax").numpy.asarray(column)


def columns(framework: str, dtype: Any = np.float64) -> tuple[dict[str, Any], dict[str, Any], Any]:
    rng = np.random.default_rng(3)
    known = oracles.columns(rng, 40, 5, dtype)
    log_ratios = rng.normal(scale=0.5, size=(40, 5)).astype(dtype)
    return known, {name: convert(framework, column) for name, column in known.items()}, log_ratios


FRAMEWORKS = ["numpy", "torch", "jax"]


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_gae_is_its_definition(framework: str) -> None:
    dtype = np.float32 if framework == "jax" else np.float64  # JAX has no float64 by default
    known, given, _ = columns(framework, dtype)
    advantages, returns = gae(**given, gamma=GAMMA, lam=LAM)
    expected = oracles.gae(known, GAMMA, LAM)
    assert not known["valid"].all()
    tolerance = {"rtol": 1e-4, "atol": 1e-5} if framework == "jax" else {"rtol": 1e-12}
    np.testing.assert_allclose(np.asarray(advantages), expected, **tolerance)
    np.testing.assert_allclose(np.asarray(returns), expected + known["values"], **tolerance)
    assert type(advantages) is type(given["rewards"])


@pytest.mark.parametrize("framework", FRAMEWORKS)
@pytest.mark.parametrize("lam", [1.0, LAM])
def test_vtrace_is_its_definition(framework: str, lam: float) -> None:
    dtype = np.float32 if framework == "jax" else np.float64
    known, given, log_ratios = columns(framework, dtype)
    clips = {"clip_rho": CLIPS[0], "clip_c": CLIPS[1], "clip_policy_rho": CLIPS[2]}
    targets, advantages = vtrace(
        convert(framework, log_ratios), **given, gamma=GAMMA, lam=lam, **clips
    )
    expected = oracles.vtrace(known, log_ratios, GAMMA, lam, CLIPS)
    tolerance = {"rtol": 1e-4, "atol": 1e-5} if framework == "jax" else {"rtol": 1e-11}
    np.testing.assert_allclose(np.asarray(targets), expected[0], **tolerance)
    np.testing.assert_allclose(np.asarray(advantages), expected[1], **tolerance)


def test_vtrace_on_policy_is_gae_without_clipping() -> None:
    _, given, _ = columns("numpy")
    targets, _ = vtrace(np.zeros((40, 5)), **given, gamma=GAMMA, lam=LAM)
    _, returns = gae(**given, gamma=GAMMA, lam=LAM)
    np.testing.assert_allclose(targets, returns, rtol=1e-12)


def test_no_argument_is_modified() -> None:
    _, given, log_ratios = columns("numpy")
    copies = {name: column.copy() for name, column in given.items()}
    gae(**given, gamma=GAMMA, lam=LAM)
    vtrace(log_ratios, **given, gamma=GAMMA)
    for name, column in given.items():
        np.testing.assert_array_equal(column, copies[name])


def test_jax_traces_them() -> None:
    jax = pytest.importorskip("jax")
    known, given, log_ratios = columns("jax", np.float32)

    @jax.jit
    def both(log_ratios: Any, given: dict[str, Any]) -> Any:
        return gae(**given, gamma=GAMMA, lam=LAM)[0], vtrace(log_ratios, **given, gamma=GAMMA)[0]

    advantages, targets = both(log_ratios, given)
    np.testing.assert_allclose(advantages, oracles.gae(known, GAMMA, LAM), rtol=1e-4, atol=1e-5)
    expected = oracles.vtrace(known, log_ratios, GAMMA, 1.0, (1.0, 1.0, 1.0))[0]
    np.testing.assert_allclose(targets, expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("name", ["values", "next_values", "terminated", "truncated", "valid"])
def test_a_column_of_another_shape_is_refused(name: str) -> None:
    _, given, log_ratios = columns("numpy")
    given[name] = given[name][:, :1]
    message = rf"^{name}: expected the shape \(T, N\) of rewards, \(40, 5\), got \(40, 1\)$"
    with pytest.raises(InputError, match=message):
        gae(**given, gamma=GAMMA, lam=LAM)
    with pytest.raises(InputError, match=name):
        vtrace(log_ratios, **given, gamma=GAMMA)
