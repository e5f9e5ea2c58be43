"""MetaWorld's benchmarks, as the reference makes them: pools of several tasks, with its wrappers.

Imported by Gymnasium, whose registry has their names (the family's manifest):

    gymnasium.make_vec("EnvPool/MetaWorld.MT10", seed=0, normalize_observations=True)
"""

__all__: list[str] = []
