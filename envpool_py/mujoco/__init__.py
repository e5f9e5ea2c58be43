"""Gymnasium's MuJoCo tasks on the library of the installed `mujoco` package.

Not imported by `import envpool_py`.
"""
