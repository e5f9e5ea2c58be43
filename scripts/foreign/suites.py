"""Which files of each project are run, and how."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

__all__ = ["SUITES", "Suite"]


@dataclass(frozen=True)
class Suite:
    """The tests of a project.

    Attributes:
        patterns: the files, as patterns in the checkout.
        substitutes: the module whose `install` puts pools in the place of the project's own.
        all_count: whether all tests count; otherwise those that want a pool.
        copied: whether the files are run from copies, outside of the packages that they belong to.
        import_mode: pytest's.
    """

    patterns: tuple[str, ...]
    substitutes: str
    all_count: bool = False
    copied: bool = False
    import_mode: str = "prepend"

    def files(self, checkout: Path) -> list[Path]:
        """Returns the files that a checkout has, sorted."""
        return sorted(file for pattern in self.patterns for file in checkout.glob(pattern))


SUITES = {
    "gymnasium": Suite(
        patterns=("tests/vector/test_*.py", "tests/wrappers/vector/test_*.py"),
        substitutes="scripts.foreign.gymnasium_pools",
    ),
    # The same tests, with every environment in Python.
    "gymnasium-python": Suite(
        patterns=("tests/vector/test_*.py", "tests/wrappers/vector/test_*.py"),
        substitutes="scripts.foreign.gymnasium_python_pools",
    ),
    "ale": Suite(
        patterns=("tests/python/test_atari_vector_env.py",),
        substitutes="scripts.foreign.ale_pools",
    ),
    "envpool": Suite(
        patterns=(
            "envpool/make_test.py",
            "envpool/classic_control/*_test.py",
            "envpool/toy_text/*_test.py",
            "envpool/atari/api_test.py",
            "envpool/atari/atari_envpool_test.py",
            "envpool/atari/atari_render_test.py",
            "envpool/mujoco/gym/*_test.py",
        ),
        substitutes="scripts.foreign.envpool_pools",
        all_count=True,
        copied=True,
        import_mode="importlib",
    ),
}
