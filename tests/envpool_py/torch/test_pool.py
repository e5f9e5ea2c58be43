"""`TorchPool` without copies on the CPU, and with page-locked memory on a fake device."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import envpool_py  # noqa: E402  # after the skip
from envpool_py.errors import (  # noqa: E402
    EnvironmentFailedError,
    InputError,
    InputTypeError,
    NothingInFlightError,
)
from envpool_py.pool.trees import is_texts, leaves  # noqa: E402
from envpool_py.torch import TorchPool  # noqa: E402

from ..lifecycle import Make, zeros  # noqa: E402
from ..rollout.tasks import TASKS  # noqa: E402
from ..rollout.tasks import make as make_task  # noqa: E402
from .fake_device import FakeDevice, host  # noqa: E402

N = 6
# Tasks without text observations.
COPIED = ["CartPole-v1", "Blackjack-v1", "Testing/MultiField-v0", "Pendulum-v1"]
Result = tuple[Any, ...]


def assert_equal(result: Result, expected: Result) -> None:
    tensors, arrays = dict(leaves(result[0])), dict(leaves(expected[0]))
    assert tensors.keys() == arrays.keys()
    for name, array in arrays.items():
        np.testing.assert_array_equal(np.asarray(tensors[name]), array)
        assert is_texts(array) or np.asarray(tensors[name]).dtype == array.dtype
    if len(result) == 2:
        return
    np.testing.assert_array_equal(np.asarray(result[1]), expected[1].astype(np.float32))
    for at in (2, 3):
        assert result[at].dtype == torch.bool
        np.testing.assert_array_equal(np.asarray(result[at]), expected[at])
    assert result[1].dtype == torch.float32


def pair(task: str, **arguments: Any) -> tuple[Any, Any]:
    return tuple(
        make_task(task, num_envs=N, num_threads=2, autoreset_mode="SameStep", **arguments)
        for _ in range(2)
    )  # type: ignore[return-value]


# --- On the CPU ----------------------------------------------------------------------------------


def test_tensors_of_environments_that_differ() -> None:
    tasks = ["FrozenLake-v1", "FrozenLake8x8-v1"]
    lakes = [{"is_slippery": env % 2 == 1} for env in range(4)]
    one, other = (envpool_py.make(tasks, num_envs=4, env_options=lakes) for _ in range(2))
    with TorchPool(one) as envs, other:
        assert_equal(envs.reset(seed=4), other.reset(seed=4))
        for actions in ([2, 1, 1, 2], [1, 2, 2, 1]):
            result, expected = envs.step(torch.tensor(actions)), other.step(np.array(actions))
            assert_equal(result, expected)
            assert result[4]["task"].tolist() == [0, 0, 1, 1]


@pytest.mark.parametrize("task", [*TASKS, "Testing/MultiField-v0"])
def test_tensors_equal_the_arrays(testing: Any, task: str) -> None:
    one, other = pair(task)
    one.action_space.seed(0)
    with TorchPool(one) as envs, other:
        assert_equal(envs.reset(seed=4), other.reset(seed=4))
        for step in range(30):
            actions = one.action_space.sample()
            given = torch.from_numpy(actions) if step % 2 else actions
            result, expected = envs.step(given), other.step(actions)
            assert_equal(result, expected)
            assert ("final_obs" in result[4]) == ("final_obs" in expected[4])
            if "final_obs" in expected[4]:
                assert_equal((result[4]["final_obs"], {}), (expected[4]["final_obs"], {}))
        subset = torch.tensor([4, 1])
        rows = np.array([4, 1])
        assert_equal(envs.step(actions[rows], subset), other.step(actions[rows], rows))


def test_nothing_is_copied(make: Make) -> None:
    """Tensors are views of the pool's blocks; they hold the blocks and release them."""
    pool = make("Wide", num_envs=N, width=65_536)
    envs = TorchPool(pool)
    envs.reset()
    obs, _, terminated, truncated, infos = envs.step(torch.zeros(N, dtype=torch.int64))
    stats = pool.stats()
    assert stats["leased_blocks"] == 2
    del infos
    kept = obs[2:4]
    del obs
    assert pool.stats()["leased_blocks"] == 2
    kept[:] = 7  # the tensor is writable
    envs.step(zeros(N))
    assert (kept == 7).all()
    del kept
    assert pool.stats()["leased_blocks"] == 1
    del terminated, truncated
    assert pool.stats()["leased_blocks"] == 0


def test_dlpack_shares_the_blocks() -> None:
    """The arrays support DLPack themselves, without TorchPool."""
    with envpool_py.make("CartPole-v1", num_envs=N) as pool:
        pool.reset()
        for array in pool.step(zeros(N))[:4]:
            tensor = torch.from_dlpack(array)
            assert tensor.data_ptr() == array.ctypes.data
            assert array.__dlpack_device__() == (1, 0)


def test_actions_with_gradients_are_taken() -> None:
    with TorchPool(envpool_py.make("Pendulum-v1", num_envs=N)) as envs:
        envs.reset()
        envs.step(torch.zeros(N, 1, requires_grad=True) * 2)


def test_first_ready_batches() -> None:
    pool = envpool_py.make("CartPole-v1", num_envs=N, batch_size=2, num_threads=2)
    with TorchPool(pool) as envs:
        envs.async_reset(seed=0)
        for _ in range(20):
            obs, rewards, terminated, _, infos = envs.recv()
            assert obs.shape == (2, 4)
            assert rewards.shape == terminated.shape == (2,)
            envs.send(torch.zeros(2, dtype=torch.int64), infos["env_id"])
        assert len(envs.recv()) == 5


def test_tensordicts() -> None:
    pytest.importorskip("tensordict")
    one, other = pair("CartPole-v1")
    with TorchPool(one, tensordict=True) as envs, other:
        started = envs.reset(seed=1)
        np.testing.assert_array_equal(started["observation"], other.reset(seed=1)[0])
        result, expected = envs.step(zeros(N)), other.step(zeros(N))
        assert result.batch_size == torch.Size([N])
        names = {"observation", "reward", "terminated", "truncated", "done", "env_id"}
        assert set(result.keys()) == names
        np.testing.assert_array_equal(result["observation"], expected[0])
        np.testing.assert_array_equal(result["reward"], expected[1])
        np.testing.assert_array_equal(result["env_id"], np.arange(N))
        assert "elapsed_step" in envs.infos
    with TorchPool(envpool_py.make("Blackjack-v1", num_envs=N), tensordict=True) as envs:
        assert set(envs.reset()["observation"].keys()) == {"0", "1", "2"}


def test_wrong_arguments() -> None:
    with envpool_py.make("CartPole-v1", num_envs=2) as pool:
        with pytest.raises(InputTypeError, match="envs: expected a GymnasiumPool"):
            TorchPool(object())  # type: ignore[arg-type]
        with pytest.raises(InputError, match="device: expected a device of PyTorch, got 'gpu'"):
            TorchPool(pool, "gpu")
        with pytest.raises(InputError, match='device: expected "cpu" or a CUDA device, got "meta"'):
            TorchPool(pool, "meta")
        if not torch.cuda.is_available():
            with pytest.raises(InputError, match='finds no CUDA device here, got "cuda"'):
                TorchPool(pool, "cuda")


# --- Through page-locked memory ------------------------------------------------------------------


@pytest.mark.parametrize("task", COPIED)
@pytest.mark.parametrize("waits", [True, False], ids=["each step", "at the end"])
def test_copies_are_of_the_right_batch(testing: Any, task: str, waits: bool) -> None:
    """Environments never overwrite a batch before the device has copied it, however late."""
    one, other = pair(task)
    one.action_space.seed(0)
    device = FakeDevice()
    results, expected = [], []
    with TorchPool(one, device) as envs, other:
        results.append(envs.reset(seed=4))
        expected.append(other.reset(seed=4))
        for _ in range(25):
            actions = one.action_space.sample()
            results.append(envs.step(actions))
            expected.append(other.step(actions))
            if waits:
                device.finish()
                assert_equal(results[-1], expected[-1])
        copies = 1 + len(list(leaves(expected[0][0])))
        if waits:
            assert device.late == 0
        elif "final_obs" not in expected[-1][-1] | expected[-2][-1]:  # the pool awaits these
            assert device.late == 2 * copies
        device.finish()
        for result, wanted in zip(results, expected, strict=True):
            assert_equal(result, wanted)
            if "final_obs" in result[-1]:
                assert_equal((result[-1]["final_obs"], {}), (wanted[-1]["final_obs"], {}))
    assert list(device.locked) == device.unlocked
    assert len(device.locked) == 1


def test_the_callers_stream_waits_for_what_it_gets() -> None:
    one, other = pair("CartPole-v1")
    device = FakeDevice()
    with TorchPool(one, device) as envs, other:
        envs.reset(seed=0)
        obs, rewards, *_ = envs.step(zeros(N))
        _, tensors = device.waits[-1]
        assert any(tensor is obs for tensor in tensors)
        small = tensors[-1]
        assert rewards.data_ptr() == small.data_ptr()


@pytest.mark.parametrize("batch_size", [1, 2, 4])
def test_first_ready_batches_are_copied_late(make: Make, batch_size: int) -> None:
    """No serial number is lost or repeated, although the device copies as late as possible."""
    pool = make("Serial", num_envs=N, batch_size=batch_size, num_threads=2)
    device = FakeDevice()
    envs = TorchPool(pool, device)
    envs.async_reset()
    results = []
    for _ in range(60):
        obs, rewards, _, _, infos = envs.recv()
        results.append((obs, rewards, infos["env_id"].copy(), infos["elapsed_step"].copy()))
        envs.send(torch.zeros(batch_size, dtype=torch.int64), infos["env_id"])
    assert device.paged == 0
    assert device.late > 0
    device.finish()
    seen = np.zeros(N, int)
    for obs, rewards, ids, elapsed in results:
        np.testing.assert_array_equal(host(obs)[:, 1], seen[ids] + 1)
        np.testing.assert_array_equal(host(obs)[:, 2], elapsed)
        assert rewards.shape == (batch_size,)
        seen[ids] += 1
    envs.close()
    assert list(device.locked) == device.unlocked


def test_a_pool_that_was_used_otherwise_is_copied_all_the_same(make: Make) -> None:
    pool = make("Serial", num_envs=4, batch_size=2, num_threads=2)
    device = FakeDevice()
    envs = TorchPool(pool, device)
    pool.async_reset()  # bypasses the memory of `envs`
    seen = np.zeros(4, int)
    for _ in range(20):
        obs, *_, infos = envs.recv()
        device.finish()
        ids = infos["env_id"]
        np.testing.assert_array_equal(host(obs)[:, 1], seen[ids] + 1)
        seen[ids] += 1
        envs.send(zeros(2), ids)
    assert device.paged > 0


def test_step_of_a_first_ready_pool(make: Make) -> None:
    pool = make("Serial", num_envs=4, batch_size=2, num_threads=2)
    device = FakeDevice()
    with TorchPool(pool, device) as envs:
        obs, infos = envs.reset(seed=0)
        assert host(obs).shape == (4, 3)
        obs, *_, infos = envs.step(zeros(4))
        device.finish()
        assert host(obs)[:, 2].tolist() == [1, 1]
        obs, *_, infos = envs.step(zeros(2), infos["env_id"])
        assert len(infos["env_id"]) == 2


# --- Errors --------------------------------------------------------------------------------------


@pytest.mark.parametrize("batch_size", [None, 2])
@pytest.mark.parametrize("kind", ["cpu", "fake"])
def test_the_batch_of_a_failed_environment(make: Make, kind: str, batch_size: int | None) -> None:
    """It has tensors, which later steps do not overwrite."""
    device: Any = FakeDevice() if kind == "fake" else "cpu"
    pool = make("Failing", num_envs=4, batch_size=batch_size, num_threads=2)
    with TorchPool(pool, device) as envs:
        envs.reset(seed=0)
        ids = np.arange(4 if batch_size is None else 2)
        for _ in range(2):
            envs.step(torch.from_numpy(zeros(len(ids))), ids)
        with pytest.raises(EnvironmentFailedError) as caught:
            envs.step(torch.from_numpy(np.eye(len(ids), dtype=np.int64)[1]), ids)
        assert list(caught.value.env_ids) == [1]
        obs, rewards, terminated, truncated, infos = caught.value.batch
        assert rewards.dtype == torch.float32
        assert terminated.dtype == truncated.dtype == torch.bool
        row = infos["env_id"].tolist().index(0)
        envs.reset([1])
        for _ in range(4):
            envs.step(zeros(len(ids)), ids)
        if kind == "fake":
            device.finish()
        assert host(obs)[row, 0] == 3


@pytest.mark.parametrize("kind", ["cpu", "fake"])
def test_the_batch_of_a_failed_reset_or_recv(make: Make, kind: str) -> None:
    device: Any = FakeDevice() if kind == "fake" else "cpu"
    with TorchPool(make("Failing", num_envs=2, num_threads=2), device) as envs:
        with pytest.raises(EnvironmentFailedError) as caught:
            envs.reset(options={"fail": True})
        obs, infos = caught.value.batch
        assert isinstance(obs, torch.Tensor)
        assert len(infos["env_id"]) == 2
    with TorchPool(make("Failing", num_envs=2, batch_size=1, num_threads=2), device) as envs:
        envs.reset(seed=0)
        envs.send(np.ones(1, np.int64), [1])
        with pytest.raises(EnvironmentFailedError) as caught:
            envs.recv()
        obs, rewards, *_ = caught.value.batch
        assert isinstance(obs, torch.Tensor)
        assert rewards.dtype == torch.float32


def test_an_impossible_step_of_a_first_ready_pool_sends_nothing(make: Make) -> None:
    pool = make("Serial", num_envs=4, batch_size=2, num_threads=2)
    with TorchPool(pool, FakeDevice()) as envs:
        envs.reset(seed=0)
        with pytest.raises(NothingInFlightError):
            envs.step(zeros(1), [3])
        infos = envs.step(zeros(2), [3, 1])[-1]  # environment 3 is not in flight
        assert sorted(infos["env_id"].tolist()) == [1, 3]
