"""A directory of generated files, in which unchanged files keep their times."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Tree:
    """Files below a directory, which this object alone writes.

    Attributes:
        root: the directory.
        written: the files that were written, or found unchanged.
    """

    root: Path
    written: set[Path] = field(default_factory=set)

    def write(self, name: str, content: str | bytes) -> None:
        """Writes a file, unless it has this content.

        Args:
            name: its path below the root.
            content: text, written as UTF-8, or bytes.
        """
        data = content.encode() if isinstance(content, str) else content
        path = self.root / name
        self.written.add(path)
        if path.is_file() and path.read_bytes() == data:
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)

    def remove_others(self) -> None:
        """Removes the files below the root that were not written."""
        for path in sorted(self.root.rglob("*"), reverse=True):
            if path.is_file() and path not in self.written:
                path.unlink()
            elif path.is_dir() and not any(path.iterdir()):
                path.rmdir()
