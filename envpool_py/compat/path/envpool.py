"""The module that `import envpool` finds when `envpool_py.compat.alias` has set the path."""

from envpool_py.compat.alias import alias

alias()
