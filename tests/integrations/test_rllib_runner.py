"""PoolEnvRunner's samples equal those of RLlib's own runner, and so does training with it."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Iterator
from typing import Any

import gymnasium
import numpy as np
import pytest

from envpool_py import GymnasiumPool

pytest.importorskip("ray.rllib", reason="RLlib is not installed")

import torch

with warnings.catch_warnings():  # RLlib uses deprecated functions
    warnings.simplefilter("ignore", DeprecationWarning)
    import ray
    from ray.rllib.algorithms.ppo import PPOConfig
    from ray.rllib.callbacks.callbacks import RLlibCallback
    from ray.rllib.connectors.env_to_module import MeanStdFilter
    from ray.rllib.core.rl_module.default_model_config import DefaultModelConfig
    from ray.rllib.env.env_runner import NUM_ENV_STEP_FAILURES_LIFETIME
    from ray.rllib.env.single_agent_env_runner import SingleAgentEnvRunner

    from envpool_py.integrations.rllib import PoolEnvRunner

pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::UserWarning"),
]

NUM_ENVS = 5


@pytest.fixture(scope="module")
def cluster() -> Iterator[None]:
    """Starts a Ray instance for these tests only, even if another one runs on this machine."""
    ray.init(address="local", num_cpus=2, include_dashboard=False, log_to_driver=False)
    yield
    ray.shutdown()


def config_of(kind: type, task: str = "CartPole-v1", **runners: Any) -> Any:
    return (
        PPOConfig()
        .environment(task, env_config={"max_episode_steps": 40})
        .env_runners(
            **{
                "env_runner_cls": kind,
                "num_env_runners": 0,
                "num_envs_per_env_runner": NUM_ENVS,
                **runners,
            }
        )
        .debugging(seed=4, log_level="ERROR")
    )


def runner_of(kind: type, task: str = "CartPole-v1", config: Any = None, **runners: Any) -> Any:
    torch.manual_seed(0)
    config = config_of(kind, task, **runners) if config is None else config
    return kind(config=config, worker_index=0, num_workers=0)


def same_data(ours: Any, theirs: Any, what: str) -> None:
    assert (ours.lookback, ours.finalized) == (theirs.lookback, theirs.finalized), what
    assert ours.data.dtype == theirs.data.dtype, what
    np.testing.assert_array_equal(ours.data, theirs.data, err_msg=what)


def same_episodes(ours: list[Any], theirs: list[Any]) -> None:
    assert len(ours) == len(theirs)
    for episode, expected in zip(ours, theirs, strict=True):
        for name in ("observations", "actions", "rewards"):
            same_data(getattr(episode, name), getattr(expected, name), name)
        assert episode.extra_model_outputs.keys() == expected.extra_model_outputs.keys()
        for name, column in expected.extra_model_outputs.items():
            same_data(episode.extra_model_outputs[name], column, name)
        assert episode.infos.lookback == expected.infos.lookback
        assert len(episode.infos.data) == len(expected.infos.data)
        for name in ("is_terminated", "is_truncated", "t_started", "t", "is_numpy"):
            assert getattr(episode, name) == getattr(expected, name), name
        assert episode.get_duration_s() >= 0
        episode.validate()


def parts_by_name(samples: list[list[Any]]) -> list[list[tuple[int, int]]]:
    """Groups the parts of each episode; returns their places (sample, index), in order."""
    found: dict[str, list[tuple[int, int]]] = {}
    for number, sample in enumerate(samples):
        for place, episode in enumerate(sample):
            found.setdefault(episode.id_, []).append((number, place))
    return sorted(found.values())


@pytest.mark.parametrize("lookback", [1, 0, 3])
@pytest.mark.parametrize("task", ["CartPole-v1", "Pendulum-v1"])
def test_samples_are_equal(task: str, lookback: int) -> None:
    calls: list[dict[str, Any]] = [
        {"num_timesteps": 200},
        {"num_timesteps": 1},
        {"num_timesteps": 1},
        # Without exploration, action_logp has another dtype; with random actions it is missing.
        # RLlib's runner mixes or refuses the two within an episode.
        {"num_timesteps": 90, "explore": False, "force_reset": True},
        {"num_timesteps": 130, "random_actions": True, "force_reset": True},
        {"num_timesteps": 60, "force_reset": True},
        {"num_timesteps": 70, "force_reset": True},
        {"num_episodes": 7},
        {"num_episodes": 3, "explore": False},
        {"num_timesteps": 200},
    ]
    sampled = []
    reports = []
    for kind in (PoolEnvRunner, SingleAgentEnvRunner):
        runner = runner_of(kind, task, episode_lookback_horizon=lookback)
        torch.manual_seed(1)
        runner.env.action_space.seed(3)
        samples = []
        metrics = []
        for call in calls:
            # RLlib's runner returns views of arrays that the next sample appends to.
            samples.append(copy.deepcopy(runner.sample(**call)))
            metrics.append(runner.get_metrics())
        sampled.append(samples)
        reports.append(metrics)
        assert isinstance(runner.env.unwrapped, GymnasiumPool) is (kind is PoolEnvRunner)
        assert getattr(runner, "obstacle", None) is None
        assert runner.num_env_steps_sampled_lifetime == 0  # the algorithm counts these steps
        runner.stop()
    for ours, theirs in zip(*sampled, strict=True):
        same_episodes(ours, theirs)
    assert parts_by_name(sampled[0]) == parts_by_name(sampled[1])
    for our_report, their_report in zip(*reports, strict=True):
        same_metrics(our_report, their_report)


# Metrics that are times, and those of connectors, which PoolEnvRunner does not call.
TIMES = {
    *("sample", "env_step_timer", "env_reset_timer", "rlmodule_inference_timer"),
    *("episode_duration_sec_mean", "time_between_sampling"),
}
CONNECTORS = {
    *("env_to_module_connector", "module_to_env_connector"),
    *("env_to_module_sum_episodes_length_in", "env_to_module_sum_episodes_length_out"),
}


def same_metrics(ours: dict[str, Any], theirs: dict[str, Any]) -> None:
    assert ours.keys() | CONNECTORS == theirs.keys() | CONNECTORS
    for name in theirs.keys() - TIMES - CONNECTORS:
        np.testing.assert_equal(plain(ours[name]), plain(theirs[name]), name)


def plain(stats: Any) -> Any:
    if isinstance(stats, dict):
        return {name: plain(value) for name, value in stats.items()}
    return stats.peek() if hasattr(stats, "peek") else stats


def test_training_is_equal(cluster: None) -> None:
    """Equal steps in equal order give equal weights and results."""
    trained = []
    for kind in (PoolEnvRunner, SingleAgentEnvRunner):
        config = config_of(kind, rollout_fragment_length="auto").training(
            train_batch_size_per_learner=500, minibatch_size=100, num_epochs=2
        )
        algorithm = config.build_algo()
        results = [algorithm.train() for _ in range(3)]
        weights = algorithm.get_module().get_state()
        trained.append((results, weights))
        algorithm.stop()
    (our_results, our_weights), (their_results, their_weights) = trained
    for ours, theirs in zip(our_results, their_results, strict=True):
        for name in ("num_env_steps_sampled", "num_episodes", "episode_return_mean"):
            assert ours["env_runners"][name] == theirs["env_runners"][name], name
        # RLlib's runner also counts the step that PPO's learner adds to parts of episodes.
        assert ours["env_runners"]["episode_len_max"] == 40
        assert theirs["env_runners"]["episode_len_max"] >= 40
        assert ours["num_env_steps_sampled_lifetime"] == theirs["num_env_steps_sampled_lifetime"]
    assert our_weights.keys() == their_weights.keys()
    for name, weights in their_weights.items():
        np.testing.assert_array_equal(our_weights[name], weights, err_msg=name)


def test_states_are_those_of_rllib() -> None:
    runner, other = runner_of(PoolEnvRunner), runner_of(SingleAgentEnvRunner)
    with torch.no_grad():
        for parameter in runner.module.parameters():
            parameter.add_(1.0)
    state = runner.get_state()
    state["weights_seq_no"] = 3
    for each in (runner_of(PoolEnvRunner), other):
        each.set_state(copy.deepcopy(state))
        for name, weights in each.get_state()["rl_module"].items():
            np.testing.assert_array_equal(weights, state["rl_module"][name])
        episode = each.sample(num_timesteps=10)[-1]
        assert set(episode.get_extra_model_outputs("weights_seq_no")) == {3}
    assert runner.sample(num_timesteps=0) == []


class Ends(RLlibCallback):
    """Counts ended episodes."""

    def on_episode_end(self, *, metrics_logger: Any, **_: Any) -> None:
        metrics_logger.log_value("ends", 1, reduce="sum")


def test_rllibs_way_where_users_rely_on_it(caplog: pytest.LogCaptureFixture) -> None:
    stateful = config_of(PoolEnvRunner).rl_module(model_config=DefaultModelConfig(use_lstm=True))
    lists = config_of(PoolEnvRunner, episodes_to_numpy=False)
    cases = {
        "the env_to_module connectors are not the default ones: MeanStdFilter": config_of(
            PoolEnvRunner, env_to_module_connector=lambda env, spaces, device: MeanStdFilter()
        ),
        "there is a callback on_episode_end": config_of(PoolEnvRunner).callbacks(Ends),
        "the module has a state": stateful,
        "episodes_to_numpy=False": lists,
    }
    for why, config in cases.items():
        runner = runner_of(PoolEnvRunner, config=config)
        assert runner.obstacle == why
        same = runner_of(SingleAgentEnvRunner, config=config.copy(copy_frozen=False))
        sampled = []
        for each in (runner, same):
            torch.manual_seed(1)
            sampled.append([each.sample(num_timesteps=100) for _ in range(2)])
        for ours, theirs in zip(*sampled, strict=True):
            assert [len(episode) for episode in ours] == [len(episode) for episode in theirs]
        assert why in caplog.text
        if "callback" in why:
            ended = sum(episode.is_done for sample in sampled[0] for episode in sample)
            assert runner.get_metrics()["ends"].peek() == ended > 0


def test_a_connector_may_come_later() -> None:
    runner = runner_of(PoolEnvRunner)
    runner.sample(num_timesteps=50)
    assert runner.obstacle is None
    runner._env_to_module.prepend(MeanStdFilter())
    assert runner.obstacle is not None
    assert all(episode.t_started == 0 for episode in runner.sample(num_timesteps=50))
    runner._env_to_module.remove("MeanStdFilter")
    assert runner.obstacle is None
    assert all(episode.t_started == 0 for episode in runner.sample(num_timesteps=50))


def test_an_episode_goes_on_with_random_actions() -> None:
    runner = runner_of(PoolEnvRunner, "Pendulum-v1")
    names = {episode.id_ for episode in runner.sample(num_timesteps=50)}
    for episode in runner.sample(num_timesteps=50, random_actions=True):
        assert episode.id_ in names
        assert set(episode.extra_model_outputs) == {"weights_seq_no"}
        episode.validate()
    for episode in runner.sample(num_timesteps=50):
        assert episode.extra_model_outputs["action_logp"].lookback == 0
        assert episode.actions.lookback == 1
        episode.validate()


class Fails(gymnasium.Wrapper):
    """Raises in its 13th step; later instances do not."""

    made = 0

    def __init__(self) -> None:
        super().__init__(gymnasium.make("CartPole-v1"))
        type(self).made += 1
        self._remaining = 13 if type(self).made == 2 else -1

    def step(self, action: Any) -> Any:
        self._remaining -= 1
        if self._remaining == 0:
            raise RuntimeError("a fault")
        return super().step(action)


def test_failures_are_handled_as_rllib_does() -> None:
    sampled = []
    for kind in (PoolEnvRunner, SingleAgentEnvRunner):
        Fails.made = 0
        config = (
            config_of(kind)
            .environment(lambda _: Fails(), env_config={})
            .fault_tolerance(restart_failed_sub_environments=True)
        )
        runner = runner_of(kind, config=config)
        torch.manual_seed(1)
        sampled.append([runner.sample(num_timesteps=200) for _ in range(2)])
        assert Fails.made == 2 * NUM_ENVS
        assert getattr(runner, "obstacle", None) is None
        assert runner.get_metrics()[NUM_ENV_STEP_FAILURES_LIFETIME].peek() == 1
    for ours, theirs in zip(*sampled, strict=True):
        same_episodes(ours, theirs)


class FailsToReset(gymnasium.Wrapper):
    """Raises in its second reset; later instances do not."""

    made = 0

    def __init__(self) -> None:
        super().__init__(gymnasium.make("CartPole-v1"))
        type(self).made += 1
        self._remaining = 2 if type(self).made == 2 else -1

    def reset(self, **arguments: Any) -> Any:
        self._remaining -= 1
        if self._remaining == 0:
            raise RuntimeError("a fault")
        return super().reset(**arguments)


def test_a_failing_reset() -> None:
    FailsToReset.made = 0
    config = (
        config_of(PoolEnvRunner)
        .environment(lambda _: FailsToReset(), env_config={})
        .fault_tolerance(restart_failed_sub_environments=True)
    )
    runner = runner_of(PoolEnvRunner, config=config)
    assert len(runner.sample(num_episodes=3)) == 3
    episodes = runner.sample(num_episodes=3)  # begins with a reset
    assert FailsToReset.made == 2 * NUM_ENVS
    assert [episode.is_done for episode in episodes] == [True] * 3
    assert all(episode.t_started == 0 for episode in episodes)


def test_an_interrupted_sample_is_not_continued(monkeypatch: pytest.MonkeyPatch) -> None:
    runner = runner_of(PoolEnvRunner)
    runner.sample(num_timesteps=20)

    def interrupted(*_: Any, **__: Any) -> Any:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(runner.module, "_forward_exploration", interrupted)
        with pytest.raises(KeyboardInterrupt):
            runner.sample(num_timesteps=20)
    assert all(episode.t_started == 0 for episode in runner.sample(num_timesteps=20))


def test_a_failure_is_an_error_without_fault_tolerance() -> None:
    Fails.made = 0
    config = config_of(PoolEnvRunner).environment(lambda _: Fails(), env_config={})
    runner = runner_of(PoolEnvRunner, config=config)
    with pytest.raises(RuntimeError):
        runner.sample(num_timesteps=200)
    assert isinstance(runner.env, gymnasium.vector.VectorEnv)


def test_runners_in_processes_of_their_own(cluster: None) -> None:
    """Ray transfers the class, its samples and its metrics."""
    config = config_of(PoolEnvRunner, num_env_runners=1).training(
        train_batch_size_per_learner=300, minibatch_size=100, num_epochs=1
    )
    algorithm = config.build_algo()
    try:
        result = algorithm.train()
        assert result["env_runners"]["num_env_steps_sampled"] >= 300
        assert result["env_runners"]["episode_return_mean"] > 5
    finally:
        algorithm.stop()
