"""What `import envpool` finds where `envpool_py.compat.alias` put this directory on the path."""

from envpool_py.compat.alias import alias

alias()
