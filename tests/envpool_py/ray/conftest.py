"""A cluster of two machines, simulated in one by Ray's own utility."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import pytest

# Must be set before Ray is imported. The memory monitor kills actors if memory runs short.
os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
os.environ.setdefault("RAY_memory_monitor_refresh_ms", "0")
os.environ.setdefault("RAY_DEDUP_LOGS", "0")

MEBIBYTE = 2**20


@pytest.fixture(scope="session")
def cluster() -> Iterator[Any]:
    """Starts a head with four processors and connects this process to it."""
    ray = pytest.importorskip("ray")
    from ray.cluster_utils import Cluster

    quick = {
        "health_check_period_ms": 500,
        "health_check_failure_threshold": 3,
        # A full store spills to files at once.
        "oom_grace_period_s": 0,
    }
    head = {
        "num_cpus": 4,
        "object_store_memory": 160 * MEBIBYTE,
        "include_dashboard": False,
        "_system_config": {**quick, "health_check_initial_delay_ms": 0},
    }
    made = Cluster(initialize_head=True, head_node_args=head)
    ray.init(address=made.address, log_to_driver=False, logging_level="error")
    yield made
    ray.shutdown()
    made.shutdown()


@pytest.fixture
def machine(cluster: Any) -> Iterator[Any]:
    """Adds a second machine with two processors."""
    node = cluster.add_node(num_cpus=2, object_store_memory=80 * MEBIBYTE)
    yield node
    if node in cluster.worker_nodes:
        cluster.remove_node(node)
