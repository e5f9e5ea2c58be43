"""The files of a new plug-in, as `envpool-py new` writes them; only that command imports it."""

from __future__ import annotations

import re
from pathlib import Path

from envpool_py.errors import InputError
from envpool_py.pool import core

__all__ = ["FILES", "class_name_of", "write"]

FILES = {
    "pyproject.toml": "pyproject",
    "CMakeLists.txt": "cmake",
    "NAME.h": "class",
    "NAME.cc": "module",
    "debug.cc": "debug",
    "tests/test_NAME.py": "tests",
    "README.md": "readme",
    ".gitignore": "gitignore",
}
"""Paths in the new project (NAME stands for the plug-in's name), and templates in this directory.

In a template, @NAME@ is the plug-in's name, @CLASS@ its class, and @VERSION@ the version of this
package.
"""
_NAME = re.compile(r"[a-z][a-z0-9_]*")
_TEMPLATES = Path(__file__).parent


def class_name_of(name: str) -> str:
    """Returns the name of the class: "MyEnv" for "my_env"."""
    return "".join(part.capitalize() for part in name.split("_"))


def write(name: str, directory: Path) -> list[Path]:
    """Writes the project and returns its files; does not overwrite files.

    Args:
        name: name of the plug-in and its module, such as "my_env": lower-case letters, digits and
            "_".
        directory: directory of the project; created if it does not exist.

    Raises:
        InputError: the name is malformed, or one of the files exists; nothing has been written.
        OSError: a file cannot be written.
    """
    if _NAME.fullmatch(name) is None:
        raise InputError(
            f'name: expected lower-case letters, digits and "_", as in "my_env", got {name!r}'
        )
    words = {"@NAME@": name, "@CLASS@": class_name_of(name), "@VERSION@": core.version}
    texts: dict[Path, str] = {}
    for file, template in FILES.items():
        text = (_TEMPLATES / f"{template}.template").read_text()
        for word, value in words.items():
            text = text.replace(word, value)
        texts[directory / file.replace("NAME", name)] = text
    for path in texts:
        if path.exists():
            raise InputError(f"{path} exists; `envpool-py new` does not overwrite files")
    for path, text in texts.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return list(texts)
