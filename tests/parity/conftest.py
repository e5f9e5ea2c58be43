"""Shared by the parity tests: steps our pool and Gymnasium's alike and compares the results.

Values, dtypes and shapes must be equal bit for bit.
"""

from __future__ import annotations

import collections
import ctypes
import gc
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

import envpool_py

from .references import reference_id as usual_reference

NUM_ENVS = 16
# Infos that only our pool has, with their masks.
OWN_INFOS = {name for key in ("env_id", "elapsed_step") for name in (key, "_" + key)}

Policy = Callable[[Any, np.random.Generator], np.ndarray]


def _differs(ours: np.ndarray, theirs: np.ndarray) -> np.ndarray:
    """Returns, per row, whether two arrays of the same dtype and shape differ in any bit."""
    if ours.dtype.kind == "f":
        bits = np.dtype(f"u{ours.dtype.itemsize}")
        unequal = np.ascontiguousarray(ours).view(bits) != np.ascontiguousarray(theirs).view(bits)
    else:
        unequal = ours != theirs
    return unequal.reshape(len(ours), -1).any(axis=1)


def assert_same(
    ours: Any, theirs: Any, where: str, field: str, rows: np.ndarray | None = None
) -> None:
    """Asserts that two batches of observations or arrays are equal, in `rows` (a mask) if given."""
    if isinstance(theirs, Mapping):
        assert ours.keys() == theirs.keys(), f"{where}, {field}: keys differ"
        for key, value in theirs.items():
            assert_same(ours[key], value, where, f"{field}[{key!r}]", rows)
        return
    if isinstance(theirs, tuple):
        assert len(ours) == len(theirs), f"{where}, {field}: lengths differ"
        for index, value in enumerate(theirs):
            assert_same(ours[index], value, where, f"{field}[{index}]", rows)
        return
    assert type(ours) is np.ndarray, f"{where}, {field}: {type(ours).__name__}, not an array"
    layout = (ours.dtype, ours.shape)
    assert layout == (theirs.dtype, theirs.shape), (
        f"{where}, {field}: {layout}, expected {(theirs.dtype, theirs.shape)}"
    )
    differs = _differs(ours, theirs)
    if rows is not None:
        differs &= rows
    if differs.any():
        env = int(np.flatnonzero(differs)[0])
        pytest.fail(
            f"{where}, environment {env}, {field}: {ours[env]!r}, expected {theirs[env]!r} "
            f"({int(differs.sum())} of {len(differs)} environments differ)"
        )


def _dense(observations: list[Any], rows: np.ndarray, like: Any) -> Any:
    """Returns a batch with the layout of `like`: the observations in `rows`, zeros elsewhere."""
    if isinstance(like, tuple):
        parts = zip(*observations, strict=True)
        return tuple(_dense(list(part), rows, leaf) for part, leaf in zip(parts, like, strict=True))
    if isinstance(like, dict):
        assert all(each.keys() == like.keys() for each in observations)
        return {
            key: _dense([each[key] for each in observations], rows, leaf)
            for key, leaf in like.items()
        }
    # A discrete space's observation is a Python int.
    assert {np.asarray(each).dtype for each in observations} == {like.dtype}
    dense = np.zeros_like(like)
    dense[rows] = observations
    return dense


def assert_same_infos(ours: dict[str, Any], theirs: dict[str, Any], where: str) -> None:
    """Asserts that infos agree, apart from our additional keys."""
    assert ours.keys() - OWN_INFOS == theirs.keys(), f"{where}: info keys differ"
    for key in theirs:
        if key.startswith("_"):
            assert_same(ours[key], theirs[key], where, f"infos[{key!r}]")
        elif isinstance(theirs[key], dict):
            assert_same_infos(ours[key], theirs[key], f"{where}, infos[{key!r}]")
        elif key == "final_obs":
            # Ours is dense; theirs is an object array, defined where the mask is True.
            rows = np.flatnonzero(theirs["_final_obs"])
            dense = _dense([theirs[key][row] for row in rows], rows, ours[key])
            assert_same(ours[key], dense, where, "infos['final_obs']")
        else:
            rows = theirs["_" + key]
            values = theirs[key]
            if values.dtype == object:  # each row has a tuple or None
                values = np.zeros_like(ours[key])
                values[rows] = [theirs[key][row] for row in np.flatnonzero(rows)]
            assert_same(ours[key], values, where, f"infos[{key!r}]", rows)


def make_reference(
    task_id: str,
    *,
    num_envs: int = NUM_ENVS,
    autoreset_mode: str = "NextStep",
    max_episode_steps: int | None = None,
    attributes: Mapping[str, Any] | None = None,
    wrappers: Sequence[Callable[..., Any]] = (),
    **options: Any,
) -> gymnasium.vector.VectorEnv[Any, Any, Any]:
    """Returns Gymnasium's pool; `attributes` are set on each of its unwrapped environments."""
    if max_episode_steps is not None:
        options["max_episode_steps"] = max_episode_steps
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Gymnasium warns about old ids
        pool = gymnasium.make_vec(
            task_id,
            num_envs=num_envs,
            vectorization_mode="sync",
            vector_kwargs={"autoreset_mode": AutoresetMode(autoreset_mode)},
            wrappers=wrappers,
            **options,
        )
    assert isinstance(pool, gymnasium.vector.SyncVectorEnv)
    for env in pool.envs:
        for name, value in (attributes or {}).items():
            assert hasattr(env.unwrapped, name)
            setattr(env.unwrapped, name, value)
    return pool


class Lockstep:
    """Steps one of our pools and one of Gymnasium's; every call goes to both and is compared.

    `wrappers` are applied to Gymnasium's environments. `reference_id` is Gymnasium's id if it
    differs from ours.

    Attributes:
        lengths: steps since each environment's last reset.
        counts: the numbers of episodes that ended with "terminated", "truncated" and "both".
    """

    def __init__(
        self,
        task_id: str,
        *,
        num_envs: int = NUM_ENVS,
        num_threads: int | None = 2,
        autoreset_mode: str = "NextStep",
        max_episode_steps: int | None = None,
        attributes: Mapping[str, Any] | None = None,
        reference_id: str | None = None,
        wrappers: Sequence[Callable[..., Any]] = (),
        **options: Any,
    ) -> None:
        shared: dict[str, Any] = {
            "num_envs": num_envs,
            "autoreset_mode": autoreset_mode,
            "max_episode_steps": max_episode_steps,
        }
        self.num_envs = num_envs
        self.theirs = make_reference(
            reference_id or usual_reference(task_id),
            attributes=attributes,
            wrappers=wrappers,
            **shared,
            **options,
        )
        self.ours = envpool_py.make(
            task_id, num_threads=num_threads, **shared, **options, **(attributes or {})
        )
        self.mode = autoreset_mode
        self.task_id = task_id
        self.lengths = np.zeros(num_envs, np.int32)
        self.pending = np.zeros(num_envs, np.bool_)  # in NextStep mode: the next step resets
        self.counts: collections.Counter[str] = collections.Counter()
        self.steps = 0
        self.seed: int | Sequence[int | None] | None = None
        self.observations: Any = None

    def __enter__(self) -> Lockstep:
        return self

    def __exit__(self, *_: object) -> None:
        self.ours.close()
        self.theirs.close()

    @property
    def where(self) -> str:
        return f"{self.task_id}, {self.mode}, seed {self.seed}, step {self.steps}"

    def check_spaces(self) -> None:
        """Asserts that all spaces are equal, bounds bit for bit: == of boxes is approximate."""
        for name in (
            "single_observation_space",
            "single_action_space",
            "observation_space",
            "action_space",
        ):
            ours, theirs = getattr(self.ours, name), getattr(self.theirs, name)
            assert ours == theirs, name
            assert ours.dtype == theirs.dtype, name
            assert repr(ours) == repr(theirs), name
            if isinstance(theirs, gymnasium.spaces.Box):
                for bound in ("low", "high"):
                    mine, other = getattr(ours, bound), getattr(theirs, bound)
                    assert mine.tobytes() == other.tobytes(), (name, bound)

    def reset(
        self,
        seed: int | Sequence[int | None] | None,
        options: dict[str, Any] | None = None,
        mask: np.ndarray | None = None,
    ) -> None:
        if seed is not None:
            self.seed, self.steps = seed, 0
        if mask is not None:
            options = {**(options or {}), "reset_mask": mask}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about states outside the observation space
            # A copy, because Gymnasium removes the mask from the dictionary.
            theirs = self.theirs.reset(seed=seed, options=None if options is None else {**options})
        ours = self.ours.reset(seed=seed, options=options)
        self.lengths[:] = np.where(True if mask is None else mask, 0, self.lengths)
        self.pending[:] = False
        assert_same(ours[0], theirs[0], f"{self.where}, reset", "observations")
        assert_same_infos(ours[1], theirs[1], f"{self.where}, reset")
        self._check_own_infos(ours[1])
        self.observations = theirs[0]

    def step(self, actions: np.ndarray) -> np.ndarray:
        """Steps and compares both; returns which episodes ended."""
        self.steps += 1
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")  # as in reset
            theirs = self.theirs.step(actions)
        ours = self.ours.step(actions)
        fields = ("observations", "rewards", "terminations", "truncations")
        for field, mine, other in zip(fields, ours, theirs, strict=False):
            assert_same(mine, other, self.where, field)
        assert_same_infos(ours[4], theirs[4], self.where)

        terminated, truncated = theirs[2], theirs[3]
        ended = terminated | truncated
        self.lengths[:] = np.where(self.pending, 0, self.lengths + 1)
        if self.mode == "SameStep" and ended.any():
            final = np.where(ended, self.lengths, 0).astype(np.int32)
            assert_same(ours[4]["final_info"]["elapsed_step"], final, self.where, "final length")
            self.lengths[ended] = 0
        self.pending[:] = ended & (self.mode == "NextStep")
        self._check_own_infos(ours[4])
        self.counts["terminated"] += int(terminated.sum())
        self.counts["truncated"] += int(truncated.sum())
        self.counts["both"] += int((terminated & truncated).sum())
        self.observations = theirs[0]
        return ended

    def _check_own_infos(self, infos: dict[str, Any]) -> None:
        assert_same(infos["elapsed_step"], self.lengths, self.where, "episode length")
        everyone = np.arange(self.num_envs, dtype=np.int32)
        assert_same(infos["env_id"], everyone, self.where, "env_id")
        for mask in ("_elapsed_step", "_env_id"):
            assert_same(infos[mask], np.ones(self.num_envs, np.bool_), self.where, mask)

    def run(
        self,
        policy: Policy,
        seed: int,
        steps: int,
        reset_options: dict[str, Any] | None = None,
    ) -> collections.Counter[str]:
        """Resets with `seed` and takes `steps` steps; `policy(observations, rng)` chooses actions.

        In Disabled mode, environments whose episode ended are reset before the next step.
        Returns the counts so far.
        """
        rng = np.random.default_rng([seed, 7])
        self.reset(seed, reset_options)
        for _ in range(steps):
            ended = self.step(policy(self.observations, rng))
            if self.mode == "Disabled" and ended.any():
                self.reset(None, reset_options, ended)
        return self.counts

    def run_reseeded(self, policy: Policy, steps: int) -> None:
        """Takes `steps` steps after each of four resets: unequal seeds, none, some, none.

        Without a seed, an environment's generator continues.
        """
        rng = np.random.default_rng(0)
        some = [None if env % 3 else 2**64 - 1 - env for env in range(self.num_envs)]
        for seed in (list(range(500, 500 + self.num_envs)), None, some, None):
            self.reset(seed)
            for _ in range(steps):
                self.step(policy(self.observations, rng))


def assert_same_limits(task_id: str, reference_id: str | None = None) -> None:
    """Asserts that a task has the step limit and the reward threshold of Gymnasium's task."""
    ours = envpool_py.make_spec(task_id)
    theirs = gymnasium.spec(reference_id or usual_reference(task_id))
    assert ours.max_episode_steps == theirs.max_episode_steps
    assert ours.reward_threshold == theirs.reward_threshold


def box_policy(task_id: str) -> Policy:
    """Returns a random policy: a third of its actions out of range, a quarter of rows at bounds."""
    space = envpool_py.make_spec(task_id).action_space
    assert isinstance(space, gymnasium.spaces.Box)
    high = space.high

    def policy(observations: Any, rng: np.random.Generator) -> np.ndarray:
        shape = (len(observations), *high.shape)
        actions = rng.uniform(-1.5, 1.5, shape) * high
        bounds = rng.choice([-1.0, 1.0], shape) * high
        actions[::4] = bounds[::4]
        return actions.astype(np.float32)

    return policy


@pytest.fixture
def egl(mujoco_log_elsewhere: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes MuJoCo render without a display, by EGL; skips the test if EGL is missing."""
    try:
        ctypes.CDLL("libEGL.so.1")
    except OSError:
        pytest.skip("no libEGL.so.1, which draws without a screen")
    # When a MuJoCo context is freed, its thread loses the current context, and the environment that
    # renders there draws nothing. Therefore free the contexts of earlier tests now.
    gc.collect()
    monkeypatch.setenv("MUJOCO_GL", "egl")
    monkeypatch.delenv("MUJOCO_EGL_DEVICE_ID", raising=False)


@pytest.fixture
def variant_of(tmp_path: Path) -> Callable[[str, Mapping[str, str], str], str]:
    """Writes one of Gymnasium's MuJoCo models with parts replaced; returns the file's path."""
    assets = Path(gymnasium.__file__).parent / "envs" / "mujoco" / "assets"

    def write(model: str, replaced: Mapping[str, str], name: str) -> str:
        text = (assets / model).read_text()
        for old, new in replaced.items():
            assert old in text, f"{model} has no {old}"
            text = text.replace(old, new)
        (tmp_path / name).write_text(text)
        return str(tmp_path / name)

    return write


@pytest.fixture(scope="session")
def parity() -> SimpleNamespace:
    return SimpleNamespace(
        NUM_ENVS=NUM_ENVS,
        Lockstep=Lockstep,
        make_reference=make_reference,
        assert_same=assert_same,
        assert_same_limits=assert_same_limits,
        box_policy=box_policy,
    )
