"""Names the links of a built site that lead nowhere.

    python -m tools.site.dead_links DIRECTORY

Reads every page below DIRECTORY, and looks for the file, and the element, that each relative link,
picture, script and style sheet names. Addresses outside of the site are not looked at: `make
site-links` asks them. Exits with 1 if there is a dead link.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

_LINKS = {"href", "src", "srcset"}


class _Page(HTMLParser):
    """The anchors of a page, and what it refers to."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors = {"", "top"}
        self.links: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Notes an element's name and links."""
        for name, value in attrs:
            if name == "id" or (name == "name" and tag == "a"):
                self.anchors.add(value or "")
            elif name in _LINKS and value:
                self.links.append(value)


def dead_links(root: Path) -> Iterator[str]:
    """Yields a line for each link that leads nowhere.

    Args:
        root: the directory of the site.
    """
    root = root.resolve()
    pages = {path: _Page(path.read_text()) for path in sorted(root.rglob("*.html"))}
    for path, page in pages.items():
        for link in dict.fromkeys(page.links):
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if target.is_dir():
                target /= "index.html"
            name = path.relative_to(root)
            if not target.is_file():
                yield f"{name}: {link}: there is no such file"
            elif target in pages and unquote(parts.fragment) not in pages[target].anchors:
                yield f"{name}: {link}: the page has no such anchor"


def main() -> int:
    """Prints the dead links; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tools.site.dead_links", description=__doc__)
    parser.add_argument("directory", type=Path, help="of the built site")
    directory = parser.parse_args().directory
    dead = list(dead_links(directory))
    print(*dead, sep="\n", end="\n" if dead else "")
    print(f"{len(list(directory.rglob('*.html')))} pages, {len(dead)} dead links")
    return 1 if dead else 0


if __name__ == "__main__":
    sys.exit(main())
