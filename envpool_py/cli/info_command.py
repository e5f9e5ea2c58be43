"""`envpool-py info [TASK]`: a task, or the version, the machine, its threads and the plug-ins."""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich.table import Table

from envpool_py.cli.arguments import add_imports
from envpool_py.cli.list_command import describe_space
from envpool_py.cli.output import UsageError, make_console
from envpool_py.errors import EnvPoolError
from envpool_py.pool import core
from envpool_py.tasks import discovery
from envpool_py.tasks.resolve import describe

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]

__all__ = ["add_parser", "cpu_ranges", "facts", "run"]


def add_parser(commands: Commands) -> None:
    """Adds the command to the parser."""
    parser = commands.add_parser("info", help="show the version and the machine, or a task")
    parser.add_argument(
        "task", nargs="?", metavar="TASK", help="id of the environment to describe instead"
    )
    add_imports(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Prints one line per fact."""
    if arguments.task is not None:
        try:
            task = describe(arguments.task, {})
        except EnvPoolError as error:
            raise UsageError(str(error)) from error
        for name, value in task_facts(task):
            make_console().print(f"{name:<13}{value}", soft_wrap=True)
        return 0
    table = Table.grid(padding=(0, 2))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", discovery.PluginWarning)  # the lines below say the same
        found = discovery.plugins()
    for name, value in (
        *facts(core.version, core.system_info()),
        *(("plug-in", describe_plugin(plugin)) for plugin in found),
    ):
        table.add_row(name, value)
    make_console().print(table)
    return 0


def facts(version: str, system: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The lines to print, from the result of `system_info`."""
    rows = [
        ("version", version),
        ("compiled by", f"{system['compiler']}, {system['build_type']}"),
        ("cpu", system["cpu"]),
        ("cpuset", _cpu_count(system["cpus"])),
    ]
    rows += [(f"NUMA node {node['id']}", _cpu_count(node["cpus"])) for node in system["numa_nodes"]]
    rows.append(("threads", f"{system['default_num_threads']} in a pool, unless told otherwise"))
    return rows


def task_facts(task: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The lines to print of a task, from the result of `describe`."""
    limit = task["max_episode_steps"]
    return [
        ("id", task["id"]),
        ("observation", describe_space(task["observation"])),
        ("action", describe_space(task["action"])),
        ("max steps", "none" if limit is None else str(limit)),
    ]


def describe_plugin(plugin: discovery.Plugin) -> str:
    """A plug-in in one line: its module, its package, and the problem if it cannot be loaded."""
    text = f"{plugin.module} ({plugin.distribution})"
    return text if plugin.problem is None else f"{text}: cannot be loaded: {plugin.problem}"


def _cpu_count(cpus: Sequence[int]) -> str:
    noun = "cpu" if len(cpus) == 1 else "cpus"
    return f"{len(cpus)} {noun}: {cpu_ranges(cpus)}" if cpus else "no cpus"


def cpu_ranges(cpus: Sequence[int]) -> str:
    """Formats numbers of cpus like the kernel: "0-3,8"."""
    ranges: list[list[int]] = []
    for cpu in sorted(cpus):
        if ranges and cpu == ranges[-1][1] + 1:
            ranges[-1][1] = cpu
        else:
            ranges.append([cpu, cpu])
    return ",".join(str(first) if first == last else f"{first}-{last}" for first, last in ranges)
