"""skrl's PPO learns CartPole.

    python examples/skrl_ppo.py [--engine gymnasium] [--seed 0]

No adapter is needed: skrl's `wrap_env` accepts a pool. The other engine is Gymnasium's
`SyncVectorEnv`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from skrl.agents.torch.ppo import PPO, PPO_CFG
from skrl.envs.wrappers.torch import Wrapper, wrap_env
from skrl.memories.torch import RandomMemory
from skrl.models.torch import CategoricalMixin, DeterministicMixin, Model
from skrl.trainers.torch import SequentialTrainer, SequentialTrainerCfg
from skrl.utils import set_seed

from cartpole import Run, make_envs

NUM_ENVS = 8
STEPS = 100_000  # over all environments
ROLLOUT = 128  # steps of each environment between updates


def hidden_layers() -> torch.nn.Sequential:
    """Returns two layers of 64 units over the observation."""
    tanh = torch.nn.Tanh()
    return torch.nn.Sequential(torch.nn.Linear(4, 64), tanh, torch.nn.Linear(64, 64), tanh)


class Policy(CategoricalMixin, Model):
    """The policy."""

    def __init__(self, envs: Wrapper) -> None:
        Model.__init__(
            self, observation_space=envs.observation_space, action_space=envs.action_space
        )
        CategoricalMixin.__init__(self)
        self.layers = torch.nn.Sequential(hidden_layers(), torch.nn.Linear(64, 2))

    def compute(
        self, inputs: dict[str, Any], role: str = ""
    ) -> tuple[torch.Tensor, dict[str, Any]]:
        """Returns logits, (n, 2)."""
        return self.layers(inputs["observations"]), {}


class Value(DeterministicMixin, Model):
    """The value function."""

    def __init__(self, envs: Wrapper) -> None:
        Model.__init__(
            self, observation_space=envs.observation_space, action_space=envs.action_space
        )
        DeterministicMixin.__init__(self)
        self.layers = torch.nn.Sequential(hidden_layers(), torch.nn.Linear(64, 1))

    def compute(
        self, inputs: dict[str, Any], role: str = ""
    ) -> tuple[torch.Tensor, dict[str, Any]]:
        """Returns values, (n, 1)."""
        return self.layers(inputs["observations"]), {}


class Recorded(PPO):
    """An agent that passes the returns of episodes to the run."""

    def __init__(self, run: Run, **arguments: Any) -> None:
        super().__init__(**arguments)
        self._run = run
        self._returns = np.zeros(NUM_ENVS)

    def record_transition(self, **transition: Any) -> None:
        """Processes the step as PPO does, and records the ends of episodes."""
        self._returns += transition["rewards"].flatten().numpy()
        ended = (transition["terminated"] | transition["truncated"]).flatten().numpy()
        steps = (transition["timestep"] + 1) * NUM_ENVS
        self._run.episodes_ended(steps, self._returns[ended])
        self._returns[ended] = 0
        super().record_transition(**transition)


def make_agent(run: Run, envs: Wrapper) -> Recorded:
    """Returns PPO on the environments."""
    settings = PPO_CFG(
        rollouts=ROLLOUT,
        learning_epochs=10,
        mini_batches=4,
        discount_factor=0.98,
        gae_lambda=0.8,
        learning_rate=1e-3,
        value_clip=0.0,
        value_loss_scale=0.5,
    )
    settings.experiment.write_interval = 0
    settings.experiment.checkpoint_interval = 0
    return Recorded(
        run,
        models={"policy": Policy(envs), "value": Value(envs)},
        memory=RandomMemory(memory_size=ROLLOUT, num_envs=NUM_ENVS),
        observation_space=envs.observation_space,
        action_space=envs.action_space,
        device="cpu",
        cfg=settings,
    )


def main() -> None:
    """Trains and evaluates."""
    torch.set_num_threads(1)
    run = Run("skrl", "PPO")
    set_seed(run.seed)
    envs = wrap_env(make_envs(run.engine, NUM_ENVS, "SameStep"))
    agent = make_agent(run, envs)
    settings = SequentialTrainerCfg(
        timesteps=STEPS // NUM_ENVS,
        headless=True,
        disable_progressbar=True,
        close_environment_at_exit=False,
    )
    SequentialTrainer(env=envs, agents=agent, cfg=settings).train()

    def act(seen: NDArray[np.float32]) -> NDArray[np.int64]:
        with torch.no_grad():
            logits, _ = agent.models["policy"].compute({"observations": torch.from_numpy(seen)})
        actions: NDArray[np.int64] = logits.argmax(-1).numpy()
        return actions

    run.finish(STEPS, NUM_ENVS, act)
    envs.close()


if __name__ == "__main__":
    main()
