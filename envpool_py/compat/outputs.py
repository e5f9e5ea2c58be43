"""Converts the arrays of our batches to EnvPool's: other dtypes, and EnvPool's names of infos."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from envpool_py.compat.arrays import ArraySpec, SpecTree, unbounded
from envpool_py.compat.robotics_outputs import GOAL_INFOS, kitchen_order
from envpool_py.compat.robotics_tables import METAWORLD_TASKS
from envpool_py.compat.tasks import Task
from envpool_py.tasks.spec import TaskSpec

__all__ = ["InfoRule", "cast", "info_rules", "infos_of", "namespace_of", "observations_of"]

# Our names of infos of MuJoCo tasks, by EnvPool's. They differ in some versions of a task only.
_OTHER_NAMES = {
    "reward_run": "reward_forward",
    "reward_fwd": "reward_forward",
    "reward_linvel": "reward_forward",
    "reward_quadctrl": "reward_ctrl",
    "reward_alive": "reward_survive",
    "reward_impact": "reward_contact",
}
# Infos that our tasks do not have, because each always equals a setting.
_CONSTANTS = {("GymHumanoidStandup", "reward_alive"): "healthy_reward"}


@dataclass(frozen=True)
class InfoRule:
    """One of EnvPool's infos.

    Attributes:
        name: EnvPool's name.
        spec: dtype and shape.
        ours: the name of our info; None: we have no such info.
        constant: its value if our batch does not contain it.
        compute: computes it from our observations and infos, (n, ...).
        columns: the order of the columns of our info, or None.
    """

    name: str
    spec: ArraySpec
    ours: str | None
    constant: float = 0.0
    compute: Callable[[Any, Mapping[str, Any]], NDArray[Any]] | None = None
    columns: list[int] | None = None

    def value(self, infos: Mapping[str, Any], observations: Any, rows: int) -> NDArray[Any]:
        """Returns the info of a batch."""
        if self.compute is not None:
            return cast(self.compute(observations, infos), self.spec.dtype)
        value = infos.get(self.ours) if self.ours is not None else None
        if value is not None and self.columns is not None:
            value = value[:, self.columns]
        if value is None:
            shape = [size for size in self.spec.shape if size != -1]
            return np.full((rows, *shape), self.constant, self.spec.dtype)
        return cast(value, self.spec.dtype)


def namespace_of(array: Any) -> Any:
    """Returns the module of an array: `numpy` or `jax.numpy`."""
    return np if isinstance(array, np.ndarray) else array.__array_namespace__()


def cast(array: Any, dtype: Any) -> NDArray[Any]:
    """Converts an array of NumPy or JAX; JAX may replace the dtype by its 32-bit counterpart."""
    if not isinstance(array, np.ndarray):
        import jax

        dtype = jax.dtypes.canonicalize_dtype(dtype)
    converted: NDArray[Any] = array.astype(dtype, copy=False)
    return converted


def info_rules(task: Task, ours: TaskSpec, settings: Mapping[str, Any]) -> tuple[InfoRule, ...]:
    """Returns how to obtain each info of the task, in EnvPool's order."""
    known = {info.name: info for info in ours.infos}
    if task.envpool_class is None:
        return tuple(
            InfoRule(name, unbounded(info.dtype, list(info.shape) or [-1]), name)
            for name, info in known.items()
        )
    rules = []
    for name, dtype in task.envpool_class.infos.items():
        if task.class_name == "Acrobot":
            rules.append(InfoRule(name, unbounded(dtype, [2]), None, compute=_angles))
            continue
        compute = GOAL_INFOS.get((task.class_name, name))
        our_name = next((n for n in (name, _OTHER_NAMES.get(name)) if n in known), None)
        shape = list(known[our_name].shape) if our_name is not None else []
        spec = unbounded(dtype, shape or [-1])
        if name == "terminated":
            spec.minimum, spec.maximum = 0, 1
        if name in task.envpool_class.info_bounds:
            spec.minimum, spec.maximum = task.envpool_class.info_bounds[name]
        constant = _CONSTANTS.get((task.base_class_name, name))
        value = 0.0 if constant is None else float(settings[constant])
        if name == "task_id":
            value = METAWORLD_TASKS.index(settings["task_name"])
        columns = kitchen_order(ours) if task.class_name == "GymnasiumRoboticsKitchen" else None
        of_task = None if compute is None else compute(task, settings)
        rules.append(InfoRule(name, spec, our_name, value, of_task, columns))
    return tuple(rules)


def _angles(observations: NDArray[Any], infos: Mapping[str, Any]) -> NDArray[np.float32]:
    """Returns the angles of Acrobot's links, radians in [-pi, pi], float32 (n, 2)."""
    del infos
    cosines, sines = observations[:, 0:3:2], observations[:, 1:4:2]
    angles: NDArray[np.float32] = namespace_of(observations).arctan2(sines, cosines)
    return cast(angles, np.float32)


def observations_of(task: Task, spec: SpecTree, observations: Any) -> Any:
    """Returns EnvPool's array of the observations of a batch, or its dict of arrays."""
    if isinstance(spec, dict):
        return {n: observations_of(task, part, observations[n]) for n, part in spec.items()}
    if task.class_name == "Blackjack":
        return cast(namespace_of(observations[0]).stack(observations, axis=1), spec.dtype)
    return cast(observations, spec.dtype)


def infos_of(
    rules: tuple[InfoRule, ...], infos: Mapping[str, Any], observations: Any
) -> dict[str, Any]:
    """Returns EnvPool's infos of a batch, without "elapsed_step"."""
    env_id = infos["env_id"]
    players = {"env_id": env_id.copy()}
    if "players" in infos:
        players = {k: v for k, v in infos["players"].items() if not k.startswith("_")}
    named: dict[str, Any] = {"env_id": env_id, "players": players}
    for rule in rules:
        named[rule.name] = rule.value(infos, observations, len(env_id))
    return named
