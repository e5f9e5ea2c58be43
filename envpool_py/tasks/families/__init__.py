"""The families of tasks of this package: each package here has a module `manifest`.

`envpool_py.tasks.registry` finds them; nothing else imports them by name.
"""

__all__: list[str] = []
