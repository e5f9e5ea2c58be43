"""Gymnasium's MuJoCo tasks on the library of the installed `mujoco` package.

`manifest`: what the rest of the package needs to know; `tasks`: the ids; `family`: what `make`
loads. `import envpool_py` imports no more of it than `manifest` and `tasks`.
"""
