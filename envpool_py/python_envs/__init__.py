"""Pools of environments written in Python: any `gymnasium.Env`, stepped by worker processes.

`make_python` makes pools from functions; `envpool_py.make` makes them for ids that only Gymnasium's
registry has. The API of the pool and the form of its results are the same as for tasks in C++.

    make.py          make_python, and the choice of the number of workers
    pool.py          the pool
    space_trees.py   spaces as data for the engine
    hosting.py       functions that the engine calls in the process of the environments
    infos.py         infos of single environments, gathered as in Gymnasium
"""

__all__: list[str] = []
