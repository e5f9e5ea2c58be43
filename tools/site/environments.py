"""Pages that show a moving picture of every environment, a page for each family.

`python -m tools.site.pictures` draws the pictures. An environment whose picture is missing, as
where there is no OpenGL for MuJoCo, has a card without one.
"""

from __future__ import annotations

import html
import re
from pathlib import Path

from envpool_py.cli.list_command import describe_space
from envpool_py.tasks import registry
from envpool_py.tasks.manifest import Family
from envpool_py.tasks.resolve import describe
from tools.site.repository import ROOT
from tools.site.tree import Tree

PICTURES = ROOT / "build" / "site" / "extra" / "environments"
"""Where the pictures are: Sphinx copies the directory above into the site."""


def environments_of(family: Family) -> dict[str, list[str]]:
    """Returns the ids of each environment of a family: one name may have several tasks."""
    found: dict[str, list[str]] = {}
    for task_id in family.tasks:
        found.setdefault(re.sub(r"^ALE/|-v\d+$", "", task_id), []).append(task_id)
    return found


def picture_name(name: str) -> str:
    """Returns the file name of an environment's picture, without its suffix."""
    return re.sub(r"[^A-Za-z0-9]+", "-", name).lower()


def write(tree: Tree) -> None:
    """Writes environments/index.md and environments/<family>.md."""
    families = registry.all_families()
    parts = [
        "# Environments\n\n",
        "Each page shows the environments of a family in motion, with random actions.\n\n",
        "| family | environments |\n|---|---|\n",
    ]
    for key, family in families.items():
        count = len(environments_of(family))
        parts.append(f"| [{family.name}]({key}.md) | {count} |\n")
        tree.write(f"environments/{key}.md", _page(key, family))
    parts += ["\n```{toctree}\n:hidden:\n\n", *(f"{key}\n" for key in families), "```\n"]
    tree.write("environments/index.md", "".join(parts))


def _page(key: str, family: Family) -> str:
    cards = "".join(_card(key, name, ids) for name, ids in environments_of(family).items())
    return (
        f"# {family.name} in motion\n\n"
        f"Options, rules and references: [{family.name}](../docs/{family.page}). The pictures show "
        "random actions.\n\n"
        f'<div class="cards">\n{cards}</div>\n'
    )


def _card(key: str, name: str, ids: list[str]) -> str:
    data = describe(ids[0], {})
    limit = data["max_episode_steps"]
    facts = [
        ("observation", describe_space(data["observation"])),
        ("actions", describe_space(data["action"])),
        ("step limit", "none" if limit is None else f"{limit:,}"),
    ]
    rows = "".join(
        f"<dt>{label}</dt><dd>{html.escape(_shortened(text))}</dd>" for label, text in facts
    )
    codes = " ".join(f"<code>{html.escape(each)}</code>" for each in ids)
    file = picture_name(name)
    return (
        f'<div class="card" id="{file}">{_picture(PICTURES / key, f"{key}/{file}", name)}'
        f"<p>{codes}</p><dl>{rows}</dl></div>\n"
    )


def _picture(directory: Path, place: str, name: str) -> str:
    file = Path(place).name
    if not (directory / f"{file}.webp").is_file():
        return ""
    return (
        '<picture><source media="(prefers-reduced-motion: reduce)" '
        f'srcset="{place}-still.webp"><img src="{place}.webp" loading="lazy" '
        f'alt="{html.escape(name)}, random actions"></picture>'
    )


def _shortened(text: str, most: int = 90) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"
