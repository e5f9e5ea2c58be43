"""The guests: machines with NUMA nodes, simulated by QEMU without virtualization."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Finding = dict[str, Any]


@dataclass(frozen=True)
class Guest:
    """A machine: the processors and the memory of each of its nodes."""

    name: str
    cpus_per_node: tuple[int, ...]
    mib_per_node: int
    parts: tuple[str, ...]  # of guest.py

    @property
    def nodes(self) -> dict[int, list[int]]:
        """The processors of each node."""
        first = [sum(self.cpus_per_node[:node]) for node in range(len(self.cpus_per_node))]
        return {
            node: list(range(first[node], first[node] + count))
            for node, count in enumerate(self.cpus_per_node)
        }

    def options(self) -> list[str]:
        """Returns QEMU's options for processors and memory."""
        cpus = sum(self.cpus_per_node)
        nodes = len(self.cpus_per_node)
        options = ["-m", f"{self.mib_per_node * nodes}M"]
        options += ["-smp", f"{cpus},sockets={nodes},cores={cpus // nodes},threads=1"]
        for node, own in self.nodes.items():
            memory = f"memory-backend-ram,id=m{node},size={self.mib_per_node}M"
            options += ["-object", memory]
            options += ["-numa", f"node,nodeid={node},memdev=m{node},cpus={own[0]}-{own[-1]}"]
        return options


GUESTS = (
    Guest("four", (2, 2, 2, 2), 768, ("placement", "results")),
    Guest("one", (8,), 3072, ("results",)),
    # As many processors as a host with two has, so that all of them really run at the same time.
    Guest("pair", (1, 1), 1024, ("placement",)),
)


def boot(
    guest: Guest, image: Path, seconds: float, progress: Callable[[Finding], None]
) -> list[Finding]:
    """Boots a guest, and returns its findings.

    Args:
        guest: the machine.
        image: a directory made by `image.make`.
        seconds: the guest is ended after this time.
        progress: called with each finding at once.

    Raises:
        RuntimeError: the guest ended before its program did, or its time was up. The message has
            the end of its console.
    """
    command = ["timeout", str(seconds), "qemu-system-x86_64", "-machine", "pc"]
    command += ["-accel", "tcg,thread=multi", "-cpu", "max,vendor=GenuineIntel"]
    command += ["-nographic", "-no-reboot", "-nodefaults", "-serial", "stdio", *guest.options()]
    command += ["-kernel", str(image / "vmlinuz"), "-initrd", str(image / "initrd.gz")]
    command += ["-drive", f"file={image / 'disk.ext4'},format=raw,if=virtio,readonly=on"]
    # The kernel's balancing would move pages to the threads that use them.
    settings = "console=ttyS0 quiet panic=-1 tsc=reliable numa_balancing=disable"
    command += ["-append", f"{settings} parts={','.join(guest.parts)}"]
    findings: list[Finding] = []
    console: list[str] = []
    ended = False
    with subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, errors="replace"
    ) as qemu:
        assert qemu.stdout is not None
        for line in qemu.stdout:
            console.append(line)
            text = line[line.find("@@") + 2 :].strip() if "@@" in line else ""
            if text == "done":
                ended = True
            elif text:
                findings.append(json.loads(text))
                progress(findings[-1])
    if not ended:
        raise RuntimeError(f"guest {guest.name} ended too early:\n{''.join(console[-40:])}")
    return findings
