"""Pools on a kernel with several NUMA nodes, in machines that QEMU simulates: `make check-numa`.

    python -m tests.numa --package DIRECTORY [--work DIRECTORY] [--guest NAME]...

Boots Debian's kernel with the package inside, on machines of four, of two and of one node, and asks
the kernel on which node each page is. A worker must run on one node only; nodes must have equal
shares of the environments, within one environment for each thread; an environment's memory must be
on the node of the thread that made it, and a row of a batch on that of the thread that wrote it;
results must be the same on all machines and in all modes. Which thread steps an environment is
only shown, because on a host with fewer processors the threads that run do the work of others. The
check also judges a pool with placement switched off, and fails if it finds nothing wrong there.

No rights and no virtualization are needed, but Debian's packages qemu-system-x86, busybox-static
and e2fsprogs, and `apt-get download`, which gets the kernel. It takes about ten minutes.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

from rich.console import Console
from rich.table import Table

from . import faults, image
from .guests import GUESTS, Finding, boot

_PROGRAMS = ("qemu-system-x86_64", "busybox", "apt-get", "apt-cache", "dpkg")
_LONGEST_GUEST = 2400.0  # seconds


def get_kernel(work: Path) -> Path:
    """Returns the unpacked kernel of Debian, which is downloaded at first."""
    into = work / "kernel"
    if list((into / "boot").glob("vmlinuz-*")):
        return into
    work.mkdir(parents=True, exist_ok=True)
    depends = subprocess.run(
        ["apt-cache", "depends", "linux-image-amd64"], capture_output=True, text=True, check=True
    ).stdout
    name = re.search(r"linux-image-[0-9]\S+", depends)
    if name is None:
        raise RuntimeError("linux-image-amd64: apt-cache knows no kernel; is this Debian?")
    subprocess.run(["apt-get", "download", "-qq", name[0]], cwd=work, check=True)
    package = next(work.glob(f"{name[0]}_*.deb"))
    subprocess.run(["dpkg", "-x", package.name, "kernel"], cwd=work, check=True)
    package.unlink()
    return into


def table_of(findings: list[Finding]) -> Table:
    """Returns where the environments of each pool are."""
    table = Table(
        title="Environments by node, rows on the node of the thread that wrote them, and steps on "
        "the node of their environment"
    )
    for column in ("guest", "pool", "threads", "environments", "rows", "steps"):
        table.add_column(column)
    for each in findings:
        if each["part"] == "placement":
            table.add_row(
                each["guest"],
                each["name"],
                str(each["arguments"]["num_threads"]),
                ", ".join(f"{node}: {n}" for node, n in sorted(each["memory"].items())),
                _own(each["rows"]),
                _own(each["steps"]),
            )
    return table


def _own(counts: dict[str, int]) -> str:
    total = sum(counts.values())
    return f"{100 * counts.get('own', 0) / total:.0f} %" if total else ""


def main() -> int:
    """Makes the image, boots the guests, and prints what is wrong."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--package", type=Path, required=True, help="has the built envpool_py")
    parser.add_argument("--work", type=Path, default=Path("build/numa"), help="for the image")
    parser.add_argument("--guest", action="append", choices=[guest.name for guest in GUESTS])
    given = parser.parse_args()
    missing = [name for name in _PROGRAMS if shutil.which(name) is None]
    if missing:
        print(f"check-numa needs {', '.join(missing)}, of Debian's packages", file=sys.stderr)
        return 2
    print("the image", flush=True)
    image.make(given.package, get_kernel(given.work), given.work)
    wrong: list[str] = []
    findings: list[Finding] = []
    for guest in GUESTS:
        if given.guest and guest.name not in given.guest:
            continue
        start = time.monotonic()

        def progress(finding: Finding, name: str = guest.name, start: float = start) -> None:
            finding["guest"] = name
            if finding["part"] in ("machine", "complete"):
                return
            what = finding.get("name") or finding["task"]
            mode = f", {finding['mode']}" if "mode" in finding else ""
            print(f"{time.monotonic() - start:5.0f} s  {name}: {what}{mode}", flush=True)

        found = boot(guest, given.work, _LONGEST_GUEST, progress)
        findings += found
        wrong += [f"{guest.name}: {fault}" for fault in faults.of_guest(guest, found)]
        if "placement" in guest.parts and not faults.planted(guest, found):
            wrong.append(f"{guest.name}: nothing was wrong with placement switched off")
    wrong += faults.of_results(findings)
    Console().print(table_of(findings))
    for line in wrong:
        print(line, file=sys.stderr)
    if not wrong:
        print("all threads, environments and results are where and what they should be")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
