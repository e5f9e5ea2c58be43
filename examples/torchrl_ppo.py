"""TorchRL's PPO learns CartPole.

    python examples/torchrl_ppo.py [--engine gymnasium] [--seed 0]

No adapter is needed: TorchRL's `GymWrapper` accepts a pool. The other engine is Gymnasium's
`SyncVectorEnv`. `--engine envpool_py-processes` steps Gymnasium's CartPole in worker processes, as
`gymnasium-processes` does with Gymnasium's `AsyncVectorEnv`.
"""

from __future__ import annotations

import torch
from tensordict import TensorDictBase
from tensordict.nn import TensorDictModule
from torch.distributions import Categorical
from torchrl.collectors import Collector
from torchrl.envs import EnvBase, GymWrapper, RewardSum, TransformedEnv
from torchrl.modules import MLP, ProbabilisticActor, ValueOperator
from torchrl.objectives import ClipPPOLoss
from torchrl.objectives.value import GAE

from cartpole import ENGINES, PROCESS_ENGINES, Run, make_envs

NUM_ENVS = 8
STEPS = 100_352  # over all environments
ROLLOUT = 128  # steps of each environment between updates
EPOCHS = 10
MINIBATCH = 256


def make_training_envs(engine: str, seed: int) -> EnvBase:
    """Returns the environments to train on."""
    envs = GymWrapper(make_envs(engine, NUM_ENVS, "Disabled"), categorical_action_encoding=True)
    # RewardSum adds "episode_reward": the sum of the episode's rewards so far.
    envs = TransformedEnv(envs, RewardSum())
    envs.set_seed(seed)
    return envs


def make_actor(envs: EnvBase) -> ProbabilisticActor:
    """Returns a policy of two hidden layers."""
    net = MLP(in_features=4, out_features=2, num_cells=[64, 64])
    return ProbabilisticActor(
        TensorDictModule(net, in_keys=["observation"], out_keys=["logits"]),
        spec=envs.action_spec,
        in_keys=["logits"],
        distribution_class=Categorical,
        return_log_prob=True,
    )


def update(batch: TensorDictBase, loss: ClipPPOLoss, optimizer: torch.optim.Optimizer) -> None:
    """Learns from one rollout, (NUM_ENVS, ROLLOUT) with advantages."""
    steps = batch.reshape(-1)
    for _ in range(EPOCHS):
        for chosen in torch.randperm(len(steps)).split(MINIBATCH):
            losses = loss(steps[chosen])
            total = losses["loss_objective"] + losses["loss_critic"] + losses["loss_entropy"]
            optimizer.zero_grad()
            total.backward()
            torch.nn.utils.clip_grad_norm_(loss.parameters(), 0.5)
            optimizer.step()


def main() -> None:
    """Trains and evaluates."""
    torch.set_num_threads(1)
    run = Run("torchrl", "PPO", ENGINES + PROCESS_ENGINES)
    torch.manual_seed(run.seed)
    envs = make_training_envs(run.engine, run.seed)
    actor = make_actor(envs)
    critic = ValueOperator(MLP(in_features=4, out_features=1, num_cells=[64, 64]))
    advantages = GAE(gamma=0.98, lmbda=0.8, value_network=critic, average_gae=True)
    loss = ClipPPOLoss(actor, critic, entropy_coeff=0.0, critic_coeff=0.5)
    optimizer = torch.optim.Adam(loss.parameters(), lr=1e-3)
    collector = Collector(envs, actor, frames_per_batch=NUM_ENVS * ROLLOUT, total_frames=STEPS)
    steps = 0
    for batch in collector:
        steps += batch.numel()
        ended = batch["next", "done"]
        run.episodes_ended(steps, batch["next", "episode_reward"][ended].tolist())
        with torch.no_grad():
            advantages(batch)
        update(batch, loss, optimizer)
    net = actor.module[0].module

    def act(seen: object) -> object:
        with torch.no_grad():
            return net(torch.as_tensor(seen)).argmax(-1).numpy()

    run.finish(steps, NUM_ENVS, act)
    collector.shutdown()


if __name__ == "__main__":
    main()
