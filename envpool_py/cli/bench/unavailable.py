"""Why a library does not take part in a comparison."""

from __future__ import annotations

__all__ = ["INSTALL_ALL", "UnavailableError"]

# In a clone; `pip install '.[bench]'` would compile this package again.
INSTALL_ALL = "pip install -r <(python tools/requirements.py bench)"


class UnavailableError(Exception):
    """A participant cannot take part: `reason` says why, `remedy` is a command that helps."""

    def __init__(self, reason: str, remedy: str | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.remedy = remedy
