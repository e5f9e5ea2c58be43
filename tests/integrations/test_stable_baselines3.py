"""The adapter for Stable-Baselines3, compared with `DummyVecEnv` of Gymnasium's environments."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest

import envpool_py
from envpool_py.errors import InputError, InputTypeError, NoAttributeError, RenderModeError

pytest.importorskip("stable_baselines3", reason="Stable-Baselines3 is not installed")

from stable_baselines3 import PPO
from stable_baselines3.common.evaluation import evaluate_policy
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import DummyVecEnv, VecFrameStack, VecMonitor, VecNormalize

from envpool_py.integrations.stable_baselines3 import PoolVecEnv


def ours(task: str, num_envs: int = 3, monitored: bool = True, **options: Any) -> PoolVecEnv:
    return PoolVecEnv(
        envpool_py.make(
            task,
            num_envs=num_envs,
            autoreset_mode="SameStep",
            record_episode_statistics=monitored,
            **options,
        )
    )


def theirs(task: str, num_envs: int = 3, monitored: bool = True, **options: Any) -> DummyVecEnv:
    def make() -> gymnasium.Env[Any, Any]:
        env = gymnasium.make(task, **options)
        return Monitor(env) if monitored else env

    return DummyVecEnv([make] * num_envs)


def assert_equal(mine: Any, other: Any) -> None:
    """Compares types, dtypes and values, including infos; compares times only by type."""
    if isinstance(other, dict):
        assert isinstance(mine, dict)
        assert set(mine) == set(other)
        for name in other:
            if name == "t":
                assert type(mine[name]) is type(other[name])
            else:
                assert_equal(mine[name], other[name])
    elif isinstance(other, (list, tuple)):
        assert type(mine) is type(other)
        assert len(mine) == len(other)
        for each, expected in zip(mine, other, strict=True):
            assert_equal(each, expected)
    else:
        np.testing.assert_array_equal(mine, other)
        if isinstance(other, np.ndarray):
            assert mine.dtype == other.dtype
            assert mine.shape == other.shape


@pytest.mark.parametrize("monitored", [True, False])
@pytest.mark.parametrize(
    ("task", "options"),
    [
        ("CartPole-v1", {"max_episode_steps": 20}),  # episodes end in both ways
        ("Pendulum-v1", {"max_episode_steps": 30}),
        ("MountainCarContinuous-v0", {"max_episode_steps": 40}),
        ("FrozenLake-v1", {"max_episode_steps": 9}),
        ("Taxi-v4", {"max_episode_steps": 15}),
    ],
)
def test_equals_dummy_vec_env(task: str, options: dict[str, Any], monitored: bool) -> None:
    mine = ours(task, monitored=monitored, **options)
    other = theirs(task, monitored=monitored, **options)
    assert mine.observation_space == other.observation_space
    assert mine.action_space == other.action_space
    assert mine.seed(7) == other.seed(7)
    assert_equal(mine.reset(), other.reset())
    assert_equal(mine.reset_infos, other.reset_infos)
    mine.action_space.seed(0)
    ended = cut_off = 0
    for step in range(120):
        actions = np.stack([mine.action_space.sample() for _ in range(3)])
        results, expected = mine.step(actions), other.step(actions)
        assert_equal(results, expected)
        assert_equal(mine.reset_infos, other.reset_infos)
        ended += int(results[2].sum())
        cut_off += sum(info["TimeLimit.truncated"] for info in results[3])
        if step == 60:  # during episodes and without seeds, so the generators continue
            assert_equal(mine.reset(), other.reset())
    assert ended >= 6
    assert cut_off >= 1
    mine.close()
    other.close()


def test_what_comes_back_is_the_callers() -> None:
    envs = ours("CartPole-v1")
    envs.seed(0)
    first = envs.reset()
    kept = first.copy()
    observations, rewards, dones, _ = envs.step(np.zeros(3, np.int64))
    np.testing.assert_array_equal(first, kept)
    rewards += 1  # the library adds bootstrapped values to the rewards of truncated episodes
    observations[:] = 0
    dones[:] = True
    envs.close()


def test_episode_statistics_are_those_of_monitor() -> None:
    envs = ours("CartPole-v1", num_envs=2)
    assert envs.env_is_wrapped(Monitor) == [True, True]
    assert envs.env_is_wrapped(gymnasium.wrappers.TimeLimit, indices=0) == [False]
    envs.seed(0)
    envs.reset()
    lengths = np.zeros(2, int)
    found = 0
    for _ in range(100):
        *_, dones, infos = envs.step(np.ones(2, np.int64))
        lengths += 1
        for index in np.flatnonzero(dones):
            episode = infos[index]["episode"]
            assert (episode["r"], episode["l"]) == (lengths[index], lengths[index])
            assert episode["t"] > 0
            lengths[index] = 0
            found += 1
        assert all(("episode" in info) == done for info, done in zip(infos, dones, strict=True))
    assert found >= 15
    envs.close()
    plain = ours("CartPole-v1", monitored=False)
    assert plain.env_is_wrapped(Monitor) == [False] * 3
    plain.close()


def test_attributes_without_a_spec() -> None:
    envs = ours("Pendulum-v1", g=9.5)
    envs.pool.spec = None
    assert envs.get_attr("g") == [9.5] * 3
    assert envs.get_attr("spec") == [None] * 3
    envs.close()


def test_attributes() -> None:
    envs = ours("Pendulum-v1", g=9.5)
    assert envs.get_attr("g") == [9.5] * 3
    assert envs.get_attr("render_mode", indices=[0, 2]) == [None, None]
    assert envs.get_attr("action_space", indices=1) == [envs.action_space]
    assert envs.get_attr("spec")[0].id == "EnvPool/Pendulum-v1"
    assert envs.has_attr("g")
    assert not envs.has_attr("gravity")
    with pytest.raises(
        NoAttributeError, match=r"attr_name: expected one of action_space, .* g, .*"
    ):
        envs.get_attr("gravity")
    envs.set_attr("g", 3)
    assert envs.get_attr("g") == [3.0] * 3
    envs.set_attr("m", 0.5, indices=[2, 0])
    assert envs.get_attr("m") == [0.5, 1.0, 0.5]
    assert envs.get_attr("m", indices=1) == [1.0]
    with pytest.raises(AttributeError, match=r"state: .*save_states"):
        envs.set_attr("state", 3)
    with pytest.raises(NoAttributeError, match=r"only 'render', without arg.*'swing'"):
        envs.env_method("swing", 1)
    with pytest.raises(RenderModeError):
        envs.env_method("render")
    assert list(envs.get_images()) == [None] * 3
    envs.close()


def test_options_of_a_reset() -> None:
    mine, other = ours("Pendulum-v1"), theirs("Pendulum-v1")
    for envs in (mine, other):
        envs.seed(3)
        envs.set_options({"x_init": 0.1, "y_init": 0.2})
    assert_equal(mine.reset(), other.reset())
    assert_equal(mine.reset(), other.reset())  # seeds and options apply to one reset
    for envs in (mine, other):
        envs.seed(5)
        envs.set_options([{"x_init": 0.1}, {}, {"x_init": 0.2}])
    assert_equal(mine.reset(), other.reset())
    assert mine.reset_infos == other.reset_infos
    mine.set_options([{}, {}])
    with pytest.raises(
        InputError, match="options: expected a dict, or a list with one for each of"
    ):
        mine.reset()
    mine.close()
    other.close()


def test_another_pool_is_refused() -> None:
    with (
        envpool_py.make("CartPole-v1", num_envs=2) as pool,
        pytest.raises(InputError, match=r'"SameStep", got "NextStep"'),
    ):
        PoolVecEnv(pool)
    with pytest.raises(InputTypeError, match=r"pool: expected a GymnasiumPool"):
        PoolVecEnv(gymnasium.make("CartPole-v1"))  # type: ignore[arg-type]


def test_step_wait_needs_actions() -> None:
    envs = ours("CartPole-v1")
    envs.reset()
    with pytest.raises(InputError, match="step_wait: call step_async first"):
        envs.step_wait()
    envs.close()


def test_under_the_librarys_wrappers() -> None:
    mine, other = (
        VecFrameStack(VecNormalize(VecMonitor(make("CartPole-v1", monitored=False))), 2)
        for make in (ours, theirs)
    )
    for envs in (mine, other):
        envs.seed(11)
    assert_equal(mine.reset(), other.reset())
    rng = np.random.default_rng(0)
    for _ in range(80):
        actions = rng.integers(2, size=3)
        assert_equal(mine.step(actions), other.step(actions))
    mine.close()
    other.close()


def test_learning_gives_the_same_network() -> None:
    """Equal environments, seeds and settings give bit-equal weights."""
    models = []
    for make in (ours, theirs):
        envs = make("CartPole-v1", num_envs=4)
        model = PPO("MlpPolicy", envs, n_steps=32, batch_size=64, n_epochs=2, seed=5, device="cpu")
        model.learn(600)
        models.append(model.policy.state_dict())
        returns, lengths = evaluate_policy(model, envs, 4, return_episode_rewards=True)
        assert returns == lengths
        envs.close()
    assert set(models[0]) == set(models[1])
    for name, weights in models[0].items():
        np.testing.assert_array_equal(weights.numpy(), models[1][name].numpy())


def test_hindsight_experience_replay(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same weights as with Gymnasium's environments, whose rewards of goals are the same."""
    pytest.importorskip("gymnasium_robotics")
    pytest.importorskip("mujoco")
    from gymnasium_robotics.envs.maze.maps import OPEN
    from gymnasium_robotics.envs.maze.point_maze import PointMazeEnv
    from stable_baselines3 import SAC, HerReplayBuffer

    monkeypatch.chdir(tmp_path)  # MuJoCo writes a log file, the reference its models
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))

    def make() -> gymnasium.Env[Any, Any]:
        return Monitor(gymnasium.wrappers.TimeLimit(PointMazeEnv(maze_map=OPEN), 20))

    weights = []
    for envs in (
        ours("PointMaze_Open-v3", num_envs=2, max_episode_steps=20),
        DummyVecEnv([make] * 2),
    ):
        model = SAC(
            "MultiInputPolicy",
            envs,
            seed=3,
            learning_starts=60,
            batch_size=16,
            buffer_size=1000,
            policy_kwargs={"net_arch": [8]},
            replay_buffer_class=HerReplayBuffer,
            device="cpu",
        )
        model.learn(120)
        weights.append(model.policy.state_dict())
        envs.close()
    for mine, other in zip(weights[0].values(), weights[1].values(), strict=True):
        np.testing.assert_array_equal(mine.numpy(), other.numpy())


def test_methods_of_goals() -> None:
    pytest.importorskip("gymnasium_robotics")
    pytest.importorskip("mujoco")
    envs = ours("PointMaze_Open-v3", num_envs=3)
    goals = np.zeros((5, 2)), np.full((5, 2), 0.1)
    rewards = envs.env_method("compute_reward", *goals, [{}] * 5, indices=[0])
    assert len(rewards) == 1
    assert rewards[0].tolist() == [1.0] * 5
    assert envs.get_attr("compute_reward", 2)[0](*goals, {}).tolist() == [1.0] * 5
    with pytest.raises(InputError, match="missing a required argument"):
        envs.env_method("compute_reward", goals[0])
    envs.close()


def test_a_failed_environment() -> None:
    """Its episode ends without an observation to learn a value from; the others go on."""
    envs = ours("Acrobot-v1", on_error="reset", seed=0)
    envs.reset()
    envs.pool.reset([1], options={"low": 1e20, "high": 1e21})
    for expected in ([False, True, False], [False] * 3):
        *_, dones, infos = envs.step(np.zeros(3, int))
        assert dones.tolist() == expected
        assert ["error" in info for info in infos] == expected
        assert not any("terminal_observation" in info for info in infos)
        assert not any(info["TimeLimit.truncated"] for info in infos)
    envs.close()


def test_environments_that_differ() -> None:
    envs = ours("FrozenLake-v1", 2, env_options=[{"is_slippery": True}, {"is_slippery": False}])
    assert envs.get_attr("is_slippery") == [True, False]
    assert envs.get_attr("is_slippery", 1) == [False]
    envs.close()
    tasks = PoolVecEnv(
        envpool_py.make(
            ["CartPole-v1", "CartPole-v0"],
            num_envs=[1, 2],
            autoreset_mode="SameStep",
            record_episode_statistics=True,
        )
    )
    assert tasks.env_is_wrapped(Monitor) == [True] * 3
    assert tasks.get_attr("render_mode") == [None] * 3
    tasks.reset()
    tasks.close()
