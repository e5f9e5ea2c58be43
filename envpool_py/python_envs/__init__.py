"""Pools of environments written in Python: any `gymnasium.Env`, stepped by worker processes.

`make_python` makes them from functions; `envpool_py.make` makes them for the ids that only
Gymnasium knows. The pool, its calls and its results are those of the tasks in C++.

    make.py          make_python, and the choice of the number of workers
    pool.py          the pool
    space_trees.py   spaces as data for the engine
    hosting.py       what the engine calls in the process that has the environments
    infos.py         infos of single environments, gathered as Gymnasium does
"""
