"""Adapters for training libraries that have an interface of their own for many environments.

One module per library, which is imported by the module's name and nowhere else:

    envpool_py.integrations.stable_baselines3   PoolVecEnv, a Stable-Baselines3 VecEnv
    envpool_py.integrations.tianshou            PoolVectorEnv, a Tianshou BaseVectorEnv
    envpool_py.integrations.pfrl                PoolVectorEnv, a PFRL VectorEnv

TorchRL, skrl and RLlib take a `gymnasium.vector.VectorEnv` and need none.
"""
