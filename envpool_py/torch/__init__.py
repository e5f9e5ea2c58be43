"""PyTorch: pools whose results are tensors.

Imported by programs. Needs the package torch.

    from envpool_py.torch import TorchPool

    envs = TorchPool(envpool_py.make("CartPole-v1", num_envs=8))
    observations, infos = envs.reset(seed=0)
    observations, rewards, terminated, truncated, infos = envs.step(policy(observations))
"""

from envpool_py.torch.pool import TorchPool

__all__ = ["TorchPool"]
