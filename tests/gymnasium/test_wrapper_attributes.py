"""What wrappers of other libraries read from `unwrapped`."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.wrappers import AtariPreprocessing

import envpool_py
from envpool_py.errors import NoAttributeError

pytestmark = pytest.mark.filterwarnings("ignore:.*is out of date:DeprecationWarning")


@pytest.mark.parametrize("grey", [True, False])
def test_atari_preprocessing(grey: bool) -> None:
    """Gymnasium's wrapper around one of our environments equals that around ale-py's."""
    gymnasium.register_envs(pytest.importorskip("ale_py"))
    pytest.importorskip("cv2")
    options = {"frameskip": 1, "repeat_action_probability": 0.0}
    envs: list[Any] = [
        AtariPreprocessing(
            gymnasium.make(task_id, **options),
            noop_max=0,  # ale-py draws their number from a generator with another seed
            grayscale_obs=grey,
            terminal_on_life_loss=True,
        )
        for task_id in ("EnvPool/ALE.Breakout-v5", "ALE/Breakout-v5")
    ]
    ends = 0
    for episode in range(3):
        first, second = (env.reset(seed=episode)[0] for env in envs)
        np.testing.assert_array_equal(first, second)
        for step in range(120):
            (ours, *results, infos), (theirs, *expected, _) = (env.step(step % 4) for env in envs)
            np.testing.assert_array_equal(ours, theirs)
            assert results == expected
            assert envs[0].unwrapped.ale.lives() == infos["lives"]
            if results[1]:
                ends += 1
                break
    assert ends > 0
    for env in envs:
        env.close()


def test_the_screen_is_an_observation() -> None:
    pytest.importorskip("ale_py")
    env: Any = gymnasium.make("EnvPool/Breakout-v5", frame_skip=2).unwrapped
    with pytest.raises(NoAttributeError, match="no state before its first reset"):
        env.ale.lives()
    env.reset()
    assert env.ale.lives() == 5
    assert env._frameskip == 2
    with pytest.raises(NoAttributeError, match=r"gymnasium.make\('EnvPool/ALE.Breakout-v5', obs_"):
        env.ale.getScreenRGB()
    with pytest.raises(NoAttributeError, match=r"ale.getRAM: .*has lives\(\)"):
        env.ale.getRAM()


@pytest.mark.parametrize("task_id", ["Ant-v5", "Humanoid-v5", "Reacher-v5", "InvertedPendulum-v5"])
def test_mujoco(task_id: str) -> None:
    pytest.importorskip("mujoco")
    mine: Any = gymnasium.make(f"EnvPool/{task_id}", frame_skip=3).unwrapped
    theirs: Any = gymnasium.make(task_id, frame_skip=3).unwrapped
    assert mine.dt == theirs.dt
    assert mine.frame_skip == theirs.frame_skip == 3
    assert not hasattr(mine, "data")
    with pytest.raises(NoAttributeError, match=r"data: .*exclude_current_positions_from_obs"):
        mine.data  # noqa: B018
    theirs.close()


def test_minigrid() -> None:
    env: Any = gymnasium.make("EnvPool/MiniGrid-DoorKey-6x6-v0", observation="rgb_full").unwrapped
    assert (env.width, env.height, env.agent_view_size, env.highlight) == (6, 6, 7, True)
    assert not hasattr(env, "mission")
    observation, _ = env.reset(seed=1)
    assert env.mission == observation["mission"]
    assert env.agent_dir == observation["direction"]
    for name, option in (("get_frame", "rgb_full"), ("grid", "full"), ("agent_pos", "full")):
        with pytest.raises(NoAttributeError, match=f'^{name}: .*observation="{option}"'):
            getattr(env, name)


def id_of_gymnasium(task_id: str) -> str:
    """Returns the id, or the version before it if this Gymnasium is older."""
    name, version = task_id.split("-v")
    return task_id if task_id in gymnasium.registry else f"{name}-v{int(version) - 1}"


@pytest.mark.parametrize(
    ("task_id", "options"),
    [
        ("FrozenLake-v1", {}),
        ("FrozenLake8x8-v1", {}),
        ("FrozenLake-v1", {"map_name": "8x8"}),
        ("FrozenLake-v1", {"desc": ["SF", "FG"]}),
        ("Taxi-v4", {}),
    ],
)
def test_maps_of_toy_text(task_id: str, options: dict[str, Any]) -> None:
    mine: Any = gymnasium.make(f"EnvPool/{task_id}", **options).unwrapped
    theirs: Any = gymnasium.make(id_of_gymnasium(task_id), **options).unwrapped
    assert mine.desc.dtype == theirs.desc.dtype
    np.testing.assert_array_equal(mine.desc, theirs.desc)


def test_toy_text_without_a_map() -> None:
    cliff: Any = gymnasium.make("EnvPool/CliffWalking-v1").unwrapped
    theirs: Any = gymnasium.make(id_of_gymnasium("CliffWalking-v1")).unwrapped
    assert cliff.shape == theirs.shape
    assert not hasattr(cliff, "desc")
    lake: Any = gymnasium.make("EnvPool/FrozenLake-v1", map_name=None).unwrapped
    with pytest.raises(NoAttributeError, match=r"desc: each environment has drawn a map"):
        lake.desc  # noqa: B018
    taxi: Any = gymnasium.make("EnvPool/Taxi-v4").unwrapped
    with pytest.raises(NoAttributeError, match=r"decode: .*gymnasium.make\('Taxi-v4'\)"):
        taxi.decode(1)


@pytest.mark.parametrize(
    "name", ["ActionBonus", "PositionBonus", "DirectionObsWrapper", "FullyObsWrapper"]
)
def test_wrappers_of_minigrid_that_read_the_grid(name: str) -> None:
    wrappers = pytest.importorskip("minigrid.wrappers")

    def run() -> None:
        env = getattr(wrappers, name)(gymnasium.make("EnvPool/MiniGrid-Empty-5x5-v0").unwrapped)
        env.reset(seed=0)
        env.step(0)

    with pytest.raises(NoAttributeError, match="has none, because"):
        run()


def test_which_attributes_can_be_set() -> None:
    pendulum: Any = gymnasium.make("EnvPool/Pendulum-v1", g=9.0).unwrapped
    assert pendulum.g == 9.0
    pendulum.g = 1.0
    assert pendulum.g == 1.0
    assert pendulum.version == 1
    with pytest.raises(NoAttributeError, match=r"version: .*set options when you make"):
        pendulum.version = 0
    cart: Any = gymnasium.make("EnvPool/CartPole-v1").unwrapped
    with pytest.raises(AttributeError, match=r"'SingleEnv' object has no attribute 'g'"):
        cart.g  # noqa: B018
    cart.g = 1.0  # a program may set what the task does not have
    assert cart.g == 1.0


def test_the_substitutes_are_no_options() -> None:
    """A name that has both would be hidden."""
    for family in envpool_py.tasks.registry.all_families().values():
        assert not family.attributes.keys() & family.substitutes.keys()
