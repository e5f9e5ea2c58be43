"""RLlib: an EnvRunner that steps a pool in whole batches."""

from __future__ import annotations

import contextlib
import copy
import logging
import math
from collections.abc import Iterator
from typing import Any

import gymnasium
import numpy as np
from gymnasium.wrappers.vector import DictInfoToList

from envpool_py.errors import InputError, InputTypeError, MissingPackageError
from envpool_py.integrations.recording import Column, Part, Recording
from envpool_py.tasks.catalog import list_all_envs

__all__ = ["PoolEnvRunner"]

try:
    from ray.rllib.callbacks.callbacks import RLlibCallback
    from ray.rllib.connectors.common import (
        AddObservationsFromEpisodesToBatch,
        AddStatesFromEpisodesToBatch,
        AddTimeDimToBatchAndZeroPad,
        BatchIndividualItems,
        NumpyToTensor,
        TensorToNumpy,
    )
    from ray.rllib.connectors.module_to_env import (
        GetActions,
        ListifyDataForVectorEnv,
        NormalizeAndClipActions,
        RemoveSingleTsTimeRankFromBatch,
        UnBatchToIndividualItems,
    )
    from ray.rllib.core.columns import Columns
    from ray.rllib.core.rl_module.torch import TorchRLModule
    from ray.rllib.env.env_runner import ENV_STEP_FAILURE
    from ray.rllib.env.single_agent_env_runner import SingleAgentEnvRunner
    from ray.rllib.env.single_agent_episode import SingleAgentEpisode
    from ray.rllib.env.utils.infinite_lookback_buffer import InfiniteLookbackBuffer
    from ray.rllib.utils.metrics import RLMODULE_INFERENCE_TIMER, WEIGHTS_SEQ_NO
    from ray.rllib.utils.numpy import convert_to_numpy
    from ray.rllib.utils.spaces.space_utils import clip_action, unsquash_action
    from ray.rllib.utils.torch_utils import convert_to_torch_tensor
    from ray.tune.registry import ENV_CREATOR, _global_registry
except ImportError as error:
    raise MissingPackageError(
        "envpool_py.integrations.rllib needs RLlib 2.60 and PyTorch (`pip install "
        f"'ray[rllib]==2.60.0' torch`): {error}"
    ) from error

logger = logging.getLogger(__name__)

# The connectors in RLlib's pipelines by default.
_ENV_TO_MODULE = (
    AddObservationsFromEpisodesToBatch,
    AddTimeDimToBatchAndZeroPad,
    AddStatesFromEpisodesToBatch,
    BatchIndividualItems,
    NumpyToTensor,
)
_MODULE_TO_ENV = (
    GetActions,
    TensorToNumpy,
    UnBatchToIndividualItems,
    RemoveSingleTsTimeRankFromBatch,
    NormalizeAndClipActions,
    ListifyDataForVectorEnv,
)
_EPISODE_CALLBACKS = (
    "on_episode_created",
    "on_episode_start",
    "on_episode_step",
    "on_episode_end",
)


class PoolEnvRunner(SingleAgentEnvRunner):
    """Samples from a pool without RLlib's Python code for each environment and step.

        config = (
            PPOConfig()
            .environment("CartPole-v1")
            .env_runners(env_runner_cls=PoolEnvRunner, num_envs_per_env_runner=64)
        )

    If the environment is given as the id of a task of this package, the runner makes a pool;
    `env_config` contains the pool's settings and the task's options. RLlib makes other
    environments.

    With equal seeds, the episodes equal those of `SingleAgentEnvRunner` in content, lookback and
    order, so the training is equal too. Infos do not have the engine's "env_id" and "elapsed_step".
    The arrays of a sample's episodes share the memory of the sample.

    The module gets whole batches, and the runner makes the episodes at the end of a sample. This
    needs RLlib's default connectors, a module without state, no callbacks for single episodes, and
    a vector environment in the autoreset mode NextStep. Otherwise the runner samples like
    `SingleAgentEnvRunner`, logs a message once, and `obstacle` gives the reason. The runner resets
    the environments when it changes between the two ways of sampling.

    The rest is as in RLlib: metrics (without the times of connectors), states and weights, and the
    handling of failed steps (`fault_tolerance(restart_failed_sub_environments=True)`).
    """

    env: Any
    _needs_initial_reset: bool

    def __init__(self, *, config: Any, **kwargs: Any) -> None:
        """Makes the environments and the module; the arguments are those of RLlib's runner."""
        self._recording: Recording | None = None
        self._recorded_env: Any = None
        self._unsuitable: str | None = None  # why the environments cannot be recorded
        self._in_batches = True
        self._finished: list[tuple[int, float, float]] = []
        self._earlier: dict[str, list[tuple[int, float, float]]] = {}
        self._logged_obstacle: str | None = None
        super().__init__(config=config, **kwargs)

    # --- Making the environments

    def make_env(self) -> None:
        """Makes the environments, as a pool if `config.env` is the id of a task."""
        task = _registered_task(self.config.env)
        if task is None:
            super().make_env()
            return
        given = self.config.env, self.config.gym_env_vectorize_mode
        self.config.env = task
        self.config.gym_env_vectorize_mode = gymnasium.VectorizeMode.VECTOR_ENTRY_POINT
        try:
            super().make_env()
        finally:
            self.config.env, self.config.gym_env_vectorize_mode = given

    # --- The choice of the way to sample

    @property
    def obstacle(self) -> str | None:
        """The reason for sampling one environment at a time; None if whole batches are sampled."""
        if self.module is None:
            return "there is no module"
        if self.module.framework != "torch":
            return f"the module's framework is {self.module.framework}"
        if self.module.is_stateful():
            return "the module has a state"
        if not self.config.episodes_to_numpy:
            return "episodes_to_numpy=False"
        for what, pipeline, default in (
            ("env_to_module", self._env_to_module, _ENV_TO_MODULE),
            ("module_to_env", self._module_to_env, _MODULE_TO_ENV),
        ):
            names = [type(connector) for connector in pipeline.connectors]
            if names != list(default):
                own = [kind.__name__ for kind in names if kind not in default]
                return f"the {what} connectors are not the default ones: {', '.join(own) or names}"
        return self._callback() or self._unrecordable()

    def _callback(self) -> str | None:
        for name in _EPISODE_CALLBACKS:
            if getattr(self.config, f"callbacks_{name}") or any(
                getattr(type(each), name) is not getattr(RLlibCallback, name)
                for each in self._callbacks
            ):
                return f"there is a callback {name}"
        return None

    def _unrecordable(self) -> str | None:
        """Makes the recording of new environments; returns the reason if this is impossible."""
        if self.env is not self._recorded_env:
            self._recorded_env = self.env
            self._recording, self._unsuitable = None, None
            envs = self.env.env if isinstance(self.env, DictInfoToList) else self.env
            try:
                self._recording = Recording(envs, self.config.episode_lookback_horizon)
            except (InputError, InputTypeError) as error:
                self._unsuitable = str(error)
        return self._unsuitable

    # --- Sampling

    def _sample(
        self,
        *,
        num_timesteps: int | None = None,
        num_episodes: int | None = None,
        explore: bool,
        random_actions: bool = False,
        force_reset: bool = False,
    ) -> list[SingleAgentEpisode]:
        """Samples steps or episodes, as RLlib's runner describes it."""
        obstacle = self.obstacle
        in_batches = obstacle is None
        if in_batches is not self._in_batches:
            self._in_batches = in_batches
            force_reset = True
        if obstacle is not None:
            if obstacle != self._logged_obstacle:
                self._logged_obstacle = obstacle
                logger.warning("PoolEnvRunner samples one environment at a time: %s", obstacle)
            episodes: list[SingleAgentEpisode] = super()._sample(
                num_timesteps=num_timesteps,
                num_episodes=num_episodes,
                explore=explore,
                random_actions=random_actions,
                force_reset=force_reset,
            )
            return episodes
        if force_reset or num_episodes is not None or self._needs_initial_reset:
            self._reset_recording()
        # After an exception, the environments may have made steps that were not recorded.
        self._needs_initial_reset = True
        with self._evaluating():
            if num_episodes is not None:
                return self._sample_episodes(num_episodes, explore, random_actions)
            assert num_timesteps is not None
            sampled = self._sample_steps(num_timesteps, explore, random_actions)
        self._needs_initial_reset = False
        return sampled

    def _sample_steps(
        self, wanted: int, explore: bool, random_actions: bool
    ) -> list[SingleAgentEpisode]:
        recording = self._recorded()
        recording.begin(-(-wanted // recording.num_envs))
        ended: list[Part] = []
        steps = 0
        while steps < wanted:
            taken = self._step_all(explore, random_actions, steps)
            if taken is None:
                ended += self._recorded().finish()[0]
                self._recover()
                steps = 0
            else:
                steps += taken
        at_last, going_on = self._recorded().finish()
        return self._collected([*ended, *at_last], going_on, steps)

    def _sample_episodes(
        self, wanted: int, explore: bool, random_actions: bool
    ) -> list[SingleAgentEpisode]:
        self._recorded().begin(1)
        ended: list[Part] = []
        steps = count = 0
        while count < wanted:
            taken = self._step_all(explore, random_actions, steps)
            if taken is None:
                ended += self._recorded().finish()[0]
                self._recover()
                steps = 0
            else:
                steps += taken
                count += int(np.count_nonzero(self._recorded().resetting))
        ended += self._recorded().finish()[0]
        return self._collected(ended[:wanted], [], steps)

    def _step_all(self, explore: bool, random_actions: bool, steps: int) -> int | None:
        """Steps all environments.

        Args:
            explore: whether the policy explores.
            random_actions: whether actions are drawn from the action space.
            steps: steps of this sample so far, over all environments.

        Returns:
            The number of environments that used their action; None if the step failed.
        """
        recording = self._recorded()
        if random_actions:
            out = {Columns.ACTIONS: self.env.action_space.sample()}
        else:
            out = self._act(recording.observations, explore, steps)
        actions = out.pop(Columns.ACTIONS)
        with self._stepping(recording):
            result = self._try_env_step(out.pop(Columns.ACTIONS_FOR_ENV, actions))
        if isinstance(result, str) and result == ENV_STEP_FAILURE:
            return None
        out[WEIGHTS_SEQ_NO] = np.full(self.num_envs, self._weights_seq_no)
        return recording.add(actions, out, result)

    def _act(self, observations: Any, explore: bool, steps: int) -> dict[str, Any]:
        """Returns the policy's actions and its other outputs, as NumPy arrays (N, ...)."""
        seen = {Columns.OBS: convert_to_torch_tensor(observations, device=self._device)}
        with self.metrics.log_time(RLMODULE_INFERENCE_TIMER):
            if explore:
                runners = self.config.num_env_runners or 1
                lifetime = (self.num_env_steps_sampled_lifetime // runners + steps) * runners
                out = self._forward("exploration")(seen, t=lifetime)
            else:
                out = self._forward("inference")(seen)
        pipeline = self._module_to_env.connectors
        out = pipeline[_MODULE_TO_ENV.index(GetActions)](
            rl_module=self.module, batch=out, episodes=[None], explore=explore
        )
        arrays: dict[str, Any] = convert_to_numpy(out)
        limits = pipeline[_MODULE_TO_ENV.index(NormalizeAndClipActions)]
        if limits.normalize_actions or limits.clip_actions:
            limit = unsquash_action if limits.normalize_actions else clip_action
            arrays[Columns.ACTIONS_FOR_ENV] = limit(
                arrays[Columns.ACTIONS], limits._action_space_struct
            )
        return arrays

    def _forward(self, which: str) -> Any:
        """Returns the module's forward_exploration or forward_inference.

        RLlib's own functions set the mode of every submodule before and after each call. This
        runner sets the mode once for a whole sample.
        """
        name = f"forward_{which}"
        if getattr(type(self.module), name) is getattr(TorchRLModule, name):
            return getattr(self.module, f"_{name}")
        return getattr(self.module, name)

    @contextlib.contextmanager
    def _evaluating(self) -> Iterator[None]:
        was_training = self.module.training
        self.module.eval()
        try:
            yield
        finally:
            if was_training:
                self.module.train()

    def _recorded(self) -> Recording:
        assert self._recording is not None
        return self._recording

    @contextlib.contextmanager
    def _stepping(self, recording: Recording) -> Iterator[None]:
        """Makes RLlib's own code, which handles failures, step the recording."""
        envs = self.env
        stand_in = _RecordedEnvs(recording, envs)
        self.env = stand_in
        try:
            yield
        finally:
            if self.env is stand_in:
                self.env = envs

    def _reset_recording(self) -> None:
        self._earlier.clear()
        seed = self._seed if self._needs_initial_reset else None
        while True:
            with self._stepping(self._recorded()):
                self._try_env_reset(seed=seed, options=None)
            if self.env is self._recorded_env:
                return
            self._record_new()  # the reset failed, and RLlib made other environments

    def _recover(self) -> None:
        """Records and resets the environments that RLlib has made after a failure."""
        self._record_new()
        self._reset_recording()
        self._recorded().begin(1)

    def _record_new(self) -> None:
        obstacle = self._unrecordable()
        if obstacle is not None:
            raise InputError(f"environments made after a failure: {obstacle}")

    # --- Episodes

    def _collected(
        self, ended: list[Part], going_on: list[Part], steps: int
    ) -> list[SingleAgentEpisode]:
        for part in ended:
            length, total, seconds = _counted(part)
            for earlier in self._earlier.pop(part.name, ()):
                length, total, seconds = (
                    length + earlier[0],
                    total + earlier[1],
                    seconds + earlier[2],
                )
            self._finished.append((length, total, seconds))
        for part in going_on:
            self._earlier.setdefault(part.name, []).append(_counted(part))
        self._log_env_steps(metric=self._metrics_num_env_steps_sampled, num_steps=steps)
        self._increase_sampled_metrics(steps, len(ended))
        episodes = _Episodes(self.env)
        return [episodes.make(part) for part in (*ended, *going_on)]

    def get_metrics(self) -> Any:
        """Returns the metrics since the latest call, as RLlib's runner reports them."""
        # RLlib's window contains only the latest episodes, so older ones need not be logged.
        window = self.config.metrics_num_episodes_for_smoothing / (self.config.num_env_runners or 1)
        for length, total, seconds in self._finished[-max(1, math.ceil(window)) :]:
            self._log_episode_metrics(length, total, seconds)
        self._finished.clear()
        return super().get_metrics()


class _RecordedEnvs:
    """The object that RLlib's code steps and resets in place of the environments."""

    def __init__(self, recording: Recording, envs: Any) -> None:
        self._recording = recording
        self._envs = envs

    def step(self, actions: Any) -> Any:
        return self._recording.step(actions)

    def reset(self, *, seed: Any, options: None) -> Any:
        return self._recording.reset(seed)

    def close(self) -> None:
        self._envs.close()


def _registered_task(env: Any) -> str | None:
    """Returns the name under which Gymnasium makes a pool, if `env` is the id of a task."""
    if not isinstance(env, str) or _global_registry.contains(ENV_CREATOR, env):
        return None
    if env.startswith("envpool_py:EnvPool/"):
        return env
    known = env in list_all_envs()
    return f"envpool_py:EnvPool/{env.replace('/', '.')}" if known else None


def _counted(part: Part) -> tuple[int, float, float]:
    """Returns the number of steps, the return and the seconds of a part."""
    rewards = part.rewards.data[part.rewards.lookback :]
    return len(rewards), sum(rewards), part.ended - part.began


class _Episodes:
    """Makes RLlib's episodes from parts, by copying an empty episode.

    The constructor of an episode traverses the spaces, which takes longer than 20 steps of an
    environment.
    """

    def __init__(self, envs: Any) -> None:
        self._empty = SingleAgentEpisode(
            observation_space=envs.single_observation_space,
            action_space=envs.single_action_space,
        )
        self._no_extras = InfiniteLookbackBuffer()

    def make(self, part: Part) -> SingleAgentEpisode:
        """Returns an episode, or a part of one, with NumPy arrays."""
        empty = self._empty
        episode = copy.copy(empty)
        episode.id_ = part.name
        episode.observations = _buffer(empty.observations, part.observations)
        episode.infos = _buffer(empty.infos, Column(part.infos, part.observations.lookback))
        episode.infos.finalized = False  # RLlib keeps infos as lists
        episode.actions = _buffer(empty.actions, part.actions)
        episode.rewards = _buffer(empty.rewards, part.rewards)
        episode.extra_model_outputs = {
            name: _buffer(self._no_extras, column) for name, column in part.extras.items()
        }
        episode.is_terminated, episode.is_truncated = part.terminated, part.truncated
        episode.t_started = part.started
        episode.t = part.started + len(part.rewards.data) - part.rewards.lookback
        episode._custom_data = {}
        episode._start_time, episode._last_step_time = part.began, part.ended
        return episode


def _buffer(empty: InfiniteLookbackBuffer, column: Column) -> InfiniteLookbackBuffer:
    buffer = InfiniteLookbackBuffer.__new__(InfiniteLookbackBuffer)
    buffer.__dict__.update(empty.__dict__)
    buffer.data, buffer.lookback, buffer.finalized = column.data, column.lookback, True
    return buffer
