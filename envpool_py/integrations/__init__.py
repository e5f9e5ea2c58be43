"""Adapters for training libraries with their own interface, and wrappers of vector environments.

There is one module per library, and only that module imports the library. Imported by programs:

    envpool_py.integrations.stable_baselines3   PoolVecEnv, a Stable-Baselines3 VecEnv
    envpool_py.integrations.tianshou            PoolVectorEnv, a Tianshou BaseVectorEnv
    envpool_py.integrations.pfrl                PoolVectorEnv, a PFRL VectorEnv
    envpool_py.integrations.rllib               PoolEnvRunner, an RLlib EnvRunner
    envpool_py.integrations.normalizing         wrappers with statistics of each environment
    envpool_py.integrations.metaworld           MetaWorld's benchmarks

TorchRL, skrl and RLlib accept a `gymnasium.vector.VectorEnv` and need no adapter. RLlib's own
EnvRunner processes one environment at a time; PoolEnvRunner processes whole batches.
"""

__all__: list[str] = []
