"""Adds the family where it is imported, as pytest does with `-p pond.add`."""

from __future__ import annotations

from envpool_py import families

families.add("pond")
