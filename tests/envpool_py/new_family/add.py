"""Adds the family when it is imported, for example by pytest's `-p pond.add`."""

from __future__ import annotations

from envpool_py import families

families.add("pond")
