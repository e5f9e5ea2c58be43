"""Tables of tasks: their spaces, infos and options.

A table names its tasks by ids, by families ("classic_control") for all tasks of a family, and by
patterns ("Fetch*").
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from fnmatch import fnmatchcase

import envpool_py
from envpool_py.cli.list_command import describe_space
from envpool_py.tasks import registry
from envpool_py.tasks.resolve import describe
from envpool_py.tasks.spec import OptionSpec
from tools.guide.markdown import codes, number, table

Options = dict[str, dict[str, OptionSpec]]  # by name and by task

_LARGEST_BOUND = 1e100  # larger bounds come from the number type and are not shown


def family_table() -> str:
    """The families of tasks, with the number of tasks and the names of the environments."""
    rows = []
    for family in registry.all_families().values():
        names = list(
            dict.fromkeys(re.sub(r"^ALE/|-v\d+$", "", task_id) for task_id in family.tasks)
        )
        listed = f"{len(names)} {family.noun}" if len(names) > 20 else ", ".join(names)
        rows.append([f"[{family.name}](docs/{family.page})", str(len(family.tasks)), listed])
    return table(["family", "tasks", "environments"], rows)


def ids_of(words: Sequence[str]) -> list[str]:
    """Returns the ids that a table's words select, in order.

    Words are ids, names of families, or patterns such as `Fetch*`. A word that begins with "-" is a
    pattern, which excludes matching ids.
    """
    named = [word for word in words if not word.startswith("-")]
    left_out = [word[1:] for word in words if word.startswith("-")]
    known = registry.all_families()

    def selected(word: str) -> Sequence[str]:
        if word in known:
            return list(known[word].tasks)
        if "*" not in word:
            return [word]
        every = (task_id for family in known.values() for task_id in family.tasks)
        return [task_id for task_id in every if fnmatchcase(task_id, word)]

    return [
        task_id
        for word in named
        for task_id in selected(word)
        if not any(fnmatchcase(task_id, pattern) for pattern in left_out)
    ]


# More ids than these are named by patterns.
_FEW = 6
_PARTS = re.compile(r"[A-Z]+[a-z]*|[a-z]+|[0-9]+|[^A-Za-z0-9]")


def names_of(ids: Sequence[str], among: Sequence[str]) -> str:
    """Returns ids as code; many as patterns, which match no others of `among`."""
    if len(ids) <= _FEW:
        return codes(ids)
    wanted, others = list(ids), [each for each in among if each not in set(ids)]
    found = []
    while wanted:
        patterns = [pattern for pattern in _patterns(wanted[0]) if not _matching(pattern, others)]
        best = max(patterns, key=lambda pattern: (len(_matching(pattern, wanted)), len(pattern)))
        covered = _matching(best, wanted)
        found.append(best if len(covered) > 1 else covered[0])
        wanted = [each for each in wanted if each not in covered]
    return codes(found)


def _matching(pattern: str, ids: Sequence[str]) -> list[str]:
    return [each for each in ids if fnmatchcase(each, pattern)]


def _patterns(task_id: str) -> list[str]:
    """Returns the id, and the patterns that leave out some of its parts in one place."""
    parts = _PARTS.findall(task_id)
    return [task_id] + [
        "".join(parts[:first]) + "*" + "".join(parts[last:])
        for first in range(len(parts))
        for last in range(max(first, 1), len(parts) + 1)
    ]


def tasks(*words: str) -> str:
    """Spaces, step limits and thresholds; tasks that agree in them share a row."""
    rows: dict[tuple[str, ...], list[str]] = {}
    for task_id in ids_of(words):
        data = describe(task_id, {})
        facts = (
            describe_space(data["observation"]),
            describe_space(data["action"]),
            "none" if data["max_episode_steps"] is None else number(data["max_episode_steps"]),
            "" if data["reward_threshold"] is None else number(data["reward_threshold"]),
        )
        rows.setdefault(facts, []).append(task_id)
    return table(
        ["task", "observation", "actions", "step limit", "solved at"],
        ([codes(names), *facts] for facts, names in rows.items()),
    )


def ids(*words: str) -> str:
    """The ids alone."""
    return codes(ids_of(words)) + "\n"


def infos(*words: str) -> str:
    """Info arrays; the row of an info that only some tasks have lists these tasks."""
    ids = ids_of(words)
    rows: dict[tuple[str, str], list[str]] = {}
    for task_id in ids:
        for info in envpool_py.make_spec(task_id).infos:
            shape = ", ".join(["n", *map(str, info.shape)]) + ("" if info.shape else ",")
            rows.setdefault((f"`{info.name}`", f"{info.dtype} ({shape})"), []).append(task_id)
    if not rows:
        return "No infos beside `env_id` and `elapsed_step`.\n"
    if len(ids) == 1:
        return table(["info", "array"], rows)
    return table(
        ["info", "array", "tasks"],
        (
            [*facts, "all" if names == [*ids] else names_of(names, ids)]
            for facts, names in rows.items()
        ),
    )


def common_options(*words: str) -> str:
    """The options that are equal in all of these tasks."""
    return _options_table(common(words), ids_of(words))


def options(*words: str, apart_from: Sequence[str] = ()) -> str:
    """All options of the tasks, except those named in `apart_from`."""
    ids = ids_of(words)
    every = _options_of(ids)
    return _options_table({name: every[name] for name in every if name not in apart_from}, ids)


def reset_options(*words: str) -> str:
    """The options of `reset(options=...)`."""
    ids = ids_of(words)
    return _options_table(_options_of(ids, of_reset=True), ids)


def common(words: Sequence[str]) -> Options:
    """Returns the options that are equal in all of these tasks."""
    ids = ids_of(words)
    return {
        name: by_task
        for name, by_task in _options_of(ids).items()
        if len(by_task) == len(ids) and len({repr(option) for option in by_task.values()}) == 1
    }


def _options_of(ids: Sequence[str], *, of_reset: bool = False) -> Options:
    """Returns the options of these tasks, in their original order."""
    found: Options = {}
    for task_id in ids:
        spec = envpool_py.make_spec(task_id)
        for option in (spec.reset_options if of_reset else spec.options).values():
            found.setdefault(option.name, {})[task_id] = option
    return found


def _options_table(found: Options, ids: Sequence[str]) -> str:
    """Options with their defaults; the row of an option that only some tasks have lists these."""
    if not found:
        return "No options.\n"
    rows = []
    for name, by_task in found.items():
        whose = "" if len(by_task) == len(ids) else f" (of {names_of(list(by_task), ids)})"
        rows.append(
            [
                f"`{name}`{whose}",
                _of_each(by_task, lambda option: option.type),
                _of_each(by_task, lambda option: f"`{option.default!r}`"),
                _of_each(by_task, _values),
                _of_each(by_task, lambda option: option.doc),
            ]
        )
    return table(["option", "type", "default", "values", "meaning"], rows)


def _of_each(by_task: dict[str, OptionSpec], text_of: Callable[[OptionSpec], str]) -> str:
    """Returns the text if it is the same for all tasks, otherwise each text with its tasks."""
    tasks_of: dict[str, list[str]] = {}
    for task_id, option in by_task.items():
        tasks_of.setdefault(text_of(option), []).append(task_id)
    if len(tasks_of) == 1:
        return next(iter(tasks_of))
    every = list(by_task)
    return "; ".join(
        f"{text or 'any'} ({names_of(names, every)})" for text, names in tasks_of.items()
    )


def _values(option: OptionSpec) -> str:
    """Returns the allowed values as text; "" if only the type restricts them."""
    if option.choices:
        return codes(option.choices)
    low, high = (
        None if bound is None or abs(bound) > _LARGEST_BOUND else number(bound)
        for bound in (option.low, option.high)
    )
    if low is not None and high is not None:
        return f"{low} to {high}"
    if low is not None:
        return f"at least {low}"
    return "" if high is None else f"at most {high}"
