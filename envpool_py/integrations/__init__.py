"""Adapters for training libraries that have a vector environment interface of their own.

There is one module per library; the library is imported only in that module:

    envpool_py.integrations.stable_baselines3   PoolVecEnv, a Stable-Baselines3 VecEnv
    envpool_py.integrations.tianshou            PoolVectorEnv, a Tianshou BaseVectorEnv
    envpool_py.integrations.pfrl                PoolVectorEnv, a PFRL VectorEnv
    envpool_py.integrations.rllib               PoolEnvRunner, an RLlib EnvRunner

TorchRL, skrl and RLlib take a `gymnasium.vector.VectorEnv` and need no adapter; RLlib's own
EnvRunner works on one environment at a time, PoolEnvRunner on whole batches.
"""
