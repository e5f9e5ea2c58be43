"""The table of EnvPool's settings and their translations in the compat module."""

from __future__ import annotations

from collections.abc import Iterator

from envpool_py.compat.decisions import FOLLOWS, Decision, decision
from envpool_py.compat.tables import ENVPOOL_CLASSES
from envpool_py.compat.tasks import task_of
from tools.guide.markdown import codes, table

_OF_ATARI = "Pong-v5"
_SAME = "the same"


def envpool_settings() -> str:
    """Task-specific settings; settings that are equal here share a row."""
    same: list[str] = []
    of_id: list[str] = []
    rows: dict[tuple[str, str], list[str]] = {}
    for label, name, what in _decisions():
        text = described(name, what)
        if text == _SAME:
            same.append(name)
        elif what.advice == FOLLOWS:
            of_id.append(name)
        else:
            tasks = rows.setdefault((name, text), [])
            tasks.append(label)
    listed = [[f"`{name}`", _tasks(labels), text] for (name, text), labels in sorted(rows.items())]
    others = "all that have them"
    last = [
        ["others", others, f"only the default is accepted, because {FOLLOWS}: {_names(of_id)}"],
        ["others", others, f"the same: {_names(same)}"],
    ]
    return table(["setting", "tasks", "here"], [*listed, *last])


def _names(settings: list[str]) -> str:
    return codes(sorted(set(settings)))


def _decisions() -> Iterator[tuple[str, str, Decision]]:
    """Yields the id, the setting, and its translation."""
    for envpool_class in ENVPOOL_CLASSES.values():
        for task_id in envpool_class.ids or ([] if envpool_class.pixels else [_OF_ATARI]):
            task = task_of(task_id, pixels=envpool_class.pixels)
            base = () if not envpool_class.pixels else task_of(task_id).settings
            for name in task.settings:
                if name not in base:
                    yield "Atari" if task_id == _OF_ATARI else task_id, name, decision(task, name)


def described(name: str, what: Decision) -> str:
    """Describes the translation of a setting."""
    if what.summary:
        return what.summary
    if what.values is not None:
        each = [
            f"`{value!r}`: " + (", ".join(f"`{k}={v!r}`" for k, v in given.items()) or "default")
            for value, given in what.values.items()
        ]
        return "; ".join([*each, *([what.advice] if what.advice else [])])
    if what.end is not None:
        return f"the {('lower', 'upper')[what.end]} bound of `{what.option}`"
    if what.of_version:
        each = [f"`{x!r}` in `-{i.rpartition('-')[2]}`" for i, x in what.of_version.items()]
        return f"fixed by the version in the id: {', '.join(each)}"
    if what.only:
        return "only the default is accepted" + (f": {what.advice}" if what.advice else "")
    if what.option == name:
        return _SAME
    return f"`{what.option}`" if what.option else what.advice


def _tasks(labels: list[str]) -> str:
    """Returns ids as text, with the ids of one environment combined."""
    short = sorted({label.rpartition("-")[0] or label for label in labels})
    if len(short) > 6:
        return f"{len(short)} environments"
    both = {
        name: sorted(x for x in labels if (x.rpartition("-")[0] or x) == name) for name in short
    }
    return ", ".join(
        f"`{name}`" if len(ids) != 1 or ids[0] == name else f"`{ids[0]}`"
        for name, ids in both.items()
    )
