"""Writes the source tree of the site.

    python -m tools.site DIRECTORY

DIRECTORY gets the pages of `site/` at its top, the Markdown files of the repository under their own
paths, and what is generated: a page for each source file that a page links to, the command line,
the C++ headers for authors, and a page of moving pictures for each family of environments. A file
whose content has not changed keeps its time, so that Sphinx reads only what is new.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from tools.site import command_line, environments, headers, repository
from tools.site.tree import Tree


def main() -> None:
    """Writes the tree; removes files of an earlier one that no longer belong to it."""
    parser = argparse.ArgumentParser(prog="python -m tools.site", description=__doc__)
    parser.add_argument("directory", type=Path, help="where the tree is written")
    tree = Tree(parser.parse_args().directory)
    repository.write(tree)
    command_line.write(tree)
    headers.write(tree)
    environments.write(tree)
    tree.remove_others()
    print(f"{tree.root}: {len(tree.written)} files")


if __name__ == "__main__":
    main()
