"""Ray."""

from __future__ import annotations

from envpool_py.errors import MissingPackageError, install_command

__all__ = ["ray"]

try:
    import ray
except ImportError as error:
    raise MissingPackageError(
        f"envpool_py.ray needs the package ray (`{install_command('ray')}`): {error}"
    ) from error
