"""The files of the repository that the site shows.

Markdown files that the site links to become pages under their own paths; pictures are copied. Every
other file that a page links to gets a page that shows its text, below `source/`. A directory is
replaced by its README.md, or by a page that lists its files.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from tools.site.tree import Tree

ROOT = Path(__file__).resolve().parents[2]
PAGES = ROOT / "site"
"""The pages that exist for the site alone."""
OTHERS = ("CHANGELOG.md", "CODE_OF_CONDUCT.md", "CONTRIBUTING.md", "RELEASING.md", "SECURITY.md")
"""Files at the top of the repository that the site has, whether a page links to them or not."""

_FENCE = re.compile(r"^(```+|~~~+).*?^\1[^\n]*$", re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"(!?\[(?:[^\[\]]|\[[^\]]*\])*\]\()([^)\s]+)(\))")
_PICTURES = {".png", ".svg", ".gif", ".webp", ".jpg"}
_LANGUAGES = {
    ".cc": "cpp", ".h": "cpp", ".c": "c", ".py": "python", ".json": "json", ".yaml": "yaml",
    ".yml": "yaml", ".toml": "toml", ".sh": "bash", ".ipynb": "json",
}  # fmt: skip
_LARGEST = 200_000
"""Bytes of a file up to which its text is shown."""


def write(tree: Tree) -> None:
    """Writes the pages of `site/`, and every file that they, or pages they link to, refer to."""
    waiting: list[tuple[Path, str]] = []
    for path in sorted(PAGES.rglob("*")):
        name = path.relative_to(PAGES).as_posix()
        if path.suffix == ".md":
            waiting.append((path, name))
        elif path.is_file() and "__pycache__" not in path.parts and path.suffix != ".py":
            tree.write(name, path.read_bytes())
    documents = [*sorted((ROOT / "docs").glob("*.md")), *(ROOT / name for name in OTHERS)]
    waiting += [(path, path.relative_to(ROOT).as_posix()) for path in documents if path.exists()]
    done = {name for _, name in waiting}
    while waiting:
        path, name = waiting.pop()
        text, targets = rewritten(path, name)
        # Not every page outside of docs/ is in the table of contents.
        listed = path.is_relative_to(PAGES) or name.startswith("docs/")
        tree.write(name, text if listed else f"---\norphan: true\n---\n\n{text}")
        for target in sorted(targets - done):
            done.add(target)
            if target.endswith(".md") and not target.startswith("source/"):
                waiting.append((ROOT / target, target))
            elif target.startswith("source/"):
                tree.write(target, _page_of(ROOT / target.removeprefix("source/")[:-3]))
            else:
                tree.write(target, (ROOT / target).read_bytes())


def rewritten(path: Path, name: str) -> tuple[str, set[str]]:
    """Rewrites the links of a page, so that they lead to files of the tree.

    Args:
        path: the file.
        name: its path in the tree.

    Returns:
        The text, and the paths in the tree of the files of the repository that it links to.

    Raises:
        ValueError: a link leads to no file of the repository.
    """
    return _rewritten(path.read_text(), name, PurePosixPath(name).parent)


def _rewritten(text: str, name: str, shown_in: PurePosixPath) -> tuple[str, set[str]]:
    """Rewrites the links of the text of the file `name` for a page in the folder `shown_in`."""
    targets: set[str] = set()
    # Links of pages of the site are relative to the tree, which has the layout of the repository.
    place = PurePosixPath(name).parent

    def anew(link: re.Match[str]) -> str:
        address, hash_, anchor = link[2].partition("#")
        if not address or re.match(r"[a-z]+:", address):
            return link[0]
        relative = os.path.normpath(place / address)
        if (PAGES / relative).is_file() or relative.startswith(("environments/", "generated/")):
            return link[0]
        target = _target(relative, f"{name}: {link[2]}")
        targets.add(target)
        return f"{link[1]}{os.path.relpath(target, shown_in)}{hash_}{anchor}{link[3]}"

    pieces = []
    for outside, part in _prose(text):
        pieces.append(_LINK.sub(anew, part) if outside else part)
    return "".join(pieces), targets


def _prose(text: str) -> Iterator[tuple[bool, str]]:
    """Yields the parts of a page in order, and whether each is outside of blocks of code."""
    end = 0
    for block in _FENCE.finditer(text):
        yield True, text[end : block.start()]
        # A directive of MyST contains prose.
        yield block[0].lstrip("`~").startswith("{"), block[0]
        end = block.end()
    yield True, text[end:]


def _target(relative: str, link: str) -> str:
    """Returns the path in the tree of a file or directory of the repository."""
    path = ROOT / relative
    if path.is_dir():
        if (path / "README.md").is_file():
            return f"{relative}/README.md"
        return f"source/{relative}.md"
    if not path.is_file():
        raise ValueError(f"{link}: the repository has no {relative}")
    if path.suffix == ".md" or path.suffix in _PICTURES:
        return relative
    return f"source/{relative}.md"


def _page_of(path: Path) -> str:
    """Returns a page that shows a file, or the names of the files of a directory."""
    name = path.relative_to(ROOT).as_posix()
    head = f"---\norphan: true\n---\n\n# {path.name}\n\n"
    if path.is_dir():
        files = sorted(each for each in path.rglob("*") if each.is_file())
        listed = "".join(
            f"- `{each.relative_to(path).as_posix()}`\n"
            for each in files
            if "__pycache__" not in each.parts
        )
        return f"{head}The files of `{name}/` in the repository:\n\n{listed}"
    if path.stat().st_size > _LARGEST:
        size = path.stat().st_size // 1000
        return f"{head}`{name}` in the repository: {size} kB, which this site does not show.\n"
    if path.suffix == ".ipynb":
        return _notebook(path)
    text = path.read_text()
    fence = "`" * (3 + max((len(run) for run in re.findall(r"`{3,}", text)), default=0))
    language = _LANGUAGES.get(path.suffix, "text")
    return f"{head}`{name}` in the repository.\n\n{fence}{language}\n{text.rstrip()}\n{fence}\n"


def _notebook(path: Path) -> str:
    """Returns the cells of a notebook, whose first one has its title, as a page."""
    name = path.relative_to(ROOT).as_posix()
    parts = ["---\norphan: true\n---\n\n"]
    for cell in json.loads(path.read_text())["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            page = f"source/{name}.md"
            parts.append(_rewritten(source, name, PurePosixPath(page).parent)[0])
        else:
            parts.append(f"```python\n{source}\n```")
        parts.append("\n\n")
    parts.append(f"This notebook is `{name}` in the repository.\n")
    return "".join(parts)
