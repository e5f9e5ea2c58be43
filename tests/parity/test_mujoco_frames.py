"""Stacked states and pixels of the MuJoCo tasks, compared with Gymnasium's wrappers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.wrappers import AddRenderObservation, FrameStackObservation

import envpool_py
from envpool_py.tasks.families.mujoco.tasks import TASKS

pytest.importorskip("mujoco")
pytest.importorskip("envpool_py._mujoco")
pytestmark = [
    pytest.mark.usefixtures("mujoco_log_elsewhere"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
]

SIZE = {"width": 40, "height": 32}
NUM_ENVS = 3


class Drawn(gymnasium.ObservationWrapper[Any, Any, Any]):
    """Like AddRenderObservation, but does not render a random state when it is made.

    The first picture determines where a free camera points.
    """

    def __init__(self, env: gymnasium.Env[Any, Any]) -> None:
        super().__init__(env)
        shape = (SIZE["height"], SIZE["width"], 3)
        self.observation_space = gymnasium.spaces.Box(0, 255, shape, np.uint8)

    def observation(self, observation: Any) -> Any:
        return self.render()


def theirs(
    task_id: str,
    *,
    pixels: Callable[[Any], gymnasium.Env[Any, Any]] | None = None,
    stack: int = 1,
    num_envs: int = NUM_ENVS,
    **options: Any,
) -> gymnasium.vector.SyncVectorEnv:
    """Returns Gymnasium's environments with its wrappers for pixels and stacks."""

    def one() -> gymnasium.Env[Any, Any]:
        mode = {"render_mode": "rgb_array"} if pixels else {}
        env: gymnasium.Env[Any, Any] = gymnasium.make(task_id, **mode, **options)
        env = pixels(env) if pixels else env
        return FrameStackObservation(env, stack) if stack > 1 else env

    return gymnasium.vector.SyncVectorEnv([one] * num_envs)


def actions(envs: Any, steps: int, dtype: str = "float32") -> Iterator[np.ndarray]:
    high = envs.single_action_space.high
    rng = np.random.default_rng(2)
    for _ in range(steps):
        yield (rng.uniform(-1, 1, (envs.num_envs, *high.shape)) * high).astype(dtype)


def compare(
    ours: Any, reference: Any, steps: int, dtype: str = "float32"
) -> tuple[np.ndarray, int]:
    """Steps both and compares; returns our last observations, and how many episodes ended."""
    assert ours.single_observation_space == reference.single_observation_space
    ends = 0
    with ours, closing(reference):
        observed = ours.reset(seed=4)[0]
        np.testing.assert_array_equal(observed, reference.reset(seed=4)[0])
        for action in actions(ours, steps, dtype):
            mine, other = ours.step(action), reference.step(action)
            for ours_is, theirs_is in zip(mine[:4], other[:4], strict=True):
                np.testing.assert_array_equal(ours_is, theirs_is)
            assert set(other[4]) <= set(mine[4])
            ends += int((mine[2] | mine[3]).sum())
            observed = mine[0]
    return observed, ends


@pytest.mark.parametrize("task_id", sorted(TASKS))
def test_frame_stack(task_id: str) -> None:
    """Episodes are short, so that resets refill the stacks."""
    size = envpool_py.make_spec(task_id).observation_space.shape[0]
    ours = envpool_py.make(
        task_id, num_envs=NUM_ENVS, num_threads=2, frame_stack=3, max_episode_steps=7
    )
    assert ours.single_observation_space.shape == (3, size)
    reference = theirs(task_id, stack=3, max_episode_steps=7)
    _, ends = compare(ours, reference, 20)
    assert ends >= 2 * NUM_ENVS


@pytest.mark.parametrize("task_id", sorted(TASKS))
def test_frame_stack_with_float64_actions(task_id: str) -> None:
    ours = envpool_py.make(task_id, num_envs=NUM_ENVS, frame_stack=2, max_episode_steps=7)
    reference = theirs(task_id, stack=2, max_episode_steps=7)
    compare(ours, reference, 15, dtype="float64")


def test_frame_stack_of_another_option() -> None:
    options = {"frame_skip": 2, "exclude_current_positions_from_observation": False}
    ours = envpool_py.make("Ant-v5", num_envs=NUM_ENVS, frame_stack=2, **options)
    compare(ours, theirs("Ant-v5", stack=2, **options), 40)


def test_stacks_of_final_observations() -> None:
    options = {"num_envs": NUM_ENVS, "frame_stack": 4, "max_episode_steps": 5}
    modes = gymnasium.vector.AutoresetMode
    ours = envpool_py.make("Hopper-v5", autoreset_mode="SameStep", **options)

    def one() -> gymnasium.Env[Any, Any]:
        return FrameStackObservation(gymnasium.make("Hopper-v5", max_episode_steps=5), 4)

    reference = gymnasium.vector.SyncVectorEnv([one] * NUM_ENVS, autoreset_mode=modes.SAME_STEP)
    with ours, closing(reference):
        np.testing.assert_array_equal(ours.reset(seed=1)[0], reference.reset(seed=1)[0])
        for step, action in enumerate(actions(ours, 11)):
            mine, other = ours.step(action), reference.step(action)
            np.testing.assert_array_equal(mine[0], other[0])
            assert ("final_obs" in mine[4]) == (step % 5 == 4)
            if step % 5 == 4:
                np.testing.assert_array_equal(mine[4]["final_obs"], np.stack(other[4]["final_obs"]))


def test_a_reset_of_some_leaves_the_frames_of_others() -> None:
    with envpool_py.make(
        "Swimmer-v5", num_envs=2, frame_stack=3, autoreset_mode="Disabled"
    ) as envs:
        envs.reset(seed=0)
        for _ in range(4):
            before = envs.step(np.ones((2, 2), np.float32))[0]
        mask = np.array([True, False])
        after = envs.reset(options={"reset_mask": mask})[0]
    np.testing.assert_array_equal(after[1], before[1])
    assert (after[0] == after[0][0]).all()
    assert not (before[1] == before[1][0]).all()


@pytest.mark.parametrize("batch_size", [2, 4])
def test_stacks_do_not_depend_on_threads(batch_size: int) -> None:
    seen = []
    for threads in (1, 3):
        with envpool_py.make(
            "Reacher-v5", num_envs=4, batch_size=batch_size, num_threads=threads, frame_stack=2
        ) as envs:
            envs.async_reset()
            rows: dict[int, list[np.ndarray]] = {env: [] for env in range(4)}
            for _ in range(24):
                obs, *_, info = envs.recv()
                for row, env in enumerate(info["env_id"]):
                    rows[env].append(obs[row])
                envs.send(np.full((batch_size, 2), 0.3, np.float32), info["env_id"])
            seen.append(rows)
    for env in range(4):
        for first, second in zip(seen[0][env], seen[1][env], strict=False):
            if batch_size == 4:
                assert first.shape == second.shape == (2, 10)
        latest, earlier = np.array(seen[0][env])[1:, 0], np.array(seen[0][env])[:-1, 1]
        np.testing.assert_array_equal(latest, earlier)  # each step shifts the frames by one


@pytest.mark.usefixtures("egl")
@pytest.mark.parametrize(
    "task_id",
    [
        *("HalfCheetah-v4", "Reacher-v5"),
        *(pytest.param(task_id, marks=pytest.mark.long) for task_id in ("Ant-v5", "Hopper-v4")),
    ],
)
def test_pixels(task_id: str) -> None:
    ours = envpool_py.make(
        task_id, num_envs=NUM_ENVS, num_threads=2, from_pixels=True, max_episode_steps=4, **SIZE
    )
    assert ours.single_observation_space == gymnasium.spaces.Box(0, 255, (32, 40, 3), np.uint8)
    observed, ends = compare(ours, theirs(task_id, pixels=Drawn, max_episode_steps=4, **SIZE), 10)
    assert ends == 2 * NUM_ENVS
    assert observed.std() > 1.0, "nothing is to be seen"


@pytest.mark.usefixtures("egl")
@pytest.mark.parametrize("camera", [{"camera_name": "track"}, {"camera_id": 0}])
def test_stacked_pixels_of_a_camera(camera: dict[str, Any]) -> None:
    options = {**camera, **SIZE, "max_episode_steps": 6}
    ours = envpool_py.make("HalfCheetah-v5", num_envs=1, from_pixels=True, frame_stack=3, **options)
    # With several environments, Gymnasium renders all of them in the last one's context.
    reference = theirs(
        "HalfCheetah-v5", pixels=AddRenderObservation, stack=3, num_envs=1, **options
    )
    compare(ours, reference, 14)


@pytest.mark.usefixtures("egl")
def test_channels_first() -> None:
    options = {"num_envs": 2, "from_pixels": True, "frame_stack": 3, **SIZE}
    first = envpool_py.make("Ant-v5", channels_first=True, **options)
    last = envpool_py.make("Ant-v5", **options)
    assert first.single_observation_space.shape == (9, 32, 40)
    assert last.single_observation_space.shape == (3, 32, 40, 3)
    with first, last:
        mine, other = first.reset(seed=0)[0], last.reset(seed=0)[0]
        for _ in range(4):
            moved = np.moveaxis(other, -1, 2).reshape(2, 9, 32, 40)
            np.testing.assert_array_equal(mine, moved)
            action = np.ones((2, 8), np.float32)
            mine, other = first.step(action)[0], last.step(action)[0]
        assert not (mine[:, :3] == mine[:, 6:]).all(), "the frames are all the same"


@pytest.mark.usefixtures("egl")
def test_pixels_are_what_render_draws() -> None:
    """Several threads render at once."""
    with envpool_py.make(
        "Ant-v5", num_envs=8, num_threads=4, from_pixels=True, render_mode="rgb_array", **SIZE
    ) as envs:
        observed = envs.reset(seed=0)[0]
        for _ in range(3):
            np.testing.assert_array_equal(observed, np.stack(envs.render()))
            observed = envs.step(np.full((8, 8), 0.5, np.float32))[0]


@pytest.mark.usefixtures("egl")
def test_pixels_asynchronously() -> None:
    with envpool_py.make(
        "Hopper-v5", num_envs=6, batch_size=2, num_threads=3, from_pixels=True, **SIZE
    ) as envs:
        envs.async_reset()
        seen = np.zeros(6, int)
        for _ in range(12):
            obs, *_, info = envs.recv(timeout=60)
            assert obs.shape == (2, 32, 40, 3)
            assert obs.std() > 1.0
            seen[info["env_id"]] += 1
            envs.send(np.ones((2, 3), np.float32), info["env_id"])
    assert (seen > 0).all()


def test_pixels_without_a_library_that_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    """`make_spec` needs no OpenGL library."""
    spec = envpool_py.make_spec("Ant-v5", from_pixels=True, frame_stack=2, channels_first=True)
    assert spec.observation_space.shape == (6, 480, 480)
