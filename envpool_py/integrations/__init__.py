"""Adapters for training libraries that have a vector environment interface of their own.

There is one module per library; the library is imported only in that module:

    envpool_py.integrations.stable_baselines3   PoolVecEnv, a Stable-Baselines3 VecEnv
    envpool_py.integrations.tianshou            PoolVectorEnv, a Tianshou BaseVectorEnv
    envpool_py.integrations.pfrl                PoolVectorEnv, a PFRL VectorEnv

TorchRL, skrl and RLlib take a `gymnasium.vector.VectorEnv` and need no adapter.
"""
