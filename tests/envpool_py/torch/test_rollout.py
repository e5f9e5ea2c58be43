"""Rollouts of tensors have the same numbers as rollouts of arrays, in shared memory."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import envpool_py  # noqa: E402  # after the skip
from envpool_py.errors import InputError  # noqa: E402
from envpool_py.rollout import make_rollouts  # noqa: E402

N = 5


def value_of(obs: Any) -> Any:
    return obs[:, 0] * 2 + obs[:, 2]


@pytest.mark.parametrize("mode", ["NextStep", "SameStep", "Disabled"])
@pytest.mark.parametrize("batch_size", [None, 5])
def test_it_equals_a_rollout_of_arrays(mode: str, batch_size: int | None) -> None:
    """Uses an ordered pool, which makes the order fixed for the first-ready kind too."""
    from envpool_py.rollout import FirstReadyRollout, Rollout

    kind: Any = Rollout if batch_size is None else FirstReadyRollout
    rollouts = []
    for framework in ("numpy", "torch"):
        pool = envpool_py.make("CartPole-v1", num_envs=N, autoreset_mode=mode, max_episode_steps=11)
        with pool:
            rollout = kind(pool, 30, framework=framework, seed=2)
            rng = np.random.default_rng(0)
            for _ in range(2):
                for _ in rollout:
                    actions: Any = rng.integers(0, 2, N)
                    values = value_of(rollout.obs)
                    if framework == "torch":
                        actions = torch.from_numpy(actions)
                        values.requires_grad_()  # rollouts store values without gradients
                    rollout.act(actions, values=values)
            found = {
                **rollout.flat(),
                "final": rollout.final_observations,
                "next": rollout.next_values(value_of),
                "gae": rollout.gae(value_of, gamma=0.9, lam=0.8),
                "vtrace": rollout.vtrace(
                    value_of, rollout.rewards * 0.01, rollout.columns["values"], gamma=0.9
                ),
            }
            rollouts.append(found)
    arrays, tensors = rollouts
    for name, array in arrays.items():
        for one, other in zip(
            array if isinstance(array, tuple) else [array],
            tensors[name] if isinstance(array, tuple) else [tensors[name]],
            strict=True,
        ):
            assert isinstance(other, torch.Tensor), name
            assert not other.requires_grad
            np.testing.assert_allclose(one, other.numpy(), rtol=1e-5, atol=1e-6, err_msg=name)
            assert one.dtype == other.numpy().dtype


def test_tensors_share_the_memory() -> None:
    with envpool_py.make("CartPole-v1", num_envs=N) as pool:
        (rollout,) = make_rollouts(pool, 4, 1, framework="torch")
        for t in rollout:
            assert rollout.obs.data_ptr() == rollout.observations[t].data_ptr()
            rollout.act(torch.zeros(N, dtype=torch.int64))
        host = rollout._observation_rows
        assert host.ctypes.data == rollout.observations.data_ptr()


def test_a_column_of_another_shape_is_refused() -> None:
    with envpool_py.make("CartPole-v1", num_envs=N) as pool:
        (rollout,) = make_rollouts(pool, 4, 1, framework="torch")
        for _ in rollout:
            with pytest.raises(InputError, match=r"values: expected torch.float32 of shape \(5,\)"):
                rollout.act(torch.zeros(N, dtype=torch.int64), values=torch.zeros(N, 1))
            rollout.act(torch.zeros(N, dtype=torch.int64), values=torch.zeros(N))
