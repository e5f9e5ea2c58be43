"""Pools of environments written in Python: any `gymnasium.Env`, stepped by worker processes.

`make_python` makes pools from functions; `envpool_py.make` makes them for ids that only Gymnasium's
registry has. The API of the pool and the form of its results are the same as for tasks in C++.

`make` makes pools, `pool` is the pool, `workers` starts processes, `hosting` has what the engine
calls in the process of the environments. Imported by `envpool_py`, `tasks`,
`integrations` and `cli`.
"""

__all__: list[str] = []
