"""Adds the family when it is imported, for example by pytest's `-p pond.add`."""

from __future__ import annotations

from envpool_py.tasks import registry

registry.add("pond")
