"""A pool whose results are tensors."""

from __future__ import annotations

import threading
from types import TracebackType
from typing import TYPE_CHECKING, Any

import numpy as np

from envpool_py.errors import (
    EnvironmentFailedError,
    InputError,
    InputTypeError,
    MissingPackageError,
)
from envpool_py.players.rows import refuse_players
from envpool_py.pool.arguments import Seed
from envpool_py.pool.base import EnvIds
from envpool_py.pool.core import core_of
from envpool_py.pool.gymnasium_pool import GymnasiumPool
from envpool_py.pool.trees import Tree, is_texts, leaves, map_arrays
from envpool_py.rollout.torch_framework import to_host, to_tensor, torch
from envpool_py.rollout.trees import assign_rows, by_name
from envpool_py.torch.devices import CudaDevice, Device
from envpool_py.torch.slots import Slots

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from typing_extensions import Self

__all__ = ["TorchPool"]

# The environments write one slot while the device copies another one.
_SLOTS = 2


class TorchPool:
    """Wraps a pool to take and return tensors; otherwise its calls are those of the pool.

        envs = TorchPool(envpool_py.make("CartPole-v1", num_envs=8))
        observations, infos = envs.reset(seed=0)
        observations, rewards, terminated, truncated, infos = envs.step(actions)

    Observations are tensors in the tree of the observation space, rewards float32 (n,), both flags
    bool (n,). Texts remain tuples of str. Infos are those of the pool, NumPy arrays on the host,
    except "final_obs", which contains tensors on the device.

    With `device="cpu"`, observations and flags share the memory of the pool's arrays without a
    copy. The tensors are writable and belong to the caller. Rewards are converted to float32.

    With a CUDA device, the environments write into page-locked memory, which is registered once. It
    has space for two batches (in first-ready mode, for two more than are in flight), which are used
    in turn: the device copies a batch on a separate stream while the environments write the next
    one. The current stream waits for the copy; the calling thread does not. Observations of a reset
    are copied in the same way. Texts are then uint8 (n, max_length), ASCII padded with zeros.

    Actions may be tensors on any device, arrays or lists. For actions on a device, the call waits
    until they are computed.

    Attributes:
        envs: the pool.
        device: device of the tensors.
        num_envs, batch_size: as the pool's.
        single_observation_space, single_action_space, observation_space, action_space: the pool's.
        infos: with `tensordict=True`: the infos of the latest call.
    """

    def __init__(
        self, envs: GymnasiumPool, device: Any = "cpu", *, tensordict: bool = False
    ) -> None:
        """Takes ownership of a pool; `close` closes it.

        Args:
            envs: a pool of `envpool_py.make`.
            device: "cpu" or a CUDA device, as for `torch.device`; or an
                `envpool_py.torch.devices.Device`.
            tensordict: whether results are TensorDicts, with the keys "observation", "reward",
                "terminated", "truncated", "done" and "env_id" (a reset has only the first and the
                last one). Needs the package tensordict.

        Raises:
            InputError, InputTypeError: an argument is not valid, or there is no such device.
            MissingPackageError: tensordict is not installed.
            ResourceError: the system refuses page-locked memory.
        """
        if not isinstance(envs, GymnasiumPool):
            raise InputTypeError(
                'envs: expected a GymnasiumPool (envpool_py.make with env_type="gymnasium"), got '
                f"{type(envs).__name__} {envs!r}"
            )
        refuse_players(envs, "envs")
        self.envs = envs
        self.num_envs = envs.num_envs
        self.batch_size = envs.batch_size
        self.single_observation_space = envs.single_observation_space
        self.single_action_space = envs.single_action_space
        self.action_space = envs.action_space
        self.infos: dict[str, Any] = {}
        self._tensordict = _tensordict_class() if tensordict else None
        self._staging: _Staging | None = None
        self.device, other = _device_of(device)
        if other is not None:
            self._staging = _Staging(envs, other)

    @property
    def observation_space(self) -> Any:
        """The space of `num_envs` rows."""
        return self.envs.observation_space

    def reset(
        self,
        env_id: EnvIds = None,
        *,
        seed: Seed = None,
        options: Mapping[str, Any] | None = None,
    ) -> Any:
        """Starts new episodes; see `GymnasiumPool.reset`.

        Returns:
            Observations, infos.
        """
        try:
            result = self.envs.reset(env_id, seed=seed, options=options)
        except EnvironmentFailedError as error:
            error.batch = self._started(error.batch, env_id)
            raise
        return self._started(result, env_id)

    def step(self, actions: Any, env_id: EnvIds = None) -> Any:
        """Steps environments and waits for them; see `GymnasiumPool.step`.

        Returns:
            Observations, rewards, terminations, truncations, infos.
        """
        host = to_host(actions)
        try:
            if self._staging is None:
                result = self.envs.step(host, env_id)
            else:
                result = self._staging.step(host, env_id)
        except EnvironmentFailedError as error:
            error.batch = self._result(error.batch, env_id)
            raise
        return self._result(result, env_id)

    def send(self, actions: Any, env_id: EnvIds = None) -> None:
        """Starts a step of some environments; see `PoolBase.send`."""
        host = to_host(actions)
        if self._staging is not None:
            self._staging.send(host, env_id)
        else:
            self.envs.send(host, env_id)

    def async_reset(self, env_id: EnvIds = None, seed: Seed = None) -> None:
        """Starts a reset of some environments; see `PoolBase.async_reset`."""
        if self._staging is not None:
            self._staging.offer()
        self.envs.async_reset(env_id, seed)

    def recv(self, timeout: float | None = None) -> Any:
        """Waits for the next batch; see `GymnasiumPool.recv`.

        Returns:
            Observations, rewards, terminations, truncations, infos.
        """
        try:
            if self._staging is None:
                result = self.envs.recv(timeout)
            else:
                result = self._staging.recv(timeout)
        except EnvironmentFailedError as error:
            error.batch = self._result(error.batch, None)
            raise
        return self._result(result, None)

    def close(self, timeout: float | None = None) -> None:
        """Closes the pool, and unlocks its memory; see `GymnasiumPool.close`."""
        self.envs.close(timeout)
        if self._staging is not None:
            self._staging.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc_value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.envs.__exit__(exc_type, exc_value, traceback)
        if self._staging is not None:
            self._staging.close()

    def __len__(self) -> int:
        return self.num_envs

    # --- Results

    def _result(self, result: tuple[Any, ...], env_id: EnvIds) -> Any:
        """Converts what `step` or `recv` returned; `_Staging` has converted it for a device."""
        observations, rewards, terminated, truncated, infos = result
        if self._staging is None:
            observations = map_arrays(to_tensor, observations)
            rewards = torch.from_numpy(rewards).to(torch.float32)
            terminated, truncated = torch.from_numpy(terminated), torch.from_numpy(truncated)
        if "final_obs" in infos:
            infos["final_obs"] = map_arrays(self._moved, infos["final_obs"])
        if self._tensordict is None:
            return observations, rewards, terminated, truncated, infos
        return self._made(
            infos,
            len(rewards),
            env_id,
            observation=observations,
            reward=rewards,
            terminated=terminated,
            truncated=truncated,
            done=terminated | truncated,
        )

    def _started(self, result: tuple[Any, ...], env_id: EnvIds) -> Any:
        """Converts what `reset` returned."""
        observations, infos = result
        if self._staging is None:
            observations = map_arrays(to_tensor, observations)
        else:
            observations = self._staging.copied(observations)
        if self._tensordict is None:
            return observations, infos
        rows = self.num_envs if env_id is None else len(np.atleast_1d(np.asarray(env_id)))
        return self._made(infos, rows, env_id, observation=observations)

    def _made(self, infos: dict[str, Any], rows: int, env_id: EnvIds, **parts: Any) -> Any:
        self.infos = infos
        assert self._tensordict is not None
        ids = infos.get("env_id")
        if ids is None:  # extra_infos=False
            ids = np.arange(rows) if env_id is None else np.atleast_1d(np.asarray(env_id))
        parts["env_id"] = self._moved(np.asarray(ids))
        return self._tensordict(
            {name: _as_nested(part) for name, part in parts.items()},
            batch_size=[rows],
            device=self.device,
        )

    def _moved(self, leaf: Any) -> Any:
        tensor = to_tensor(leaf)
        if self._staging is None or not isinstance(tensor, torch.Tensor):
            return tensor
        return self._staging.moved(tensor)


class _Staging:
    """Copies the results of a pool to a device through page-locked memory, one call at a time."""

    def __init__(self, envs: GymnasiumPool, device: Device) -> None:
        if not envs.capabilities.can_step_into:
            raise InputError(
                f"envs: a pool with render_mode={envs.render_mode!r} cannot return tensors of "
                "another device"
            )
        self._engine = core = core_of(envs)
        self._envs = envs
        self._device = device
        self._lock = threading.Lock()
        in_flight = -(-envs.num_envs // envs.batch_size) if envs.is_async else 0
        space = envs.single_observation_space
        self._slots = Slots(device, space, envs.batch_size, in_flight + _SLOTS)
        self._target = core.make_target(by_name(self._slots.observations, "obs"))
        self._next = 0
        # First-ready mode: the slots of open batches and of the next batches to open, in order.
        self._offered: list[int] = []

    def _take(self) -> int:
        slot = self._next
        self._next = (slot + 1) % self._slots.count
        self._slots.wait(slot)
        return slot

    def step(self, actions: Any, env_id: EnvIds) -> tuple[Any, ...]:
        """Steps the pool; returns tensors on the device.

        Raises:
            EnvironmentFailedError: `batch` has tensors on the device.
        """
        if self._envs.is_async:
            self.offer()
            return self._on_device(lambda: self._engine.step(actions, env_id), self._received)
        with self._lock:
            slot = self._take()
            first = slot * self._slots.rows
            return self._on_device(
                lambda: self._engine.step_into(actions, env_id, self._target, first),
                lambda result: (*self._slots.to_device(slot, *result[1:4]), result[4]),
            )

    def offer(self) -> None:
        """Makes the next batches be written to free slots."""
        with self._lock:
            while len(self._offered) < self._slots.count - 1:
                slot = self._take()
                self._engine.add_targets(self._target, slot * self._slots.rows, 1)
                self._offered.append(slot)

    def send(self, actions: Any, env_id: EnvIds) -> None:
        """Starts steps."""
        self.offer()
        self._engine.send(actions, env_id)

    def recv(self, timeout: float | None) -> tuple[Any, ...]:
        """Receives a batch; returns tensors on the device.

        Raises:
            EnvironmentFailedError: `batch` has tensors on the device.
        """
        return self._on_device(lambda: self._engine.recv(timeout), self._received)

    def _on_device(
        self,
        call: Callable[[], tuple[Any, ...]],
        copied: Callable[[tuple[Any, ...]], tuple[Any, ...]],
    ) -> tuple[Any, ...]:
        try:
            result = call()
        except EnvironmentFailedError as error:
            error.batch = copied(error.batch)
            raise
        return copied(result)

    def _received(self, result: tuple[Any, ...]) -> tuple[Any, ...]:
        """Copies a batch of first-ready mode to the device."""
        observations, rewards, terminated, truncated, infos = result
        with self._lock:
            slot = self._slot_of(observations)
            if slot is None:  # the batch was opened by a direct call of the pool
                return (
                    map_arrays(lambda leaf: self.moved(to_tensor(leaf)), observations),
                    self.moved(torch.from_numpy(rewards.astype(np.float32))),
                    self.moved(torch.from_numpy(terminated)),
                    self.moved(torch.from_numpy(truncated)),
                    infos,
                )
            return (*self._slots.to_device(slot, rewards, terminated, truncated), infos)

    def _slot_of(self, observations: Tree) -> int | None:
        """Returns the slot to which a batch was written, and removes it from the offered slots."""
        name, all_slots = next(leaves(self._slots.observations))
        leaf = dict(leaves(observations)).get(name)
        if not isinstance(leaf, np.ndarray):
            return None
        offset = leaf.ctypes.data - all_slots.ctypes.data
        if not 0 <= offset < all_slots.nbytes:
            return None
        slot = int(offset * len(all_slots) // all_slots.nbytes) // self._slots.rows
        if slot in self._offered:
            self._offered.remove(slot)
        return slot

    def copied(self, observations: Tree) -> Tree:
        """Copies the observations of a reset to the device."""
        with self._lock:
            rows = len(next(leaves(observations))[1])
            if rows > self._slots.rows or self._envs.is_async:
                return map_arrays(lambda leaf: self.moved(to_tensor(leaf)), observations)
            slot = self._take()
            first = slot * self._slots.rows
            assign_rows(self._slots.observations, slice(first, first + rows), observations)
            return self._slots.observations_to_device(slot, rows)

    def moved(self, tensor: Any) -> Any:
        """Copies a tensor outside of the slots to the device, and waits for the copy."""
        with self._device.copying():
            copied = self._device.copy(tensor)
            event = self._device.record()
        event.synchronize()
        self._device.use_after(event, [copied])
        return copied

    def close(self) -> None:
        """Waits for copies and unlocks the memory."""
        with self._lock:
            self._slots.close()


def _device_of(device: Any) -> tuple[Any, Device | None]:
    """Returns the device of PyTorch, and the `Device` that copies to it.

    The first is None if `device` is a `Device` already. The second is None for the CPU.
    """
    if hasattr(device, "page_lock"):
        return None, device
    try:
        named = torch.device(device)
    except (RuntimeError, TypeError) as error:
        raise InputError(
            f"device: expected a device of PyTorch, got {device!r}: {error}"
        ) from error
    if named.type == "cpu":
        return named, None
    if named.type != "cuda":
        raise InputError(f'device: expected "cpu" or a CUDA device, got "{named}"')
    return named, CudaDevice(named)


def _tensordict_class() -> Any:
    try:
        from tensordict import TensorDict
    except ImportError as error:
        raise MissingPackageError(
            f"tensordict=True needs the package tensordict (`pip install tensordict`): {error}"
        ) from error
    return TensorDict


def _as_nested(part: Any) -> Any:
    """Returns a tree in which each tuple is replaced by a dict with the keys "0", "1", ..."""
    if isinstance(part, tuple) and not is_texts(part):
        return {str(index): _as_nested(child) for index, child in enumerate(part)}
    if isinstance(part, dict):
        return {name: _as_nested(child) for name, child in part.items()}
    return part
