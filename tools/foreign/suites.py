"""The test files of each project, and how to run them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

__all__ = ["SUITES", "Suite"]


@dataclass(frozen=True)
class Suite:
    """The tests of a project.

    Attributes:
        patterns: patterns of the test files in the checkout.
        substitutes: the module whose `install` replaces the project's classes by pools.
        all_count: whether all tests count; otherwise only tests that request a pool.
        copied: whether to run copies of the files, outside of their packages.
        import_mode: pytest's import mode.
    """

    patterns: tuple[str, ...]
    substitutes: str
    all_count: bool = False
    copied: bool = False
    import_mode: str = "prepend"

    def files(self, checkout: Path) -> list[Path]:
        """Returns the test files in a checkout, sorted."""
        return sorted(file for pattern in self.patterns for file in checkout.glob(pattern))


SUITES = {
    "gymnasium": Suite(
        patterns=("tests/vector/test_*.py", "tests/wrappers/vector/test_*.py"),
        substitutes="tools.foreign.gymnasium_pools",
    ),
    # The tests of "gymnasium", with all environments in Python.
    "gymnasium-python": Suite(
        patterns=("tests/vector/test_*.py", "tests/wrappers/vector/test_*.py"),
        substitutes="tools.foreign.gymnasium_python_pools",
    ),
    "ale": Suite(
        patterns=("tests/python/test_atari_vector_env.py",),
        substitutes="tools.foreign.ale_pools",
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
            "envpool/box2d/box2d_deterministic_test.py",
            "envpool/box2d/box2d_render_test.py",
        ),
        substitutes="tools.foreign.envpool_pools",
        all_count=True,
        copied=True,
        import_mode="importlib",
    ),
}
