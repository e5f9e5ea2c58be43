"""What is wrong in the findings of a guest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from .guests import Finding, Guest

# Small objects of two nodes may share a page: this part of them may be on the other node.
_SHARED_PAGES = 0.01
# The least part of rows, of batches with new memory, that are on the node of the thread that wrote
# them.
_LEAST_ROWS = 0.9


def of_guest(guest: Guest, findings: Sequence[Finding]) -> list[str]:
    """Returns the faults in what a guest has found; empty: none."""
    faults = [f"{each['name']}: {each['why']}" for each in findings if each["part"] == "failed"]
    parts = Counter(each["part"] for each in findings)
    complete = {each["of"]: each["findings"] for each in findings if each["part"] == "complete"}
    for part in guest.parts:
        if not 0 < complete.get(part, 0) == parts[part]:
            faults.append(f"{part}: {parts[part]} findings, expected {complete.get(part, 'some')}")
    for finding in findings:
        if finding["part"] == "machine":
            seen = {int(node): cpus for node, cpus in finding["nodes"].items()}
            if seen != guest.nodes:
                faults.append(f"the guest has nodes {seen}, expected {guest.nodes}")
        if finding["part"] == "placement":
            faults += [f"{finding['name']}: {fault}" for fault in of_placement(guest, finding)]
    return faults


def of_placement(guest: Guest, finding: Finding) -> list[str]:
    """Returns the faults of a pool: threads, environments and rows are where they should be."""
    faults = []
    if not finding["caller_is_unchanged"]:
        faults.append("the caller's processors have changed")
    nodes, arguments = guest.nodes, finding["arguments"]
    all_cpus = sorted(cpu for cpus in nodes.values() for cpu in cpus)
    num_threads = arguments["num_threads"]
    if arguments.get("numa") == "off" or num_threads < len(nodes):
        for name, cpus in finding["workers"].items():
            if cpus != all_cpus:
                faults.append(f"{name} may use processors {cpus}, expected {all_cpus}")
        return faults
    workers: Counter[int] = Counter()
    for name, cpus in finding["workers"].items():
        own = [node for node, of_node in nodes.items() if set(cpus) <= set(of_node)]
        if not own:
            faults.append(f"{name} may use processors {cpus} of several nodes")
        else:
            workers[own[0]] += 1
    for node in nodes:
        if workers[node] * len(nodes) != num_threads:
            faults.append(
                f"node {node} has {workers[node]} workers, expected {num_threads / len(nodes):g}"
            )
    return faults + of_environments(guest, finding)


def of_environments(guest: Guest, finding: Finding) -> list[str]:
    """Returns the faults of the places of a pool's environments and rows."""
    faults = []
    arguments = finding["arguments"]
    num_envs, num_threads = arguments["num_envs"], arguments["num_threads"]
    if finding["elsewhere"] > _SHARED_PAGES * num_envs:
        faults.append(
            f"the memory of {finding['elsewhere']} environments is not where they were made"
        )
    share = num_envs / len(guest.nodes)
    # One environment for each thread, and those of pages that belong to two nodes.
    allowed = num_threads / len(guest.nodes) + _SHARED_PAGES * num_envs
    for node in guest.nodes:
        count = finding["memory"].get(str(node), 0)
        if abs(count - share) > allowed:
            faults.append(
                f"node {node} has the memory of {count} environments, expected {share:g} within "
                f"{allowed:g}"
            )
    own, rows = finding["rows"].get("own", 0), sum(finding["rows"].values())
    if own < _LEAST_ROWS * rows:
        faults.append(f"{own} of {rows} rows are on the node of the thread that wrote them")
    return faults


def of_results(findings: Iterable[Finding]) -> list[str]:
    """Returns the tasks whose results are not the same in all guests and modes."""
    digests: dict[str, dict[str, list[str]]] = {}
    for each in findings:
        if each["part"] == "results":
            where = f"{each['guest']} {each['mode']}"
            digests.setdefault(each["task"], {}).setdefault(each["digest"], []).append(where)
    return [
        f"{task}: results differ: {list(those.values())}"
        for task, those in digests.items()
        if len(those) > 1
    ]


def planted(guest: Guest, findings: Sequence[Finding]) -> list[str]:
    """Returns the faults that are found if the pool with numa="off" is judged as if it were placed.

    The check would prove nothing if there were none.
    """
    found = []
    for finding in findings:
        if finding["part"] == "placement" and finding["arguments"].get("numa") == "off":
            arguments = {k: v for k, v in finding["arguments"].items() if k != "numa"}
            found += of_placement(guest, {**finding, "arguments": arguments})
    return found
